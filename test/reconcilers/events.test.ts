// The Events and metrics by which people, and what they have set up, know the controllers (sidecarset 7.10,
// podunavailablebudget 9, workloadspread 5.10, operations 11.2).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { CLIENT_METRICS } from '../../kube/client-metrics.ts';
import type { EventRow } from '../../kube/event-rows.ts';
import type { KubeObject } from '../../kube/objects.ts';
import type { Plan, PlannedEvent } from '../../kube/plan.ts';
import { EVENTS } from '../../reconcilers/events.ts';
import { LOOP_METRICS } from '../../reconcilers/loop/metrics.ts';
import { PROGRAM_METRICS } from '../../reconcilers/metrics.ts';
import { injectedPod, storedSet } from '../support/builders/injected-pod.ts';
import * as budgets from './podunavailablebudget/support.ts';
import * as sidecars from './sidecarset/state.ts';
import * as spreads from './workloadspread/support.ts';

/** All that a plan tells, also when what it does is refused. */
function told({ groups }: Plan): PlannedEvent[] {
  return groups.flat().flatMap((effect) => {
    if (effect.type === 'event') return [effect];
    return 'onRefusal' in effect && effect.onRefusal !== undefined ? [effect.onRefusal] : [];
  });
}

const HOT = { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'e:1' };
const logs = (container: JsonObject, more: JsonObject = {}): KubeObject =>
  storedSet('logs', { containers: [{ name: 'log', image: 'l:1', ...container }], ...more });
const refusing = { patchPodMetadata: [{ patchPolicy: 'MergePatchJson', annotations: { json: '{}' } }] };
const taken = () => {
  const hot = logs({ upgradeStrategy: HOT });
  const pod = injectedPod('p', hot);
  const containers = pod.spec.containers.map((one) => (one.name === 'log-2' ? { ...one, image: 'l:1' } : one));
  const statuses = (pod.status?.containerStatuses ?? []).map((one) =>
    one.name === 'log-2' ? { ...one, image: 'l:1' } : one,
  );
  const annotations = {
    ...pod.metadata.annotations,
    'kruise.io/sidecarset-working-hotupgrade-container': '{"log":"log-2"}',
  };
  const metadata = { ...pod.metadata, annotations };
  const status = { ...pod.status, containerStatuses: statuses };
  return sidecars.plan(hot, [{ ...pod, metadata, spec: { ...pod.spec, containers }, status } as typeof pod]);
};
const budgetOf = (spec: JsonObject, status?: JsonObject) => budgets.budget({ ...budgets.SELECTOR, ...spec }, status);
const stuck = {
  node: '',
  phase: 'Pending',
  createdAgo: 60,
  status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] },
};
const strategy = { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 20 } };
const ledger = (more: JsonObject) => ({
  status: { versionedSubsetStatuses: { versionIgnored: [{ name: 'a', replicas: 1, missingReplicas: 1, ...more }] } },
});
const avoided = {
  type: 'Schedulable',
  status: 'False',
  reason: 'PodUnschedulable',
  message: '',
  lastTransitionTime: spreads.ago(301),
};

type Case = [row: EventRow, plan: () => Plan, on: string, message: RegExp];
const cases: Case[] = [
  [
    EVENTS.notUpgradable,
    () =>
      sidecars.plan(
        logs({ env: [{ name: 'A', value: '1' }] }),
        ['x', 'y'].map((name) => injectedPod(name, logs({}))),
      ),
    'SidecarSet logs',
    /^2 pods cannot be upgraded in place/,
  ],
  [
    EVENTS.metadataFailed,
    () => sidecars.plan(logs({ image: 'l:2' }, refusing), [injectedPod('p', logs({}), { annotations: { json: 'x' } })]),
    'Pod p',
    /^SidecarSet logs cannot upgrade the pod: annotation json/,
  ],
  [EVENTS.resetSucceeded, taken, 'Pod p', /are reset to the empty image$/],
  [EVENTS.resetFailed, taken, 'Pod p', /cannot be reset to the empty image$/],
  [EVENTS.noPods, () => budgets.planFor([budgetOf({ maxUnavailable: 1 })]), 'PodUnavailableBudget web-pub', /no pods/],
  [
    EVENTS.notDeleted,
    () =>
      budgets.planFor([
        budgetOf({ maxUnavailable: 1 }, { disruptedPods: { 'web-0': budgets.ago(30) } }),
        ...budgets.deployment(1, 1),
      ]),
    'Pod web-0',
    /PodUnavailableBudget shop\/web-pub/,
  ],
  [
    EVENTS.countFailed,
    () => budgets.planFor([budgetOf({ maxUnavailable: 'many' }), ...budgets.deployment(1, 1)]),
    'PodUnavailableBudget web-pub',
    /"many"/,
  ],
  [
    EVENTS.createFailed,
    () =>
      spreads.planFor([
        spreads.spreadOf([['a', 2]], ledger({ creatingPods: { never: spreads.ago(31) } })),
        spreads.cloneSet(2),
      ]),
    'WorkloadSpread spread',
    /^pod never of subset a /,
  ],
  [
    EVENTS.deleteFailed,
    () =>
      spreads.planFor([
        spreads.spreadOf([['a', 2]], ledger({ deletingPods: { 'a-0': spreads.ago(16) } })),
        spreads.cloneSet(2),
        ...spreads.podsIn('a', 1),
      ]),
    'WorkloadSpread spread',
    /^pod a-0 of subset a .* still there$/,
  ],
  [
    EVENTS.deleteFailed,
    () =>
      spreads.planFor([
        spreads.spreadOf([['a', 2], ['b']], { strategy }),
        spreads.cloneSet(2),
        spreads.podIn('a', 'p', stuck),
      ]),
    'WorkloadSpread spread',
    /^pod p, .* is not deleted$/,
  ],
  [
    EVENTS.costFailed,
    () => spreads.planFor([spreads.spreadOf([['a', 2]]), spreads.cloneSet(2), ...spreads.podsIn('a', 1)]),
    'WorkloadSpread spread',
    /deletion cost 100 of pod a-0/,
  ],
  [
    EVENTS.recovered,
    () => {
      const subsetStatuses = [{ name: 'a', replicas: 0, missingReplicas: 2, conditions: [avoided] }];
      const about = spreads.spreadOf([['a', 2], ['b']], { strategy, status: { subsetStatuses } });
      return spreads.planFor([about, spreads.cloneSet(2)]);
    },
    'WorkloadSpread spread',
    /subset a again$/,
  ],
];

describe('an event', () => {
  test.each(cases)('$reason is recorded on $on', (row, plan, on, message) => {
    const [found] = told(plan()).filter(({ reason, message: text }) => reason === row.reason && message.test(text));
    expect(found).toBeDefined();
    expect(found?.eventType).toBe(row.eventType);
    expect(`${found?.regarding.kind} ${found?.regarding.metadata.name}`).toBe(on);
    expect(on.startsWith(row.on)).toBe(true);
  });

  test('has the reason and type that OpenKruise gives it', () => {
    const rows: EventRow[] = Object.values(EVENTS);
    const typeOf = (reason: string) => rows.find((row) => row.reason === reason)?.eventType;
    const named = {
      NotUpgradablePods: 'Normal',
      ResetContainerSucceed: 'Normal',
      ResetContainerFailed: 'Warning',
      NotDeleted: 'Warning',
      NoPods: 'Normal',
      CalculateExpectedPodCountFailed: 'Warning',
      CreatePodFailed: 'Warning',
      DeletePodFailed: 'Warning',
      PatchPodDeletionCostFailed: 'Warning',
      RecoverSchedulable: 'Normal',
    };
    expect(Object.fromEntries(Object.keys(named).map((reason) => [reason, typeOf(reason)]))).toEqual(named);
    expect(new Set(rows.map(({ reason }) => reason)).size).toBe(rows.length);
  });
});

test('metrics have the names and labels that dashboards know', () => {
  const rows = [LOOP_METRICS, PROGRAM_METRICS, CLIENT_METRICS].flatMap((table) => Object.values(table));
  const labels = Object.fromEntries(rows.map((row) => [row.name, [...row.labels].sort().join(',')]));
  expect(labels).toMatchObject({
    kruise_manager_is_leader: '',
    leader_election_master_status: 'name',
    controller_runtime_reconcile_total: 'controller,result',
    controller_runtime_reconcile_errors_total: 'controller',
    controller_runtime_reconcile_time_seconds: 'controller',
    controller_runtime_max_concurrent_reconciles: 'controller',
    controller_runtime_active_workers: 'controller',
    controller_runtime_reconcile_panics_total: 'controller',
    controller_runtime_terminal_reconcile_errors_total: 'controller',
    workqueue_depth: 'name',
    workqueue_adds_total: 'name',
    workqueue_queue_duration_seconds: 'name',
    workqueue_work_duration_seconds: 'name',
    workqueue_unfinished_work_seconds: 'name',
    workqueue_longest_running_processor_seconds: 'name',
    workqueue_retries_total: 'name',
    rest_client_requests_total: 'code,host,method',
  });
});
