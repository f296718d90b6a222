// SidecarSet between v1alpha1 and v1beta1: one namespace becomes a selector, the version label a field (sidecarset 1.1).
import { NAMESPACE_NAME_LABEL, SIDECARSET_CUSTOM_VERSION } from '../../names.ts';
import type { SidecarSet, SidecarSetV1alpha1 } from './schema.ts';

/** To v1beta1. A `namespace` wins over a `namespaceSelector` beside it. Takes over the parts of a decoded object. */
export function toV1beta1({ spec, metadata, ...rest }: SidecarSetV1alpha1): SidecarSet {
  const { namespace, ...shared } = spec ?? {};
  const converted: SidecarSet = { ...rest, spec: { ...shared } };
  if (namespace !== undefined) {
    converted.spec = { ...converted.spec, namespaceSelector: { matchLabels: { [NAMESPACE_NAME_LABEL]: namespace } } };
  }
  const { [SIDECARSET_CUSTOM_VERSION]: customVersion, ...labels } = metadata?.labels ?? {};
  if (customVersion === undefined) return metadata === undefined ? converted : { ...converted, metadata };
  const { labels: _replaced, ...restOfMetadata } = metadata ?? {};
  converted.metadata = Object.keys(labels).length > 0 ? { ...restOfMetadata, labels } : restOfMetadata;
  if (customVersion !== '') converted.spec = { ...converted.spec, customVersion };
  return converted;
}

/** To v1alpha1. `namespace` is never restored: the selector says the same. */
export function toV1alpha1({ spec, metadata, ...rest }: SidecarSet): SidecarSetV1alpha1 {
  const { customVersion, ...shared } = spec ?? {};
  const converted: SidecarSetV1alpha1 = { ...rest, spec: shared };
  if (metadata !== undefined) converted.metadata = metadata;
  if (customVersion !== undefined) {
    const labels = { ...metadata?.labels, [SIDECARSET_CUSTOM_VERSION]: customVersion };
    converted.metadata = { ...metadata, labels };
  }
  return converted;
}
