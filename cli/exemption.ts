// Which pods the webhook configurations of the chart leave out, so that admission never sees them (admission-overview
// 2.3). The command reviews them nevertheless, and says so.

import { isObject, type JsonObject } from '../api/core/json.ts';
import { metadataOf, textOf } from './resources.ts';
import type { State } from './state.ts';

/** A sentence on why the API server would not ask about this review; undefined if it would. */
export function exemptionOf(review: JsonObject, state: State, systemNamespace: string): string | undefined {
  const request = isObject(review.request) ? review.request : {};
  const resource = isObject(request.resource) ? request.resource : {};
  if (resource.group !== '' || resource.resource !== 'pods') return undefined;
  const namespace = textOf(request.namespace);
  const excluded = 'is excluded by the webhook configurations of the chart: in a cluster this pod is not reviewed';
  if (namespace === 'kube-system' || namespace === systemNamespace) return `namespace ${namespace} ${excluded}`;
  const stored = state.find({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const labels = stored === undefined ? undefined : metadataOf(stored).labels;
  if (!isObject(labels) || labels['control-plane'] !== 'openkruise') return undefined;
  return `namespace ${namespace}, labelled control-plane=openkruise, ${excluded}`;
}
