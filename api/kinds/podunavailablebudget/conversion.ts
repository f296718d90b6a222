// PodUnavailableBudget between v1alpha1 and v1beta1: two members of v1beta1 are annotations in v1alpha1
// (podunavailablebudget 1.4, 1.5). Annotations that say nothing usable convert all the same, so that one bad object does
// not make all unreadable; the webhook refuses them (annotationFault).
import { quote } from '../../core/field-error.ts';
import { parseInteger } from '../../core/integers.ts';
import type { ObjectMeta } from '../../core/meta.ts';
import { PUB_PROTECT_OPERATIONS, PUB_PROTECT_TOTAL_REPLICAS } from '../../names.ts';
import { OPERATIONS, type PodUnavailableBudget, type PodUnavailableBudgetV1alpha1 } from './schema.ts';

/** To v1beta1. Annotations stay. Takes over the parts of a decoded object. */
export function toV1beta1({ spec, status, ...rest }: PodUnavailableBudgetV1alpha1): PodUnavailableBudget {
  const annotations = rest.metadata?.annotations ?? {};
  const protectOperations = words(annotations[PUB_PROTECT_OPERATIONS]).filter(isOperation);
  const protectTotalReplicas = parseInteger(annotations[PUB_PROTECT_TOTAL_REPLICAS] ?? '', 32);
  const converted: PodUnavailableBudget = {
    ...rest,
    spec: {
      ...spec,
      ...(protectOperations.length > 0 && { protectOperations }),
      ...(typeof protectTotalReplicas === 'number' && { protectTotalReplicas }),
    },
  };
  if (status !== undefined) {
    const { observedGeneration, ...counters } = status;
    converted.status = { ...(observedGeneration !== 0 && { observedGeneration }), ...counters };
  }
  return converted;
}

/**
 * To v1alpha1. An annotation follows its member; without the member, one that still says something stays.
 * Compatibility: v1alpha1 has no word for `ignoredPodSelector`, and clients expect no annotation for it: it is lost.
 */
export function toV1alpha1({ spec, metadata, status, ...rest }: PodUnavailableBudget): PodUnavailableBudgetV1alpha1 {
  const { protectOperations = [], protectTotalReplicas, ignoredPodSelector: _lost, ...shared } = spec ?? {};
  const given = metadata?.annotations ?? {};
  const { [PUB_PROTECT_OPERATIONS]: operationsGiven, [PUB_PROTECT_TOTAL_REPLICAS]: totalGiven, ...others } = given;
  const operations = protectOperations.filter((word) => word !== '').join(',');
  const annotations: { [name: string]: string } = { ...others };
  if (operations !== '') annotations[PUB_PROTECT_OPERATIONS] = operations;
  else if (operationsGiven !== undefined && words(operationsGiven).length > 0) {
    annotations[PUB_PROTECT_OPERATIONS] = operationsGiven;
  }
  if (protectTotalReplicas !== undefined) annotations[PUB_PROTECT_TOTAL_REPLICAS] = String(protectTotalReplicas);
  else if (totalGiven !== undefined && totalGiven !== '') annotations[PUB_PROTECT_TOTAL_REPLICAS] = totalGiven;
  const newMetadata = withAnnotations(metadata, annotations);
  return {
    ...rest,
    ...(newMetadata !== undefined && { metadata: newMetadata }),
    spec: shared,
    ...(status !== undefined && { status: { ...status, observedGeneration: status.observedGeneration ?? 0 } }),
  };
}

/** Why the annotations of a v1alpha1 object are no members of v1beta1; undefined if they are. */
export function annotationFault({ metadata }: PodUnavailableBudgetV1alpha1): string | undefined {
  const annotations = metadata?.annotations ?? {};
  const [unknown] = unknownOperations(annotations[PUB_PROTECT_OPERATIONS]);
  if (unknown !== undefined) return `invalid ${PUB_PROTECT_OPERATIONS} value ${quote(unknown)}`;
  const total = annotations[PUB_PROTECT_TOTAL_REPLICAS] ?? '';
  const parsed = parseInteger(total, 32);
  if (total === '' || typeof parsed === 'number') return undefined;
  return `failed to parse ${PUB_PROTECT_TOTAL_REPLICAS}: strconv.ParseInt: parsing ${quote(total)}: ${parsed}`;
}

/** The words of the annotation that are no operation. */
export function unknownOperations(list: string | undefined): string[] {
  return words(list).filter((word) => !isOperation(word));
}

function words(list = ''): string[] {
  return list
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

function isOperation(word: string): boolean {
  return (OPERATIONS as readonly string[]).includes(word);
}

function withAnnotations(
  metadata: ObjectMeta | undefined,
  annotations: { [name: string]: string },
): ObjectMeta | undefined {
  const { annotations: _replaced, ...rest } = metadata ?? {};
  if (Object.keys(annotations).length > 0) return { ...rest, annotations };
  return metadata === undefined ? undefined : rest;
}
