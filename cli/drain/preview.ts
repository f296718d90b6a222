// What a drain of a node comes to: its pods are evicted one after the other in a cluster in memory, as `kubectl drain` asks
// the API server to.

import { isObject, type Json, type JsonObject } from '../../api/core/json.ts';
import type { Manifest } from '../../component/manifests.ts';
import { reviewAll } from '../admission.ts';
import { giveBack, type Observed } from '../observed.ts';
import { controllerOf, isActive, isPod } from '../pods.ts';
import { requestOf } from '../requests.ts';
import { kindNameOf, metadataOf, nameOf, namespaceOf, textOf } from '../resources.ts';
import { objectAt } from '../workload-parts.ts';
import { DisruptionBudgets, type Ruling } from './disruption-budgets.ts';

/**
 * `passes`: goes at once. `waits`: would go by itself, but other pods of this node take what the budget allows; goes when
 * they are replaced. `blocked`: does not go, even alone. `stays`: a drain leaves it.
 */
export type Fate = 'passes' | 'waits' | 'blocked' | 'stays';

export type PodFate = {
  namespace: string;
  pod: string;
  fate: Fate;
  /** `Kind name` of the budget that decides; '' if none does. */
  budget: string;
  message: string;
};

/** Two clusters as before the drain: in one all pods are evicted, in the other one pod at a time. */
export type Drained = { node: string; nowMs: number; together: Observed; alone: Observed };

/** The fates of the pods of a node, in the order in which they are given. */
export function drainPreview(live: readonly Manifest[], { node, nowMs, together, alone }: Drained): PodFate[] {
  const pods = live.filter(({ object }) => isPod(object) && objectAt(object, 'spec').nodeName === node);
  const objects = live.map(({ object }) => object);
  const budgets = new DisruptionBudgets(objects);
  return pods.map((pod) => {
    const evictAlone = (): Ruling => {
      const ruling = evict(pod, { cluster: alone, budgets: new DisruptionBudgets(objects) }, nowMs);
      giveBack(alone);
      return ruling;
    };
    const fate =
      leftAlone(pod.object) ?? fateOf(pod.object, evict(pod, { cluster: together, budgets }, nowMs), evictAlone);
    return { namespace: namespaceOf(pod.object) || 'default', pod: nameOf(pod.object), ...fate };
  });
}

type Decision = Pick<PodFate, 'fate' | 'budget' | 'message'>;

/** Pods that nobody is asked about. */
function leftAlone(pod: JsonObject): Decision | undefined {
  const { annotations } = metadataOf(pod);
  const stays = (message: string): Decision => ({ fate: 'stays', budget: '', message });
  if (isObject(annotations) && annotations['kubernetes.io/config.mirror'] !== undefined) {
    return stays('the kubelet runs it from a file');
  }
  const owner = controllerOf(pod);
  if (owner?.kind === 'DaemonSet' && isActive(pod)) {
    return kindNameOf({ apiVersion: owner.apiVersion }).group === 'apps'
      ? stays('of a DaemonSet: needs --ignore-daemonsets')
      : stays('of an Advanced DaemonSet: kubectl does not know it and needs --force');
  }
  if (isActive(pod)) return undefined;
  return { fate: 'passes', budget: '', message: 'is finished or being deleted' };
}

function fateOf(pod: JsonObject, together: Ruling, alone: () => Ruling): Decision {
  if (together.refused === undefined) return { fate: 'passes', budget: '', message: flagsFor(pod) };
  const { refused: budget, message } = together;
  if (together.isFinal) return { fate: 'blocked', budget, message };
  const ruling = alone();
  if (ruling.refused === undefined)
    return { fate: 'waits', budget, message: 'for other pods of this node to be replaced' };
  return { fate: 'blocked', budget: ruling.refused, message: ruling.message };
}

/** What kubectl wants to be told before it evicts such a pod; the API server does not mind. */
function flagsFor(pod: JsonObject): string {
  const { volumes } = objectAt(pod, 'spec');
  const isScratch = (volume: Json): boolean => isObject(volume) && isObject(volume.emptyDir);
  const flags = [
    ...(controllerOf(pod) === undefined ? ['--force'] : []),
    ...(Array.isArray(volumes) && volumes.some(isScratch) ? ['--delete-emptydir-data'] : []),
  ];
  return flags.length === 0 ? '' : `kubectl needs ${flags.join(' and ')}`;
}

type Asked = { cluster: Observed; budgets: DisruptionBudgets };

// Admission comes first; what it takes stays taken when a PodDisruptionBudget refuses afterwards.
function evict(pod: Manifest, { cluster, budgets }: Asked, nowMs: number): Ruling {
  const { state } = cluster;
  const name = nameOf(pod.object);
  const namespace = namespaceOf(pod.object) || 'default';
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
  const { review } = requestOf(
    { ...pod, object: eviction },
    { namespace: undefined, operation: 'CREATE', nowMs, path: undefined, storedObject: state.find },
  );
  const { allowed, message, answer } = reviewAll(state.admission, review, nowMs);
  return allowed ? budgets.evict(pod.object) : refusalOf(answer, message);
}

// A refusal by a budget has its numbers for the audit log.
function refusalOf({ response }: JsonObject, message: string): Ruling {
  const annotations = isObject(response) && isObject(response.auditAnnotations) ? response.auditAnnotations : {};
  const fullName = textOf(annotations.budget);
  if (fullName === '') return { refused: 'admission', message, isFinal: false };
  const [needs, has, takers] = ['desired-available', 'current-available', 'taken-by'].map((key) =>
    textOf(annotations[key]),
  );
  const taken = takers === '' ? '' : `, taken by ${takers}`;
  const refused = `PodUnavailableBudget ${fullName.slice(fullName.indexOf('/') + 1)}`;
  return { refused, message: `needs ${needs} available pods, has ${has}${taken}`, isFinal: false };
}
