// Defaults of an Advanced StatefulSet (advanced-statefulset 1.2).
import type { Json } from '../../core/json.ts';
import { PodTemplateSpec } from '../../core/pod.ts';
import {
  defaultClaimTemplate,
  defaultPodTemplate,
  isTemplateDefaulted,
  writeSelector,
} from '../../core/template-defaults.ts';
import type { DefaultsContext } from '../kind.ts';
import type { StatefulSet } from './schema.ts';

/**
 * Completes a decoded set in v1beta1 form and returns it, without its status. With OnDelete nothing is filled in below
 * rollingUpdate.
 */
export function applyDefaults({ status: _blanked, ...set }: StatefulSet, context: DefaultsContext): StatefulSet {
  set.spec ??= {};
  const spec = set.spec;
  writeSelector(spec);
  spec.podManagementPolicy ??= 'OrderedReady';
  spec.updateStrategy ??= {};
  spec.updateStrategy.type ??= 'RollingUpdate';
  if (spec.updateStrategy.type === 'RollingUpdate') {
    spec.updateStrategy.rollingUpdate ??= {};
    const rollingUpdate = spec.updateStrategy.rollingUpdate;
    rollingUpdate.partition ??= 0;
    rollingUpdate.maxUnavailable ??= 1;
    rollingUpdate.podUpdatePolicy ??= 'ReCreate';
    rollingUpdate.minReadySeconds ??= 0;
  }
  if (context.gates.get('StatefulSetAutoDeletePVC') === true) {
    spec.persistentVolumeClaimRetentionPolicy ??= {};
    spec.persistentVolumeClaimRetentionPolicy.whenDeleted ??= 'Retain';
    spec.persistentVolumeClaimRetentionPolicy.whenScaled ??= 'Retain';
  }
  spec.volumeClaimUpdateStrategy ??= {};
  if (context.gates.get('StatefulSetAutoResizePVCGate') === true) {
    spec.volumeClaimUpdateStrategy.type ??= 'OnDelete';
  }
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  if (isTemplateDefaulted(spec.template as Json | undefined, PodTemplateSpec, context)) {
    spec.template ??= {};
    defaultPodTemplate(spec.template, context.gates);
    for (const claim of spec.volumeClaimTemplates ?? []) defaultClaimTemplate(claim);
  }
  return set;
}
