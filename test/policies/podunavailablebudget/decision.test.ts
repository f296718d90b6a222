// Which requests that disturb a pod take a unit of its budget, pass free or are denied (podunavailablebudget.md 5 and 13).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import type { Verdict } from '../../support/answer.ts';
import { namespace } from '../../support/builders/cluster.ts';
import {
  type BudgetParts,
  DISRUPTIVE_UPDATE,
  main,
  Protection,
  protecting,
  type RunningParts,
  running,
} from '../../support/protection.ts';

const NOTHING_LEFT = { unavailableAllowed: 0, currentAvailable: 7 };
const TIME = '2026-07-02T08:00:00Z';

type Deed = 'delete' | 'evict' | 'update';

const byDefault = await Protection.start();
const scaling = await Protection.start({ InPlacePodVerticalScaling: true });
const withoutUpdates = await Protection.start({ PodUnavailableBudgetUpdateGate: false });
const withoutDeletions = await Protection.start({ PodUnavailableBudgetDeleteGate: false });

function disturb(cluster: Protection, deed: Deed, pod: JsonObject, parts: RunningParts = {}): Verdict {
  if (deed === 'delete') return cluster.delete(pod);
  return deed === 'evict' ? cluster.evict(pod) : cluster.update(pod, running({ ...parts, ...DISRUPTIVE_UPDATE }));
}

/** What came of it: the verdict, and what was taken. */
function outcome(verdict: Verdict, cluster: Protection, before: JsonObject): string {
  const { unavailableAllowed, ...status } = cluster.status;
  if (!verdict.allowed) {
    expect(cluster.status).toEqual(before.status);
    return `denied ${verdict.code}`;
  }
  const { unavailableAllowed: had, ...old } = before.status as JsonObject;
  if (had === unavailableAllowed) {
    expect(cluster.status).toEqual(before.status);
    return 'free';
  }
  expect(unavailableAllowed).toBe(Number(had) - 1);
  const [map] = Object.keys(status).filter((name) => !(name in old));
  return `charged in ${map}`;
}

describe('a pod that serves, with one unit left:', () => {
  test.each<[Deed, string]>([
    ['delete', 'disruptedPods'],
    ['evict', 'disruptedPods'],
    ['update', 'unavailablePods'],
  ])('%s takes it and notes the pod', (deed, map) => {
    const cluster = byDefault.hold(protecting(), running());
    expect(disturb(cluster, deed, running()).allowed).toBe(true);
    expect(cluster.status).toEqual({
      observedGeneration: 1,
      unavailableAllowed: 0,
      currentAvailable: 8,
      desiredAvailable: 7,
      totalReplicas: 10,
      [map]: { 'web-0': TIME },
    });
  });

  test('a pod that is not there is looked for only where there are budgets', () => {
    expect(byDefault.hold(protecting()).evict(running({ name: 'nope' }))).toMatchObject({
      allowed: false,
      code: 400,
      message: 'Pod "nope" not found',
    });
    expect(byDefault.hold(running()).evict(running({ name: 'nope' })).allowed).toBe(true);
  });

  test('the same pod again passes free, another is denied', () => {
    const cluster = byDefault.hold(protecting(), running(), running({ name: 'web-1' }));
    expect(cluster.update(running(), running(DISRUPTIVE_UPDATE)).allowed).toBe(true);
    expect(cluster.delete(running()).allowed).toBe(true);
    expect(cluster.evict(running()).allowed).toBe(true);
    expect(cluster.status).toMatchObject({ unavailableAllowed: 0, unavailablePods: { 'web-0': TIME } });
    expect(cluster.status).not.toHaveProperty('disruptedPods');
    expect(cluster.delete(running({ name: 'web-1' }))).toMatchObject({
      allowed: false,
      code: 403,
      reason: 'Forbidden',
      message: 'podunavailablebudget.policy.kruise.io "web-pub" is forbidden: pub unavailable allowed is negative',
    });
  });

  test('two thousand entries in both maps are not too many, one more is', () => {
    const entries = (from: number, to: number) =>
      Object.fromEntries(Array.from({ length: to - from }, (_one, index) => [`other-${from + index}`, TIME]));
    const full = { unavailableAllowed: 5, disruptedPods: entries(0, 1500), unavailablePods: entries(1500, 2000) };
    const cluster = byDefault.hold(protecting({ status: full }));
    expect(cluster.delete(running()).allowed).toBe(true);
    expect(cluster.status.unavailableAllowed).toBe(4);
    expect(cluster.delete(running({ name: 'web-1' }))).toMatchObject({
      code: 403,
      message: expect.stringMatching(/^podunavailablebudget.policy.kruise.io "web-pub" is forbidden: .*map too big/),
    });
    expect(cluster.delete(running()).allowed).toBe(true);
  });
});

type Row = [string, Deed, { pod?: RunningParts; budget?: BudgetParts; cluster?: Protection }, string];

describe('with no unit left', () => {
  const unready = { conditions: [{ type: 'Ready', status: 'False' }] };
  const ignoring = { ignoredPodSelector: { matchLabels: { force: 'true' } } };

  test.each<Row>([
    ['a pod is protected', 'delete', {}, 'denied 403'],
    ['a pod is protected', 'evict', {}, 'denied 403'],
    ['a pod is protected', 'update', {}, 'denied 403'],
    ['a pod that is not ready goes', 'delete', { pod: { status: unready } }, 'free'],
    ['a pod that is not ready goes', 'evict', { pod: { status: unready } }, 'free'],
    ['a pod that is not ready is changed', 'update', { pod: { status: unready } }, 'free'],
    ['a pod without conditions goes', 'delete', { pod: { status: { conditions: null } } }, 'free'],
    ['a pod that is pending goes', 'evict', { pod: { status: { phase: 'Pending' } } }, 'free'],
    ['a terminating pod goes', 'delete', { pod: { metadata: { deletionTimestamp: TIME } } }, 'free'],
    ['a pod declared unavailable goes', 'delete', { pod: { labels: { 'unavailable-pod.kruise.io/x': '' } } }, 'free'],
    ['a similar label says nothing', 'delete', { pod: { labels: { 'unavailable-pod.kruise.iox': '' } } }, 'denied 403'],
    ['a pod that opted out goes', 'delete', { pod: { annotations: { 'pub.kruise.io/no-protect': '1' } } }, 'free'],
    ['yes is no boolean', 'delete', { pod: { annotations: { 'pub.kruise.io/no-protect': 'yes' } } }, 'denied 403'],
    ['an ignored pod goes', 'delete', { pod: { labels: { force: 'true' } }, budget: { spec: ignoring } }, 'free'],
    ['a pod that is not ignored stays', 'delete', { budget: { spec: ignoring } }, 'denied 403'],
    ['an empty selector ignores none', 'delete', { budget: { spec: { ignoredPodSelector: {} } } }, 'denied 403'],
    ['nothing is desired', 'delete', { budget: { status: { desiredAvailable: 0 } } }, 'free'],
    ['nothing is counted yet', 'delete', { budget: { status: { desiredAvailable: null } } }, 'free'],
    ['a pod of no budget goes', 'delete', { pod: { metadata: { annotations: {} } } }, 'free'],
    [
      'the legacy annotation counts',
      'delete',
      { pod: { annotations: { 'pub.kruise.io/related-pub': '' } } },
      'denied 403',
    ],
    ['a budget that is gone', 'delete', { pod: { annotations: { 'pub.kruise.io/related-pub': 'gone' } } }, 'free'],
    ['only DELETE: a deletion', 'delete', { budget: { spec: { protectOperations: ['DELETE'] } } }, 'denied 403'],
    ['only DELETE: an eviction', 'evict', { budget: { spec: { protectOperations: ['DELETE'] } } }, 'free'],
    ['only DELETE: an update', 'update', { budget: { spec: { protectOperations: ['DELETE'] } } }, 'free'],
    ['EVICT in the annotation: a deletion', 'delete', { budget: { annotations: operations('EVICT') } }, 'free'],
    ['EVICT in the annotation: an eviction', 'evict', { budget: { annotations: operations('EVICT') } }, 'denied 403'],
    ['blanks belong to words', 'evict', { budget: { annotations: operations('DELETE, EVICT') } }, 'free'],
    ['commas say nothing', 'update', { budget: { annotations: operations(',,') } }, 'denied 403'],
    ['unknown words protect nothing', 'delete', { budget: { annotations: operations('SOME') } }, 'free'],
    ['without the gate of updates', 'update', { cluster: withoutUpdates }, 'free'],
    ['without the gate of updates', 'delete', { cluster: withoutUpdates }, 'denied 403'],
    ['without the gate of deletions', 'delete', { cluster: withoutDeletions }, 'free'],
    ['without the gate of deletions', 'evict', { cluster: withoutDeletions }, 'free'],
    ['without the gate of deletions', 'update', { cluster: withoutDeletions }, 'denied 403'],
  ])('%s: %s', (_what, deed, { pod = {}, budget = {}, cluster = byDefault }, expected) => {
    const held = protecting({ ...budget, status: { ...NOTHING_LEFT, ...budget.status } });
    cluster.hold(held, running(pod));
    const verdict = disturb(cluster, deed, running(pod), pod);
    expect(outcome(verdict, cluster, held)).toBe(expected);
  });

  test('a selector of ignored pods that cannot be read is an error', () => {
    const ignoredPodSelector = { matchExpressions: [{ key: 'a', operator: 'Near' }] };
    const cluster = byDefault.hold(protecting({ spec: { ignoredPodSelector } }));
    expect(cluster.delete(running())).toMatchObject({
      code: 400,
      message: expect.stringMatching('ignoredPodSelector'),
    });
  });

  test('the last pods of a namespace that is being deleted go', () => {
    const ending = { ...namespace('shop'), status: { phase: 'Terminating' } };
    const cluster = byDefault.hold(protecting({ status: NOTHING_LEFT }), ending);
    expect(cluster.delete(running()).allowed).toBe(true);
    expect(cluster.update(running(), running(DISRUPTIVE_UPDATE)).allowed).toBe(false);
  });
});

function operations(words: string): Record<string, string> {
  return { 'kruise.io/pub-protect-operations': words };
}

function resized(cpu: string, more: JsonObject = {}): RunningParts {
  return { containers: [main({ resources: { requests: { cpu } }, ...more })] };
}

describe('an update', () => {
  const limited = (limits: JsonObject): RunningParts => ({
    containers: [main({ resources: { requests: { cpu: '1' }, limits } })],
  });
  const restarting = { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] };
  const guaranteed = {
    containers: [main({ resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } } })],
  };
  const listing = { protectOperations: ['RESIZE'] };
  const staticPod = { annotations: { 'kubernetes.io/config.source': 'file' } };

  type UpdateRow = [
    string,
    { from?: RunningParts; to: RunningParts; spec?: JsonObject; cluster?: Protection; more?: JsonObject },
    string,
  ];
  test.each<UpdateRow>([
    ['of labels and annotations', { to: { labels: { a: 'b' }, annotations: { c: 'd' } } }, 'free'],
    [
      'that adds an unavailable label',
      { to: { labels: { 'unavailable-pod.kruise.io/a': 'b' } } },
      'charged in unavailablePods',
    ],
    [
      'that drops the annotations and the image',
      { to: { ...DISRUPTIVE_UPDATE, metadata: { annotations: {} } } },
      'charged in unavailablePods',
    ],
    ['of a toleration', { to: { spec: { tolerations: [{ operator: 'Exists' }] } } }, 'charged in unavailablePods'],
    ['to empty lists', { to: { spec: { tolerations: [], nodeSelector: {}, affinity: null } } }, 'free'],
    [
      'of the order of members',
      { to: { containers: [{ resources: {}, image: 'registry.example.com/web:1', name: 'main' }] } },
      'free',
    ],
    ['of how an amount is written', { from: resized('1'), to: resized('1000m') }, 'free'],
    ['of cpu', { from: resized('1'), to: resized('2') }, 'charged in disruptedPods'],
    ['of cpu, told apart', { from: resized('1'), to: resized('2'), cluster: scaling }, 'free'],
    [
      'of cpu, listed',
      { from: resized('1'), to: resized('2'), cluster: scaling, spec: listing },
      'charged in disruptedPods',
    ],
    [
      'of cpu, listed without the gate',
      { from: resized('1'), to: resized('2'), spec: listing },
      'charged in disruptedPods',
    ],
    ['of the image, where RESIZE is listed', { to: DISRUPTIVE_UPDATE, spec: listing }, 'free'],
    [
      'of cpu with a restart',
      { from: resized('1', restarting), to: resized('2', restarting), cluster: scaling },
      'charged in unavailablePods',
    ],
    ['to another class', { to: guaranteed, cluster: scaling }, 'charged in unavailablePods'],
    [
      'of ephemeral storage',
      { from: resized('1'), to: limited({ 'ephemeral-storage': '1Gi' }), cluster: scaling },
      'charged in unavailablePods',
    ],
    [
      'of a static pod',
      { from: { ...resized('1'), ...staticPod }, to: { ...resized('2'), ...staticPod }, cluster: scaling },
      'charged in unavailablePods',
    ],
    ['of cpu by the sub-resource', { from: resized('1'), to: resized('2'), more: { subResource: 'resize' } }, 'free'],
    [
      'of cpu by the sub-resource, listed',
      { from: resized('1'), to: resized('2'), more: { subResource: 'resize' }, spec: listing },
      'charged in disruptedPods',
    ],
    ['of the status', { to: { status: { phase: 'Failed' } }, more: { subResource: 'status' } }, 'free'],
    ['without options', { to: DISRUPTIVE_UPDATE, more: { options: null } }, 'charged in unavailablePods'],
  ])('%s', (_what, { from = {}, to, spec = {}, cluster = byDefault, more = {} }, expected) => {
    const held = protecting({ spec });
    cluster.hold(held);
    expect(outcome(cluster.update(running(from), running(to), more), cluster, held)).toBe(expected);
  });

  test('that stamps the pod and changes it passes', () => {
    const cluster = byDefault.hold(protecting({ status: NOTHING_LEFT }));
    const unstamped = running({ metadata: { annotations: {} } });
    expect(cluster.update(unstamped, running(DISRUPTIVE_UPDATE)).allowed).toBe(true);
  });

  test('that takes the unavailable label away passes', () => {
    const cluster = byDefault.hold(protecting({ status: NOTHING_LEFT }));
    expect(cluster.update(running({ labels: { 'unavailable-pod.kruise.io/a': '' } }), running()).allowed).toBe(true);
  });
});

describe('a dry run takes nothing and is decided like any other:', () => {
  const all = { dryRun: ['All'] };
  const spellings: [string, (cluster: Protection) => Verdict][] = [
    ['the request says so', (cluster) => cluster.delete(running(), { dryRun: true })],
    ['options of a deletion', (cluster) => cluster.delete(running(), { options: all })],
    ['options of an update', (cluster) => cluster.update(running(), running(DISRUPTIVE_UPDATE), { options: all })],
    [
      'an update whose request says so',
      (cluster) => cluster.update(running(), running(DISRUPTIVE_UPDATE), { dryRun: true }),
    ],
    ['delete options of an eviction', (cluster) => cluster.evict(running(), { deleteOptions: all })],
    ['options of an eviction', (cluster) => cluster.evict(running(), {}, { options: all })],
    ['an eviction whose request says so', (cluster) => cluster.evict(running(), {}, { dryRun: true })],
  ];

  test.each(spellings)('%s', (_what, send) => {
    const held = protecting();
    const cluster = byDefault.hold(held, running());
    expect(send(cluster).allowed).toBe(true);
    expect(cluster.status).toEqual(held.status);
    cluster.hold(protecting({ status: NOTHING_LEFT }), running());
    expect(send(cluster)).toMatchObject({ code: 403, message: expect.stringMatching('allowed is negative') });
  });

  test('empty lists are no dry run', () => {
    const cluster = byDefault.hold(protecting(), running());
    expect(cluster.evict(running(), { deleteOptions: { dryRun: [] } }, { options: { dryRun: null } }).allowed).toBe(
      true,
    );
    expect(cluster.status.unavailableAllowed).toBe(0);
  });
});

describe('a request', () => {
  test('to evict a pod that is not there is an error', () => {
    expect(byDefault.hold(protecting()).evict(running({ name: 'web-9' }))).toMatchObject({
      code: 400,
      message: 'Pod "web-9" not found',
    });
  });

  test('to evict is about the live pod', () => {
    const live = running({ metadata: { deletionTimestamp: TIME } });
    expect(byDefault.hold(protecting({ status: NOTHING_LEFT }), live).evict(running()).allowed).toBe(true);
  });

  test.each<[string, JsonObject]>([
    ['to delete a sub-resource', { operation: 'DELETE', object: null, subResource: 'status' }],
    ['to delete nothing that is told', { operation: 'DELETE', object: null, oldObject: null }],
    ['to bind', { operation: 'CREATE', object: { kind: 'Binding' }, oldObject: null, subResource: 'binding' }],
    ['to create', { operation: 'CREATE', object: running(), oldObject: null }],
    ['to connect', { operation: 'CONNECT', object: { kind: 'PodExecOptions' }, oldObject: null, subResource: 'exec' }],
    [
      'about something else',
      { operation: 'DELETE', object: null, resource: { group: 'apps', version: 'v1', resource: 'deployments' } },
    ],
  ])('%s passes', (_what, parts) => {
    const held = protecting();
    const cluster = byDefault.hold(held);
    expect(cluster.review({ oldObject: running(), ...parts }, running()).allowed).toBe(true);
    expect(cluster.status).toEqual(held.status);
  });

  const wrong = (change: JsonObject): JsonObject => ({ ...running(), ...change });
  test.each<[string, JsonObject, string]>([
    ['a pod that is a text', { operation: 'DELETE', object: null, oldObject: 'web-0' }, 'cannot unmarshal string'],
    ['a status that is a list', { operation: 'DELETE', object: null, oldObject: wrong({ status: [] }) }, 'Pod.status'],
    [
      'conditions that are texts',
      { operation: 'DELETE', object: null, oldObject: running({ status: { conditions: ['Ready'] } }) },
      'status.conditions',
    ],
    [
      'a phase that is a number',
      { operation: 'DELETE', object: null, oldObject: running({ status: { phase: 1 } }) },
      'status.phase',
    ],
    ['a dry run that is a text', { operation: 'DELETE', object: null, options: { dryRun: 'All' } }, 'dryRun'],
    ['an update of nothing', { operation: 'UPDATE', object: running(), oldObject: null }, 'request.oldObject'],
    [
      'an eviction with a wrong dry run',
      { operation: 'CREATE', subResource: 'eviction', object: { deleteOptions: { dryRun: true } } },
      'dryRun',
    ],
  ])('with %s is refused', (_what, parts, field) => {
    const cluster = byDefault.hold(protecting(), running());
    const verdict = cluster.review({ oldObject: running(), ...parts }, running());
    expect(verdict).toMatchObject({ allowed: false, code: 400, message: expect.stringContaining(field) });
  });
});
