// The rules of a SidecarSet, one by one (sidecarset 4, 6.1, 12, 14 C).
import { beforeAll, describe, expect, test } from 'vitest';
import { aggregate, formatFieldError } from '../../../../api/core/field-error.ts';
import type { Json, JsonObject } from '../../../../api/core/json.ts';
import { sidecarSet } from '../../../../api/kinds/sidecarset/kind.ts';
import { validateSidecarSet } from '../../../../api/kinds/sidecarset/validation.ts';
import { Policies } from '../../../../evaluator/policies.ts';
import { cluster, stored } from './cluster.ts';

type Spec = { [member: string]: Json };

const GATE = 'SidecarSetPatchPodMetadataDefaultsAllowed';
const container = (name: string, members: JsonObject = {}): JsonObject => ({
  name,
  image: `example.com/${name}:1`,
  ...members,
});

let policies: Policies;
beforeAll(async () => {
  policies = await Policies.load();
});

/** The errors of creating a set in a cluster; gates are off. */
function faults(set: JsonObject, objects: JsonObject[] = [], old?: JsonObject): string[] {
  return validateSidecarSet(set, old, cluster(objects, policies)).map(formatFieldError);
}
const faultsOf = (spec: Spec) => faults(stored('logs', spec));

describe('the name of a SidecarSet', () => {
  test.each(['logs', 'Log-Agent', '0', 'a'.repeat(63)])('may be %s', (name) => {
    expect(faults(stored(name))).toEqual([]);
  });
  test('has no dots (C1)', () => {
    expect(faults(stored('log.agent'))).toEqual([
      `metadata.name: Invalid value: "log.agent": sidecarset name must consist of alphanumeric characters or '-' (e.g. 'example-com', regex used for validation is '^[a-zA-Z0-9\\-]+$')`,
    ]);
  });
  test('has at most 63 characters', () => {
    const name = 'a'.repeat(64);
    expect(faults(stored(name))).toEqual([
      `metadata.name: Invalid value: "${name}": must be no more than 63 characters`,
    ]);
  });
  test('stands in no namespace', () => {
    expect(faults(stored('a', {}, { namespace: 'n' }))).toEqual([
      'metadata.namespace: Forbidden: not allowed on this type',
    ]);
  });
});

describe('selectors', () => {
  test('must be there (C2)', () => {
    expect(faultsOf({ selector: null })).toEqual(['spec.selector: Required value: no selector defined for SidecarSet']);
  });
  test('must not be empty (C3), neither must that of namespaces', () => {
    expect(faultsOf({ selector: {}, namespaceSelector: {} })).toEqual(
      ['selector', 'namespaceSelector'].map(
        (name) => `spec.${name}: Invalid value: {}: empty selector is not valid for sidecarset.`,
      ),
    );
  });
  test('that cannot be used are reported twice', () => {
    expect(faultsOf({ namespaceSelector: { matchExpressions: [{ key: 'env', operator: 'In' }] } })).toEqual([
      "spec.namespaceSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      expect.stringMatching(/^spec.namespaceSelector.selector: Invalid value: \{.*\}$/),
    ]);
  });
});

describe('init containers that restart', () => {
  const spec = { initContainers: [container('agent', { restartPolicy: 'Always' })] };
  test('are not upgraded in running pods (C4)', () => {
    expect(faultsOf(spec)).toEqual([
      'spec.updateStrategy: Required value: The initContainer in-place upgrade is not currently supported.',
    ]);
  });
  test('are right if nothing is (C4)', () => {
    expect(faultsOf({ ...spec, updateStrategy: { type: 'NotUpdate' } })).toEqual([]);
  });
});

describe('the update strategy', () => {
  const selector = { matchLabels: { a: 'b' } };
  const of = (updateStrategy: JsonObject) => faultsOf({ updateStrategy });
  test.each<[Json, boolean]>([
    [10, false],
    ['0%', false],
    [0, true],
  ])('takes partition %j beside a selector: %j (C5)', (partition, right) => {
    const errors = of({ partition, selector });
    expect(errors).toEqual(
      right
        ? []
        : [
            expect.stringMatching(
              /^updateStrategy: Invalid value: \{.*\}: Partition and Selector cannot be used together$/,
            ),
          ],
    );
  });
  test.each(['5', -1, '-1%', 'x'])('takes no partition or maxUnavailable %j', (value) => {
    const errors = of({ partition: value, maxUnavailable: value });
    expect(errors.map((error) => error.slice(0, error.indexOf(': I')))).toEqual([
      'spec.updateStrategy.partition',
      'spec.updateStrategy.maxUnavailable',
    ]);
  });
  test.each([0, 5, '5%', '150%'])('takes maxUnavailable %j', (maxUnavailable) => {
    expect(of({ maxUnavailable })).toEqual([]);
  });
  test('orders pods by one right strategy', () => {
    expect(of({ priorityStrategy: { orderPriority: [{ orderedKey: '' }] } })).toEqual([
      'spec.updateStrategy.priorityStrategy: Required value: order key can not be empty',
    ]);
    expect(
      of({
        scatterStrategy: [
          { key: 'a', value: 'b' },
          { key: 'a', value: 'b' },
        ],
      }),
    ).toEqual(['spec.updateStrategy.scatterStrategy: Required value: duplicated key=a value=b']);
  });
  test('selects pods like any selector', () => {
    expect(of({ selector: {} })).toEqual([
      'spec.updateStrategy.selector: Invalid value: {}: empty selector is not valid for sidecarset.',
    ]);
  });
  test('is not looked at if nothing is updated', () => {
    expect(of({ type: 'NotUpdate', partition: -1, maxUnavailable: 'x', selector: {} })).toEqual([]);
  });
  test('has a known type', () => {
    expect(of({ type: 'Sometimes' })).toEqual([
      'spec.updateStrategy.type: Unsupported value: "Sometimes": supported values: "RollingUpdate", "NotUpdate"',
    ]);
  });
});

describe('containers', () => {
  const one = (members: JsonObject, spec: Spec = {}) => faultsOf({ containers: [container('a', members)], ...spec });
  test('must be there, of either kind', () => {
    expect(faultsOf({ containers: [] })).toEqual([
      'spec: Required value: no initContainer or container defined for SidecarSet',
    ]);
    expect(faultsOf({ containers: [], initContainers: [container('i')] })).toEqual([]);
  });
  test('go in front or behind, and share volumes or not', () => {
    expect(one({ podInjectPolicy: 'Middle', shareVolumePolicy: { type: 'maybe' } })).toEqual([
      'spec.container.podInjectPolicy: Invalid value: "Middle": unsupported pod inject policy',
      'spec.container.shareVolumePolicy: Invalid value: {"type":"maybe"}: unsupported share volume policy',
    ]);
    expect(
      faultsOf({
        initContainers: [container('i', { podInjectPolicy: 'Middle', shareVolumePolicy: { type: 'maybe' } })],
      }),
    ).toEqual([]);
  });
  test('share devices or not', () => {
    expect(one({ shareVolumeDevicePolicy: { type: 'sometimes' } })).toEqual([
      'spec.container.shareVolumeDevicePolicy: Unsupported value: "sometimes": supported values: "enabled", "disabled"',
    ]);
    expect(one({ shareVolumeDevicePolicy: {} })).toEqual([]);
  });
  test('have the rules of a pod, with its paths', () => {
    const initContainers = [container('a'), container('i', { livenessProbe: { exec: { command: ['x'] } } })];
    expect(one({ image: '', volumeMounts: [{ name: 'nowhere', mountPath: '/a' }] }, { initContainers })).toEqual([
      'spec.containers[0].image: Required value',
      'spec.containers[0].volumeMounts[0].name: Not found: "nowhere"',
      'spec.initContainers[0].name: Duplicate value: "a"',
      'spec.initContainers[1].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
    ]);
  });
  test('have images without blanks', () => {
    expect(one({ image: ' a' })).toEqual([
      'spec.containers[0].image: Invalid value: " a": must not have leading or trailing whitespace',
    ]);
  });
  test('mount volumes of the set only (C12)', () => {
    const volumeMounts = [{ name: 'v', mountPath: '/v' }];
    expect(one({ volumeMounts })).toEqual(['spec.containers[0].volumeMounts[0].name: Not found: "v"']);
    expect(one({ volumeMounts }, { volumes: [{ name: 'v', emptyDir: {} }] })).toEqual([]);
  });
  test.each([
    [
      'metadata.name',
      'spec[0].transferEnv.fieldRef.fieldPath: Invalid value: "metadata.name": error converting fieldPath: field label not supported: metadata.name',
    ],
    ['metadata.labels', expect.stringContaining('field label not supported: metadata.labels')],
    ["spec.x['a']", expect.stringContaining("field label does not support subscript: spec.x['a']")],
    ["metadata.labels['-']", expect.stringMatching(/^spec\[0\].transferEnv.fieldRef: Invalid value: "-": name part/)],
    ['', 'spec[0].transferEnv.fieldRef.fieldPath: Required value'],
    ["metadata.labels['main']", undefined],
    ["metadata.annotations['A.B/main']", undefined],
  ])('take environment from the container that %j names (C10)', (fieldPath, fault) => {
    const transferEnv = [{ sourceContainerNameFrom: { fieldRef: { fieldPath } }, envName: 'A' }];
    expect(one({ transferEnv })).toEqual(fault === undefined ? [] : [fault]);
  });
  test('need an image for the idle one of a hot pair', () => {
    const upgradeStrategy = { upgradeType: 'HotUpgrade' };
    expect(one({ upgradeStrategy })).toEqual([
      'spec.containers[0].upgradeStrategy.hotUpgradeEmptyImage: Required value: HotUpgrade needs an image for the idle container',
    ]);
    expect(one({ upgradeStrategy: { ...upgradeStrategy, hotUpgradeEmptyImage: 'e:1' } })).toEqual([]);
    expect(faultsOf({ initContainers: [container('i', { upgradeStrategy })] })).toEqual([]);
  });
});

describe('computed resources', () => {
  const policy = (members: JsonObject, more: JsonObject = {}) => {
    const resourcesPolicy = {
      targetContainersMode: 'sum',
      targetContainersNameRegex: '^app',
      resourcesExpr: { limits: { cpu: 'cpu*20%' } },
      ...members,
    };
    return container('a', { resourcesPolicy, ...more });
  };
  const of = (members: JsonObject, more?: JsonObject) => faultsOf({ containers: [policy(members, more)] });
  const at = 'spec[0].resourcesPolicy';
  test('may be a share of those of others', () => {
    expect(of({})).toEqual([]);
  });
  test('exclude own ones (E9)', () => {
    expect(of({ targetContainersNameRegex: '(' }, { resources: { requests: { cpu: '1' } } })).toEqual([
      expect.stringMatching(
        /^spec\[0\].resourcesPolicy: Invalid value: \{.*\}: resourcesPolicy and resources cannot be configured together$/,
      ),
    ]);
  });
  test('name their targets by a pattern', () => {
    expect(of({ targetContainersNameRegex: '' })).toEqual([
      `${at}.targetContainersNameRegex: Required value: targetContainersNameRegex cannot be empty`,
    ]);
    expect(of({ targetContainersNameRegex: '(' })).toEqual([
      expect.stringMatching(/^spec\[0\].resourcesPolicy.targetContainersNameRegex: Invalid value: "\("/),
    ]);
    expect(of({ targetContainersNameRegex: '(?=a)' })).toHaveLength(1);
  });
  test('need limits or requests', () => {
    expect(of({ resourcesExpr: {} })).toEqual([
      `${at}.resourcesExpr: Invalid value: {}: at least one of limits or requests must be configured`,
    ]);
  });
  test('are expressions with their own variable, not below 0 (E5)', () => {
    const resourcesExpr = { limits: { cpu: 'memory*2', memory: '' }, requests: { cpu: 'cpu*', memory: '50m - 100m' } };
    expect(of({ resourcesExpr })).toEqual([
      `${at}.resourcesExpr.limits.cpu: Invalid value: "memory*2": invalid expression: undefined variable: memory`,
      expect.stringMatching(
        /^spec\[0\].resourcesPolicy.resourcesExpr.requests.cpu: Invalid value: "cpu\*": invalid expression: /,
      ),
      `${at}.resourcesExpr.requests.memory: Invalid value: "50m - 100m": invalid expression: calculation result is negative: -50m`,
    ]);
  });
  test('are for init containers that restart only', () => {
    const initContainers = [{ ...policy({}), name: 'i' }];
    expect(faultsOf({ initContainers })).toEqual([
      expect.stringContaining('resourcesPolicy is only supported for containers with RestartPolicy Always'),
    ]);
    const restarting = initContainers.map((one) => ({ ...one, restartPolicy: 'Always' }));
    expect(faultsOf({ initContainers: restarting, updateStrategy: { type: 'NotUpdate' } })).toEqual([]);
  });
});

describe('the revision to inject', () => {
  const revision = (set: string, version: string, name = `${set}-1`, namespace = 'kruise-system'): JsonObject => ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name,
      namespace,
      labels: { 'kruise.io/sidecarset-name': set, 'apps.kruise.io/sidecarset-custom-version': version },
    },
  });
  const choosing = (choice: JsonObject) => stored('logs', { injectionStrategy: { revision: choice } });
  const missing = (name: string) =>
    `revision: Invalid value: "null": Cannot find specific ControllerRevision, err: ControllerRevision.apps "${name}" not found`;
  test('must be named', () => {
    expect(faults(choosing({ policy: 'Partial' }))).toEqual([
      'revision: Invalid value: {"policy":"Partial"}: revisionName and customVersion cannot be empty simultaneously',
    ]);
  });
  test('must exist (C14)', () => {
    expect(
      faults(choosing({ customVersion: 'v9' }), [
        revision('logs', 'v8'),
        revision('other', 'v9'),
        revision('logs', 'v9', 'x', 'elsewhere'),
      ]),
    ).toEqual([missing('logs')]);
    expect(faults(choosing({ customVersion: 'v9' }), [revision('logs', 'v9')])).toEqual([]);
  });
  test('by name wins over the version', () => {
    expect(faults(choosing({ customVersion: 'v9', revisionName: 'gone' }), [revision('logs', 'v9')])).toEqual([
      missing('gone'),
    ]);
    expect(faults(choosing({ customVersion: 'v9', revisionName: 'x-1' }), [revision('x', 'v1')])).toEqual([]);
  });
  test('has a known policy', () => {
    expect(faults(choosing({ revisionName: 'x-1', policy: 'Never' }), [revision('x', 'v1')])).toEqual([
      'revision.policy: Invalid value: "Never": Invalid policy Never, supported: [Always, Partial]',
    ]);
  });
  test('can be found by its version, which is a label value', () => {
    expect(faultsOf({ customVersion: 'v9' })).toEqual([]);
    expect(faultsOf({ customVersion: 'a/b' })).toEqual([
      expect.stringMatching(/^spec.customVersion: Invalid value: "a\/b": a valid label/),
    ]);
  });
});

describe('a canary', () => {
  const canary = (base: string, spec: Spec = { updateStrategy: { type: 'NotUpdate' } }, name = 'logs-canary') =>
    stored(name, spec, {
      annotations: { 'apps.kruise.io/sidecarset-canary': 'true', 'apps.kruise.io/sidecarset-base': base },
    });
  const details = (errors: string[]) => errors.map((error) => error.replace(/^metadata: Invalid value: \{.*\}: /, ''));
  test('needs its base (C11)', () => {
    expect(details(faults(canary('logs')))).toEqual([
      'fetch base sidecarSet[logs] failed: SidecarSet.apps.kruise.io "logs" not found',
    ]);
  });
  test('never updates running pods (C11)', () => {
    expect(details(faults(canary('logs', {}), [stored('logs')]))).toEqual([
      'RollingUpdate is not supported for canary sidecarSet',
    ]);
  });
  test('may have the names of its base (C11), and the base may be updated beside it', () => {
    expect(faults(canary('logs'), [stored('logs')])).toEqual([]);
    expect(faults(stored('logs'), [stored('logs'), canary('logs')], stored('logs'))).toEqual([]);
  });
  test('is not its own base', () => {
    const set = canary('self', { updateStrategy: { type: 'NotUpdate' } }, 'self');
    expect(details(faults(set))).toEqual([
      'base sidecarSet cannot be itself',
      'fetch base sidecarSet[self] failed: SidecarSet.apps.kruise.io "self" not found',
    ]);
  });
  test('has no canary as its base', () => {
    expect(details(faults(canary('b', undefined, 'c'), [stored('a'), canary('a', undefined, 'b')]))).toContain(
      'base sidecarSet[b] cannot be a canary sidecarSet',
    );
  });
  test('keeps its base', () => {
    const set = canary('logs');
    expect(details(faults(set, [stored('logs')], canary('other')))).toEqual([
      'annotations[apps.kruise.io/sidecarset-base] is immutable',
    ]);
    expect(
      details(faults(set, [stored('logs')], stored('logs-canary', { updateStrategy: { type: 'NotUpdate' } }))),
    ).toHaveLength(1);
  });
  test.each(['TRUE', '1', ''])('is none with the mark %j', (mark) => {
    const set = stored(
      'x',
      {},
      { annotations: { 'apps.kruise.io/sidecarset-canary': mark, 'apps.kruise.io/sidecarset-base': 'gone' } },
    );
    expect(faults(set)).toEqual([]);
  });
});

describe('an update', () => {
  const old = stored('logs', { containers: [container('a'), container('b')] });
  const update = (...containers: JsonObject[]) => faults(stored('logs', { containers }), [old], old);
  test('adds no container (C6)', () => {
    expect(update(container('a'), container('b'), container('c'))).toEqual([
      'spec.containers.name: Invalid value: "c": container c is not found',
    ]);
  });
  test('may remove one (C6), and change its image', () => {
    expect(update(container('a', { image: 'a:2' }))).toEqual([]);
  });
  test('keeps the way of upgrading (C6)', () => {
    const hot = container('a', { upgradeStrategy: { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'e:1' } });
    expect(update(hot)).toEqual([
      'spec.containers.upgradeStrategy.upgradeType: Invalid value: "a": container a upgradeType is immutable',
    ]);
  });
  test('may change init containers at will', () => {
    const set = stored('logs', { containers: [container('a')], initContainers: [container('new')] });
    expect(faults(set, [old], old)).toEqual([]);
  });
  test('of what is already broken by rules that OpenKruise lacks goes through', () => {
    const broken = (type: string, image: string) =>
      stored('logs', { containers: [container('a', { image })], updateStrategy: { type } });
    expect(faults(broken('Sometimes', 'a:2'), [], broken('Sometimes', 'a:1'))).toEqual([]);
    expect(faults(broken('Never', 'a:2'), [], broken('Sometimes', 'a:1'))).toHaveLength(1);
  });
  test('that removes a container does not bring up what is wrong with another', () => {
    const hot = container('hot', { upgradeStrategy: { upgradeType: 'HotUpgrade' } });
    const before = stored('logs', { containers: [container('a'), hot] });
    expect(faults(stored('logs', { containers: [hot] }), [], before)).toEqual([]);
    expect(faults(before)).toHaveLength(1);
  });
  test('of a set that waits for its finalizers goes through, unless it changes the spec', () => {
    const deleting = (spec: Spec) =>
      stored(
        'logs',
        { injectionStrategy: { revision: { revisionName: 'gone' } }, ...spec },
        { deletionTimestamp: '2026-01-01T00:00:00Z' },
      );
    expect(faults(deleting({}), [], deleting({}))).toEqual([]);
    expect(faults(deleting({ revisionHistoryLimit: 3 }), [], deleting({}))).toHaveLength(1);
    expect(faults(deleting({}))).toHaveLength(1);
  });
});

describe('two sets', () => {
  const web = { matchLabels: { app: 'web' } };
  const webOrApi = { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'api'] }] };
  const first = (spec: Spec = {}, name = 'first') =>
    stored(name, { selector: webOrApi, containers: [container('agent')], ...spec });
  const second = (spec: Spec = {}) => stored('second', { selector: web, containers: [container('agent')], ...spec });
  const taken = 'spec.containers: Invalid value: "agent": container agent already exist in first';

  test('that may meet in a pod have different containers (C7)', () => {
    expect(faults(second(), [first()])).toEqual([taken]);
    expect(faults(second({ containers: [container('other')] }), [first()])).toEqual([]);
  });
  test('that do not meet may have the same (C7)', () => {
    expect(faults(second({ selector: { matchLabels: { app: 'db' } } }), [first()])).toEqual([]);
    const team = (name: string) => ({ namespaceSelector: { matchLabels: { team: name } } });
    expect(faults(second(team('b')), [first(team('a'))])).toEqual([]);
    expect(faults(second(team('b')), [first()])).toEqual([taken]);
  });
  test('conflict with the last one listed', () => {
    expect(faults(second(), [first({}, 'one'), first({}, 'two')])).toEqual([taken.replace('first', 'two')]);
  });
  test('have different init containers, whatever the containers are called', () => {
    const init = { containers: [container('x')], initContainers: [container('agent')] };
    expect(
      faults(second(init), [first({ containers: [container('y')], initContainers: [container('agent')] })]),
    ).toEqual(['spec.containers: Invalid value: "agent": initContainer agent already exist in first']);
    expect(faults(second(init), [first()])).toEqual([]);
  });
  test('have equal volumes of one name (C13)', () => {
    const volumes = (medium: string) => ({ volumes: [{ name: 'v', emptyDir: { medium } }] });
    const other = first({ containers: [container('x')], ...volumes('Memory') });
    expect(faults(second(volumes('Memory')), [other])).toEqual([]);
    expect(faults(second(volumes('')), [other])).toEqual([
      'spec.volumes: Invalid value: "v": volume v is in conflict with sidecarset first',
    ]);
  });
  test('are not compared while something else is wrong', () => {
    expect(faults(second({ customVersion: 'a/b' }), [first()])).toHaveLength(1);
  });
  test('of one name are one', () => {
    expect(faults(second(), [second()])).toEqual([]);
  });

  test.each([
    ['Overwrite', 'MergePatchJson', false],
    ['MergePatchJson', 'Overwrite', false],
    ['Overwrite', 'Overwrite', false],
    ['MergePatchJson', 'MergePatchJson', true],
    ['Overwrite', 'Retain', true],
    ['Retain', 'Overwrite', true],
  ])('may patch an annotation by %s and %s: %j (C9)', (one, other, right) => {
    const patch = (patchPolicy: string, ...names: string[]) => ({
      containers: names.map((name) => container(name)),
      patchPodMetadata: [{ annotations: { k: '{}' }, patchPolicy }],
    });
    const context = cluster([first(patch(one, 'x'))], policies, new Map([[GATE, true]]));
    const errors = validateSidecarSet(second(patch(other, 'y')), undefined, context).map(formatFieldError);
    expect(errors).toEqual(
      right ? [] : ['spec.patchPodMetadata: Invalid value: "k": annotation k is in conflict with sidecarset first'],
    );
  });
});

describe('annotations for pods', () => {
  const whitelist = (list: string, namespace = 'kruise-system'): JsonObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kruise-configuration', namespace },
    data: { SidecarSet_PatchPodMetadata_WhiteList: list },
  });
  const rules = (...list: JsonObject[]) => whitelist(JSON.stringify({ rules: list }));
  const patched = (...patchPodMetadata: JsonObject[]) =>
    stored('logs', { patchPodMetadata }, { labels: { team: 'a' } });
  const ask = (set: JsonObject, gate: boolean, ...objects: JsonObject[]) =>
    validateSidecarSet(set, undefined, cluster(objects, policies, new Map([[GATE, gate]]))).map(formatFieldError);
  const x = patched({ annotations: { x: '1' } });
  const notAllowed = 'spec.patchPodMetadata: Required value: sidecarSet patch metadata annotation(x) is not allowed';

  test('need the gate if there is no list (C8)', () => {
    expect(ask(x, true)).toEqual([]);
    expect(ask(x, false)).toEqual([
      expect.stringMatching(/^spec.patchPodMetadata: Required value: .*ConfigMap kruise-system\/kruise-configuration/),
    ]);
    expect(ask(x, false, whitelist(''))).toHaveLength(1);
    expect(ask(x, false, whitelist('{"rules":[{"allowedAnnotationKeyExprs":["x"]}]}', 'elsewhere'))).toHaveLength(1);
  });
  test('are those of the list, even with the gate (C8)', () => {
    expect(ask(x, false, rules({ allowedAnnotationKeyExprs: ['^x$'] }))).toEqual([]);
    expect(ask(x, true, rules({ allowedAnnotationKeyExprs: ['y'] }))).toEqual([notAllowed]);
    expect(ask(patched({ annotations: { axb: '1' } }), false, rules({ allowedAnnotationKeyExprs: ['x'] }))).toEqual([]);
  });
  test('are those of the rules for the set', () => {
    const forTeam = (team: string, ...allowedAnnotationKeyExprs: string[]) => ({
      selector: { matchLabels: { team } },
      allowedAnnotationKeyExprs,
    });
    expect(ask(x, false, rules(forTeam('a', 'y'), forTeam('a', 'x')))).toEqual([]);
    expect(ask(x, true, rules(forTeam('b', 'y')))).toEqual([]);
    expect(ask(x, false, rules(forTeam('b', 'x')))).toHaveLength(1);
  });
  test('are found whatever the case of letters in the list', () => {
    const list = whitelist('{"Rules":[{"AllowedAnnotationKeyExprs":["x"],"Selector":{"MATCHLABELS":{"team":"a"}}}]}');
    expect(ask(x, false, list)).toEqual([]);
    expect(ask(patched({ annotations: { y: '1' } }), false, list)).toHaveLength(1);
  });
  test.each([
    ['{', /cannot read SidecarSet_PatchPodMetadata_WhiteList of ConfigMap kruise-configuration: unexpected end/],
    ['[]', /cannot read/],
    [
      '{"rules":[{"allowedAnnotationKeyExprs":[1]}]}',
      /cannot unmarshal number into Go struct field \w+.rules.allowedAnnotationKeyExprs of type string/,
    ],
    ['{"rules":[{"allowedAnnotationKeyExprs":["("]}]}', /cannot read/],
    [
      '{"rules":[{"selector":{"matchExpressions":[{"key":"a","operator":"Is"}]},"allowedAnnotationKeyExprs":["x"]}]}',
      /"Is" is not a valid label selector operator/,
    ],
  ])('are refused while the list is %s', (list, fault) => {
    expect(ask(x, true, whitelist(list))).toEqual([expect.stringMatching(fault)]);
  });
  test('must be there, have keys, and come once', () => {
    const set = patched({}, { annotations: { 'a b': '', c: '' } }, { annotations: { c: '', d: '' } });
    expect(ask(set, true)).toEqual([
      'spec.patchPodMetadata: Required value: no annotations defined for SidecarSet',
      expect.stringMatching(/^patchPodMetadata.annotations: Invalid value: "a b": name part/),
      'spec.patchPodMetadata: Required value: patch annotation[c] already exist',
    ]);
  });
  test('have a policy, which may be unknown', () => {
    const bare = { ...x, spec: { ...(x.spec as JsonObject), patchPodMetadata: [{ annotations: { x: '1' } }] } };
    expect(ask(bare, true)).toEqual([
      'spec.patchPodMetadata: Required value: no patchPolicy defined for patchPodMetadata',
    ]);
    expect(ask(patched({ annotations: { x: '1' }, patchPolicy: 'Odd' }), true)).toEqual([]);
  });
});

describe('several faults', () => {
  test('are told in the order of the rules', () => {
    const set = stored('a.b', {
      selector: {},
      updateStrategy: { partition: -1, type: 'RollingUpdate' },
      containers: [container('a', { podInjectPolicy: 'Middle', image: '' })],
    });
    const message = aggregate(validateSidecarSet(set, undefined, cluster([], policies)));
    const order = [
      'metadata.name',
      'spec.selector',
      'spec.updateStrategy.partition',
      'spec.container.podInjectPolicy',
      'spec.containers[0].image',
    ];
    const places = order.map((path) => message.indexOf(`${path}: `));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });
});

test('the registry validates SidecarSets by these rules', () => {
  expect(sidecarSet.validate(stored('log.agent'), undefined, cluster([], policies))).toHaveLength(1);
});
