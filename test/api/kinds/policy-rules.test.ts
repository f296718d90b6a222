// Rules of SidecarSet, WorkloadSpread, PodUnavailableBudget and ResourceDistribution that show where they meet: limits of
// numbers, several faults at once and their order, both versions.
import { describe } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { sidecarSet } from '../../../api/kinds/sidecarset/kind.ts';
import { workload } from '../../support/builders/workload.ts';
import { changed, holdRules, type Rule, stored, withoutEmpties } from '../../support/rule-table.ts';

const versions = ['v1alpha1', 'v1beta1'];
const selector = { matchLabels: { app: 'web' } };
const object = (kind: string, spec: JsonObject, { version = 'v1beta1', ...metadata }: JsonObject = {}): JsonObject => ({
  apiVersion: `${kind === 'PodUnavailableBudget' ? 'policy' : 'apps'}.kruise.io/${version}`,
  kind,
  metadata: { name: 'a', ...metadata },
  spec,
});

describe('a SidecarSet', () => {
  const log = { name: 'log', image: 'log:1' };
  const set = (spec: JsonObject, metadata: JsonObject = {}) =>
    object('SidecarSet', { selector, containers: [log], ...spec }, metadata);
  const other = (spec: JsonObject, metadata: JsonObject = {}) =>
    sidecarSet.applyDefaults(set(spec, { name: 'other', ...metadata }), 'v1beta1', { gates: new Map() });
  const canary = (base: string) => ({
    annotations: { 'apps.kruise.io/sidecarset-canary': 'true', 'apps.kruise.io/sidecarset-base': base },
  });
  const notUpdate = { updateStrategy: { type: 'NotUpdate' } };
  const paths = (...fieldPaths: string[]) =>
    set({
      containers: [
        {
          ...log,
          transferEnv: fieldPaths.map((fieldPath) => ({
            envName: 'A',
            sourceContainerNameFrom: { fieldRef: { fieldPath } },
          })),
        },
      ],
    });
  const patching = (patchPolicy: string) => ({ patchPodMetadata: [{ annotations: { a: '1' }, patchPolicy }] });
  const fieldPath = 'spec[0].transferEnv.fieldRef';
  holdRules([
    { rule: 'may have what its base has', object: set(notUpdate, canary('other')), cluster: [other({})] },
    {
      rule: 'is no canary of a canary',
      object: set(notUpdate, canary('other')),
      cluster: [other(notUpdate, canary('base')), other({}, { name: 'base' })],
      errors: ['metadata: Invalid value'],
    },
    {
      rule: 'becomes no canary later',
      object: stored(set(notUpdate, canary('other'))),
      before: stored(set(notUpdate)),
      cluster: [other({})],
      errors: ['metadata: Invalid value'],
    },
    {
      rule: 'of v1alpha1 has its namespace in place of its selector of namespaces',
      object: set({ namespace: 'a', namespaceSelector: {} }, { version: 'v1alpha1' }),
    },
    {
      rule: 'of v1alpha1 is told of its namespace as of a label',
      object: set({ namespace: 'a b' }, { version: 'v1alpha1' }),
      errors: ['spec.namespaceSelector.matchLabels: Invalid value', 'spec.namespaceSelector.selector: Invalid value'],
    },
    {
      rule: 'of v1alpha1 shares no pod with a set of another namespace',
      object: set({ namespace: 'a' }, { version: 'v1alpha1' }),
      cluster: [other({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'b' } } })],
    },
    {
      rule: 'takes names of containers from labels and annotations alone',
      object: paths("metadata.annotations['A/B']", "metadata.labels['a b']", 'metadata.labels', 'spec.nodeName', ''),
      errors: [
        `${fieldPath}: Invalid value`,
        `${fieldPath}.fieldPath: Invalid value`,
        `${fieldPath}.fieldPath: Invalid value`,
        `${fieldPath}.fieldPath: Required value`,
      ],
    },
    {
      rule: 'has no partition beside a selector, nor one of nothing in percent',
      object: set({ updateStrategy: { selector, partition: '0%' } }),
      errors: ['updateStrategy: Invalid value'],
    },
    {
      rule: 'may have a selector beside a partition of 0',
      object: set({ updateStrategy: { selector, partition: 0 } }),
    },
    ...(['Overwrite', 'MergePatchJson', 'Retain'] as const).map(
      (policy): Rule => ({
        rule: `that writes an annotation with ${policy} meets one that overwrites it`,
        object: set({ containers: [{ ...log, name: 'b' }], ...patching(policy) }),
        cluster: [other(patching('Overwrite'))],
        ...(policy !== 'Retain' && { errors: ['spec.patchPodMetadata: Invalid value'] }),
      }),
    ),
    {
      rule: 'is told of every name that another set has',
      object: set({ initContainers: [{ name: 'i', image: 'i' }], volumes: [{ name: 'v' }], ...patching('Overwrite') }),
      cluster: [
        other({
          initContainers: [{ name: 'i', image: 'j' }],
          volumes: [{ name: 'v', hostPath: { path: '/' } }],
          ...patching('MergePatchJson'),
        }),
      ],
      errors: ['containers', 'containers', 'volumes', 'patchPodMetadata'].map(
        (member) => `spec.${member}: Invalid value`,
      ),
    },
  ]);
});

describe('a WorkloadSpread', () => {
  const spread = (subsets: JsonObject[], rest: JsonObject = {}, metadata: JsonObject = {}) => {
    const targetRef = { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web' };
    return object('WorkloadSpread', { targetRef, subsets, ...rest }, { namespace: 'shop', ...metadata });
  };
  const subsets = (...amounts: (number | string | undefined)[]) =>
    amounts.map((amount, i) => ({ name: `s${i}`, ...(amount !== undefined && { maxReplicas: amount }) }));
  const within = (count: number, rescheduleCriticalSeconds: number) =>
    spread(subsets(...Array<undefined>(count)), {
      scheduleStrategy: { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds } },
    });
  const seconds = 'spec.scheduleStrategy.adaptive.rescheduleCriticalSeconds';
  const patched = (patch: JsonObject) => spread([{ name: 'a', patch }, { name: 'b' }]);
  const set = workload('CloneSet', { spec: { volumeClaimTemplates: [{ metadata: { name: 'data' } }] } });
  const mounting = (name: string) =>
    patched({ spec: { containers: [{ name: 'app', volumeMounts: [{ name, mountPath: '/x' }] }] } });
  const first = 'spec.subsets[0].maxReplicas: Invalid value';
  holdRules([
    { rule: 'may open any subset but the first', object: spread(subsets('60%', '40%', undefined)) },
    { rule: 'may leave nothing over', object: spread(subsets('60%', '40%')) },
    {
      rule: 'leaves over what its last subset takes',
      object: spread(subsets('60%', undefined, '30%')),
      errors: [first],
    },
    { rule: 'with one subset in percent takes all', object: spread(subsets('50%')), errors: [first] },
    ...['+100%', '0100%', '100%'].map((amount): Rule => ({ rule: `takes ${amount}`, object: spread(subsets(amount)) })),
    { rule: 'takes -0%', object: spread(subsets('-0%', undefined)) },
    ...[' 5%', '5 %', '5%%', '%5', '+5', '5', '%', '', '-1%', '1e1%', '5.0%', '+-5%'].map(
      (amount): Rule => ({
        rule: `does not take ${JSON.stringify(amount)}`,
        object: spread(subsets(amount, undefined)),
        errors: [first],
      }),
    ),
    ...['5', '+5', '5%%', '%5'].map(
      (amount): Rule => ({
        rule: `keeps ${amount}, which means nothing, where OpenKruise has admitted it`,
        object: stored(spread(subsets(amount, undefined), {}, { labels: { a: 'b' } })),
        before: stored(spread(subsets(amount, undefined))),
      }),
    ),
    {
      rule: 'keeps nothing that OpenKruise would not have admitted',
      object: stored(spread(subsets(' 5%', undefined))),
      before: stored(spread(subsets(' 5%', undefined))),
      errors: [first],
    },
    {
      rule: 'is told of nothing behind a wrong number',
      object: spread([{ name: 'a', maxReplicas: -1 }, { name: 'a' }, {}]),
      errors: [first],
    },
    {
      rule: 'of a StatefulSet is told that types differ before that one is wrong',
      object: spread(subsets(2, '30%'), { targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web' } }),
      errors: 'spec.subsets[1].maxReplicas: Invalid value: "30%": the maxReplicas type of all subsets must be the same',
    },
    ...[
      [2, 295],
      [7, 49],
      [297, 0],
    ].flatMap(([count = 0, limit = 0]): Rule[] => [
      { rule: `of ${count} subsets waits ${limit} seconds`, object: within(count, limit) },
      {
        rule: `of ${count} subsets waits no longer than ${limit} seconds`,
        object: within(count, limit + 1),
        errors: `${seconds}: Invalid value: ${limit + 1}: rescheduleCriticalSeconds < 0 or rescheduleCriticalSeconds > ${limit} is not permitted`,
      },
    ]),
    { rule: 'may patch mounts of claims', object: mounting('data'), cluster: [set] },
    {
      rule: 'is told of a pod that cannot be, below the patch',
      object: mounting('logs'),
      cluster: [set],
      errors: 'spec.subsets[0].patch.containers[0].volumeMounts[0].name: Not found: "logs"',
    },
    { rule: 'may patch what is not there yet', object: patched({ spec: { containers: 5 } }) },
    {
      rule: 'is in the way of another one that is being deleted',
      object: spread(subsets(1)),
      cluster: [spread([], {}, { name: 'o', uid: 'o', deletionTimestamp: '2026-01-01T00:00:00Z' })],
      errors: ['spec.targetRef: Invalid value'],
    },
    {
      rule: 'is told of its target again behind the rest, and of its labels',
      object: changed(stored(spread(subsets(-1), {}, { labels: { 'a b': 'c' } })), {
        spec: { targetRef: { name: 'x' } },
      }),
      before: stored(spread(subsets(1))),
      errors: [first, 'metadata.labels: Invalid value', 'spec.targetRef: Invalid value'],
    },
  ]);
});

describe('a PodUnavailableBudget', () => {
  const TOTAL = 'pub.kruise.io/protect-total-replicas';
  const budget = (spec: JsonObject, metadata: JsonObject = {}) =>
    object('PodUnavailableBudget', spec, { namespace: 'shop', ...metadata });
  const selecting = (...matchExpressions: JsonObject[]) =>
    budget({ selector: { matchExpressions }, maxUnavailable: 1 });
  const app = (operator: string, ...values: string[]) => ({ key: 'app', operator, ...(values[0] && { values }) });
  const total = (text: string, protectTotalReplicas?: number) =>
    budget(
      { selector, maxUnavailable: 1, ...(protectTotalReplicas !== undefined && { protectTotalReplicas }) },
      { annotations: { [TOTAL]: text } },
    );
  const fault = (text: string, detail: string) => `metadata.annotations[${TOTAL}]: Invalid value: "${text}": ${detail}`;
  const meets = (one: JsonObject, another: JsonObject, inTheWay: boolean): Rule => ({
    rule: `for ${JSON.stringify(one)} meets one for ${JSON.stringify(another)}`,
    object: selecting(one),
    cluster: [changed(selecting(another), { metadata: { name: 'other', uid: 'o' } })],
    ...(inTheWay && { errors: ['spec.selector: Invalid value'] }),
  });
  holdRules([
    ...versions.map(
      (version): Rule => ({
        rule: `of ${version} says for which pods and how many`,
        object: budget({}, { version }),
        errors:
          '[spec.selector, targetRef: Required value: no selector or targetRef defined in PodUnavailableBudget, spec.maxUnavailable, minAvailable: Required value: no maxUnavailable or minAvailable defined in PodUnavailableBudget]',
      }),
    ),
    { rule: 'may have one number twice', object: total('0', 0) },
    {
      rule: 'has a number in the annotation, if there is one',
      object: total(''),
      errors: fault('', 'must be a valid int32'),
    },
    {
      rule: 'has the number as the member would be written',
      object: total('+5', 5),
      errors: fault('+5', 'must match spec.protectTotalReplicas when both are set'),
    },
    {
      rule: 'of v1alpha1 too has the number as the member would be written',
      object: changed(total('015'), { apiVersion: 'policy.kruise.io/v1alpha1' }),
      errors: fault('015', 'must match spec.protectTotalReplicas when both are set'),
    },
    {
      rule: 'is told of numbers first, then of pods, budget, operations and pods left out',
      object: budget(
        {
          selector,
          targetRef: {},
          maxUnavailable: 1,
          minAvailable: 1,
          protectOperations: ['x'],
          ignoredPodSelector: {},
          protectTotalReplicas: 3,
        },
        { annotations: { [TOTAL]: '4' } },
      ),
      errors: [
        `metadata.annotations[${TOTAL}]: Invalid value`,
        'spec.selector, targetRef: Required value',
        'spec.maxUnavailable, minAvailable: Required value',
        'spec.protectOperations[0]: Unsupported value',
        'spec.ignoredPodSelector: Invalid value',
      ],
    },
    {
      rule: 'may have metadata that only the API server looks at',
      object: changed(stored(budget({ selector, minAvailable: '50%' })), { metadata: { resourceVersion: undefined } }),
      before: stored(budget({ selector, maxUnavailable: 1 })),
    },
    ...versions.flatMap((version) =>
      [
        { matchLabels: { app: 'web' }, matchExpressions: [] },
        { matchExpressions: [app('In', 'web')], matchLabels: {} },
        { matchExpressions: [{ key: 'app', operator: 'Exists', values: [] }] },
      ].map(
        (given): Rule => ({
          rule: `of ${version} keeps ${JSON.stringify(given)}, also where it is empty`,
          object: stored(budget({ selector: withoutEmpties(given), maxUnavailable: 1 }, { version })),
          before: stored(budget({ selector: given, maxUnavailable: 1 }, { version })),
          errors: ['spec.selector, targetRef: Required value'],
        }),
      ),
    ),
    {
      rule: 'may stay with an empty list in its selector',
      object: stored(budget({ selector: { ...selector, matchExpressions: [] }, maxUnavailable: 2 })),
      before: stored(budget({ selector: { ...selector, matchExpressions: [] }, maxUnavailable: 1 })),
    },
    meets(app('In', 'a', 'b'), app('In', 'b', 'c'), true),
    meets(app('In', 'a'), app('NotIn', 'a', 'b'), false),
    meets(app('Exists'), app('DoesNotExist'), false),
    meets(app('NotIn', 'a'), app('DoesNotExist'), true),
    meets(app('NotIn', 'a'), app('NotIn', 'a'), true),
    meets(app('Exists'), { key: 'tier', operator: 'Exists' }, false),
  ]);
});

describe('a ResourceDistribution', () => {
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: 'b' } };
  const distribution = (resource: JsonObject, targets: JsonObject = {}) =>
    object('ResourceDistribution', { resource: changed(map, resource), targets });
  const names = (...list: string[]) => ({ list: list.map((name) => ({ name })) });
  const stays = 'spec.resource: Invalid value: "null": resource apiVersion, kind, and name are immutable';
  holdRules([
    { rule: 'may have a resource with a namespace', object: distribution({ metadata: { namespace: 'A_b' } }) },
    {
      rule: 'tries its resource: what is secret is in base64',
      object: distribution({ kind: 'Secret', data: { a: 'not base64!' } }),
      errors: ['spec.resource: Invalid value'],
    },
    {
      rule: 'has a resource of the core group',
      object: distribution({ apiVersion: 'apps/v1' }),
      errors:
        'spec.resource: Invalid value: ConfigMap.apps: unknown or unsupported resource GroupKind, only support [Secret ConfigMap]',
    },
    {
      rule: 'is told of all its targets, names in both lists once',
      object: distribution(
        {},
        {
          includedNamespaces: names('A', 'x', 'y', 'y'),
          excludedNamespaces: names('b.c', 'y', 'x'),
          namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'X' }] },
        },
      ),
      errors: ['includedNamespaces', 'excludedNamespaces', '', 'namespaceSelector'].map(
        (member) => `spec.targets${member === '' ? '' : `.${member}`}: Invalid value`,
      ),
    },
    ...[{ apiVersion: 'v2' }, { kind: 'Secret' }, { metadata: { name: 'd' } }].map(
      (change: JsonObject): Rule => ({
        rule: `keeps ${Object.keys(change).join()} of its resource`,
        object: stored(distribution(change)),
        before: stored(distribution({})),
        errors: stays,
      }),
    ),
    {
      rule: 'is told that a kind cannot be before that kinds stay',
      object: stored(distribution({ kind: 'Pod' })),
      before: stored(distribution({})),
      errors:
        'spec.resource: Invalid value: Pod: unknown or unsupported resource GroupKind, only support [Secret ConfigMap]',
    },
    {
      rule: 'may change labels and data of its resource',
      object: stored(distribution({ metadata: { labels: { a: 'b' } }, data: { c: 'd' } })),
      before: stored(distribution({})),
    },
  ]);
});
