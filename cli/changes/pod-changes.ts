// What changed policies do to live pods: each is created anew in two clusters that differ in the policies alone.

import { isObject, type Json, type JsonObject, readJson } from '../../api/core/json.ts';
import { RELATED_PUB, SIDECARSET_HASH, SIDECARSET_HASH_WITHOUT_IMAGE } from '../../api/names.ts';
import type { Manifest } from '../../component/manifests.ts';
import { type Explanation, type Outcome, reviewAll } from '../admission.ts';
import { inOrderOf } from '../compare.ts';
import { unifiedDiff } from '../diff.ts';
import { giveBack, type Observed } from '../observed.ts';
import { controllerOf } from '../pods.ts';
import { renderYaml } from '../render.ts';
import { requestOf } from '../requests.ts';
import { metadataOf, nameOf, namespaceOf, textOf } from '../resources.ts';
import { objectAt } from '../workload-parts.ts';
import { recreated } from './recreated.ts';

/** What changes for a pod through one policy. */
export type PolicyChange = {
  kind: string;
  name: string;
  /** The reasons of explanations; `<none>` where the policy is not known. */
  before: string;
  after: string;
  /** When the pod shows it: at once, by an update in place, or when the workload makes it anew. */
  when: 'at once' | 'in place' | 'when recreated';
};

export type PodChange = {
  namespace: string;
  pod: string;
  /** `Kind name`, or ''. */
  owner: string;
  changes: readonly PolicyChange[];
  /** From what it is made to now to what it will be made to; '' if that is the same. */
  diff: string;
};

export type Comparing = { before: Observed; after: Observed; nowMs: number; changed: readonly JsonObject[] };

/** What changes for a live pod; undefined if nothing does. */
export function podChange(pod: Manifest, comparing: Comparing): PodChange | undefined {
  const before = answerOf(pod, comparing.before, comparing.nowMs);
  const after = answerOf(pod, comparing.after, comparing.nowMs);
  const diff = difference(before.outcome, after.outcome);
  const changes = policyChanges(pod.object, { before, after, isSame: diff === '', changed: comparing.changed });
  if (changes.length === 0 && diff === '') return undefined;
  const owner = controllerOf(pod.object);
  return {
    namespace: namespaceOf(pod.object) || 'default',
    pod: nameOf(pod.object),
    owner: owner === undefined ? '' : `${owner.kind} ${owner.name}`,
    changes,
    diff,
  };
}

type Answer = { outcome: Outcome; explanations: readonly Explanation[] };

function answerOf(pod: Manifest, cluster: Observed, nowMs: number): Answer {
  const { state } = cluster;
  const object = recreated(pod.object, state.find);
  const storedObject = state.find;
  const { review } = requestOf(
    { ...pod, object },
    { namespace: undefined, operation: 'CREATE', nowMs, path: undefined, storedObject },
  );
  const explanations = state.admission.explain(Buffer.from(JSON.stringify(review)), nowMs);
  const outcome = reviewAll(state.admission, review, nowMs);
  // Each pod is looked at by itself: what it takes is given back.
  giveBack(cluster);
  return { outcome, explanations };
}

// Members stand in the order of the first: an API server has sorted those of live objects.
function difference(before: Outcome, after: Outcome): string {
  const now = shownOf(before);
  const changed = inOrderOf(now, shownOf(after));
  return unifiedDiff(renderYaml(now), renderYaml(changed), { before: 'now', after: 'changed' });
}

function shownOf({ allowed, message, after }: Outcome): Json {
  return allowed ? withoutHashes(after) : { denied: message };
}

// They follow from what is injected, and would hide it in the difference.
function withoutHashes(pod: Json | undefined): Json {
  if (!isObject(pod)) return pod ?? null;
  const annotations = { ...objectAt(pod, 'metadata', 'annotations') };
  for (const name of [SIDECARSET_HASH, SIDECARSET_HASH_WITHOUT_IMAGE]) delete annotations[name];
  return { ...pod, metadata: { ...metadataOf(pod), annotations } };
}

type Answers = { before: Answer; after: Answer; isSame: boolean; changed: readonly JsonObject[] };

function policyChanges(pod: JsonObject, { before, after, isSame, changed }: Answers): PolicyChange[] {
  const earlier = new Map(before.explanations.map((one) => [keyOf(one), one]));
  const later = new Map(after.explanations.map((one) => [keyOf(one), one]));
  const changes: PolicyChange[] = [];
  for (const key of new Set([...earlier.keys(), ...later.keys()])) {
    const was = earlier.get(key);
    const is = later.get(key);
    const about = is ?? was;
    if (about === undefined) continue;
    // A policy that did not and does not act is of no interest, whatever its reasons.
    const acts = was?.matched === true || is?.matched === true;
    if (!acts || !isOther({ was, is, before, after, isSame, changed })) continue;
    changes.push({
      kind: about.kind,
      name: fullName(about),
      before: was?.reason ?? '<none>',
      after: is?.reason ?? '<none>',
      when: whenOf(pod, about, { was, is, after, changed }),
    });
  }
  return changes;
}

type Pair = { was: Explanation | undefined; is: Explanation | undefined };

function isOther({ was, is, before, after, isSame, changed }: Pair & Answers): boolean {
  if (was?.matched !== is?.matched || was?.reason !== is?.reason) return true;
  const about = is ?? was;
  if (about === undefined || isSame) return false;
  if (about.kind === 'SidecarSet') {
    const hash = ({ outcome }: Answer) => recordedHash(outcome.after, SIDECARSET_HASH, about.name);
    return hash(before) !== hash(after);
  }
  return changed.some((one) => one.kind === about.kind && nameOf(one) === about.name);
}

type Later = Pair & { after: Answer; changed: readonly JsonObject[] };

function whenOf(pod: JsonObject, about: Explanation, { is, after, changed }: Later): PolicyChange['when'] {
  if (about.kind === 'PodUnavailableBudget' && is?.matched === true) {
    const related = objectAt(pod, 'metadata', 'annotations')[RELATED_PUB];
    return related === undefined ? 'at once' : 'when recreated';
  }
  if (about.kind !== 'SidecarSet' || is?.reason !== 'Injected') return 'when recreated';
  const set = changed.find((one) => one.kind === about.kind && nameOf(one) === about.name) ?? {};
  const strategy = objectAt(set, 'spec', 'updateStrategy');
  if (strategy.type === 'NotUpdate' || strategy.paused === true) return 'when recreated';
  const has = recordedHash(pod, SIDECARSET_HASH_WITHOUT_IMAGE, about.name);
  const wanted = recordedHash(after.outcome.after, SIDECARSET_HASH_WITHOUT_IMAGE, about.name);
  return has !== '' && has === wanted ? 'in place' : 'when recreated';
}

/** What a pod says that it has of a SidecarSet; '' if it has nothing of it. */
function recordedHash(pod: Json | undefined, annotation: string, set: string): string {
  const text = isObject(pod) ? textOf(objectAt(pod, 'metadata', 'annotations')[annotation]) : '';
  const sets = readJson(text);
  const one = isObject(sets) ? sets[set] : undefined;
  return isObject(one) ? textOf(one.hash) : '';
}

function keyOf(one: Explanation): string {
  return `${one.kind} ${fullName(one)}`;
}

function fullName({ namespace = '', name }: Explanation): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** A changed object without what storing gave it: one that was read from a cluster and edited is judged as it is now. */
export function asWritten(changed: Manifest): Manifest {
  const { uid: _uid, annotations, ...metadata } = metadataOf(changed.object);
  if (!isObject(annotations)) return { ...changed, object: { ...changed.object, metadata } };
  const made = [SIDECARSET_HASH, SIDECARSET_HASH_WITHOUT_IMAGE];
  const kept = Object.fromEntries(Object.entries(annotations).filter(([name]) => !made.includes(name)));
  return { ...changed, object: { ...changed.object, metadata: { ...metadata, annotations: kept } } };
}

/** A changed object as it would be stored in place of a live one: with its status. */
export function replacing(changed: Manifest, live: JsonObject | undefined): Manifest {
  if (live === undefined || changed.object.status !== undefined || live.status === undefined) return changed;
  const { resourceVersion, generation } = metadataOf(live);
  const metadata = {
    ...metadataOf(changed.object),
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(generation !== undefined && { generation }),
  };
  return { ...changed, object: { ...changed.object, metadata, status: live.status } };
}
