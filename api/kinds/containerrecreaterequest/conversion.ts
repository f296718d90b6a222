// ContainerRecreateRequest between v1alpha1 and v1beta1: two members of the status are annotations in v1alpha1
// (containerrecreaterequest 1.1). The annotations stay when they are read, and unreadable ones are passed over.
import { encode } from '../../core/encode.ts';
import type { Json } from '../../core/json.ts';
import { readJsonText } from '../../core/json-text.ts';
import { canonicalTime } from '../../core/times.ts';
import { CRR_PRE_RECREATE_GRACE, CRR_SYNC_CONTAINER_STATUSES, CRR_UNREADY_ACQUIRED } from '../../names.ts';
import { type ContainerRecreateRequest, type ContainerRecreateRequestV1alpha1, Snapshot } from './schema.ts';

type Status = NonNullable<ContainerRecreateRequest['status']>;

const GRACE_MESSAGE = 'Pod has been forced to not-ready for unreadyGracePeriodSeconds drain';
/** What Go writes for a time that was never set. */
const ZERO_TIME = '0001-01-01T00:00:00Z';

/** To v1beta1. Takes over the parts of a decoded object. */
export function toV1beta1(request: ContainerRecreateRequestV1alpha1): ContainerRecreateRequest {
  const annotations = request.metadata?.annotations ?? {};
  const snapshot = readSnapshot(annotations[CRR_SYNC_CONTAINER_STATUSES] ?? '');
  const conditions = readGrace(annotations[CRR_UNREADY_ACQUIRED] ?? '');
  if (snapshot.length === 0 && conditions.length === 0) return request;
  return {
    ...request,
    status: {
      phase: '',
      ...request.status,
      ...(snapshot.length > 0 && { containerStatusSnapshot: snapshot }),
      ...(conditions.length > 0 && { conditions }),
    },
  };
}

/**
 * To v1alpha1. What the status says wins over annotations. Compatibility: of the conditions only a true grace condition is
 * carried, by its time.
 */
export function toV1alpha1(request: ContainerRecreateRequest): ContainerRecreateRequestV1alpha1 {
  if (request.status === undefined) return request;
  const { containerStatusSnapshot, conditions = [], ...status } = request.status;
  const carried: { [name: string]: string } = {};
  if (containerStatusSnapshot !== undefined) {
    carried[CRR_SYNC_CONTAINER_STATUSES] = encode(Snapshot, containerStatusSnapshot as Json);
  }
  const grace = conditions.find(({ type, status: holds }) => type === CRR_PRE_RECREATE_GRACE && holds === 'True');
  if (grace !== undefined) carried[CRR_UNREADY_ACQUIRED] = grace.lastTransitionTime ?? ZERO_TIME;
  if (Object.keys(carried).length === 0) return { ...request, status };
  const annotations = { ...request.metadata?.annotations, ...carried };
  return { ...request, metadata: { ...request.metadata, annotations }, status };
}

function readSnapshot(annotation: string): NonNullable<Status['containerStatusSnapshot']> {
  if (annotation === '') return [];
  const read = readJsonText(Snapshot, annotation);
  return 'fault' in read ? [] : (read.value ?? []);
}

function readGrace(annotation: string): NonNullable<Status['conditions']> {
  const lastTransitionTime = canonicalTime(annotation, false);
  if (lastTransitionTime === undefined) return [];
  return [
    {
      type: CRR_PRE_RECREATE_GRACE,
      status: 'True',
      lastTransitionTime,
      reason: CRR_PRE_RECREATE_GRACE,
      message: GRACE_MESSAGE,
    },
  ];
}
