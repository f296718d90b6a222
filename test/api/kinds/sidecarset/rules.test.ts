// One value on the edge for each rule of a SidecarSet: what is refused at which place, through both webhooks
// (sidecarset 4). What the errors say is tested beside this file.
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../api/core/json.ts';
import { revision } from '../../../support/builders/cluster.ts';
import { configuration } from '../../../support/builders/policies.ts';
import { fieldErrorsOf } from '../../../support/compare/field-errors.ts';
import { KindAdmission } from '../../../support/kind-admission.ts';

type Spec = { [member: string]: Json };
type Rule = [what: string, spec: Spec, errors: string[]];

const container = (name: string, more: Spec = {}): JsonObject => ({ name, image: `example.com/${name}:1`, ...more });
const set = (spec: Spec, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name: 'logs', ...metadata },
  spec: { selector: { matchLabels: { app: 'web' } }, containers: [container('agent')], ...spec },
});
const invalid = (...places: string[]): string[] => places.map((place) => `${place}: Invalid value`);
const required = (...places: string[]): string[] => places.map((place) => `${place}: Required value`);
const strategy = (updateStrategy: Spec): Spec => ({ updateStrategy });
const where = (operator: string, ...values: string[]): Spec => ({
  matchExpressions: [{ key: 'app', operator, ...(values.length > 0 ? { values } : {}) }],
});
const agent = (more: Spec): Spec => ({ containers: [container('agent', more)] });

const selectors: Rule[] = [
  ['of lists without items', { selector: { matchLabels: {}, matchExpressions: [] } }, invalid('spec.selector')],
  ['of namespaces, empty', { namespaceSelector: {} }, invalid('spec.namespaceSelector')],
  [
    'with an operator in lower case',
    { selector: where('in', 'web') },
    invalid('spec.selector.matchExpressions[0].operator', 'spec.selector.selector'),
  ],
  [
    'with values where none may be',
    { selector: where('Exists', 'web') },
    ['spec.selector.matchExpressions[0].values: Forbidden', 'spec.selector.selector: Invalid value'],
  ],
  [
    'with a value that no label has',
    { selector: where('In', '-') },
    invalid('spec.selector.matchExpressions[0].values[0]', 'spec.selector.selector'),
  ],
];

const strategies: Rule[] = [
  [
    'a partition of 0% beside a selector',
    strategy({ partition: '0%', selector: where('Exists') }),
    invalid('updateStrategy'),
  ],
  ['a partition of 0 beside one', strategy({ partition: 0, selector: where('Exists') }), []],
  ['more than all pods', strategy({ maxUnavailable: '200%', partition: '300%' }), []],
  ['no pods at all', strategy({ maxUnavailable: '0%' }), []],
  ['a broken percentage', strategy({ maxUnavailable: '1.5%' }), invalid('spec.updateStrategy.maxUnavailable')],
  ['an empty text', strategy({ maxUnavailable: '' }), invalid('spec.updateStrategy.maxUnavailable')],
  ['a blank before the number', strategy({ partition: ' 5%' }), invalid('spec.updateStrategy.partition')],
  [
    'a weight beyond 100',
    strategy({ priorityStrategy: { weightPriority: [{ weight: 101, matchSelector: where('Exists') }] } }),
    required('spec.updateStrategy.priorityStrategy'),
  ],
  [
    'weights of 0 and 100',
    strategy({
      priorityStrategy: { weightPriority: [0, 100].map((weight) => ({ weight, matchSelector: where('Exists') })) },
    }),
    [],
  ],
  [
    'one key to scatter by with several values, and with none',
    strategy({ scatterStrategy: [{ key: 'a', value: 'x' }, { key: 'a', value: 'y' }, { key: 'a' }] }),
    [],
  ],
];

const containers: Rule[] = [
  ['empty lists of them', { containers: [], initContainers: [] }, required('spec')],
  [
    'the mark of sharing in upper case',
    agent({ shareVolumePolicy: { type: 'Enabled' } }),
    invalid('spec.container.shareVolumePolicy'),
  ],
  [
    'odd policies of init containers',
    { initContainers: [container('i', { podInjectPolicy: 'Odd', shareVolumePolicy: { type: 'odd' } })] },
    [],
  ],
  [
    'an init container called as a container',
    { initContainers: [container('agent')] },
    ['spec.initContainers[0].name: Duplicate value'],
  ],
  [
    'two native sidecars that would be updated: one error',
    { initContainers: ['i', 'j'].map((name) => container(name, { restartPolicy: 'Always' })) },
    required('spec.updateStrategy'),
  ],
  [
    'another restart policy',
    { initContainers: [container('i', { restartPolicy: 'Never' })] },
    ['spec.initContainers[0].restartPolicy: Unsupported value'],
  ],
  [
    'a startup probe that counts no success',
    agent({ startupProbe: { exec: { command: ['x'] } } }),
    invalid('spec.containers[0].startupProbe.successThreshold'),
  ],
  ['one that counts one', agent({ startupProbe: { exec: { command: ['x'] }, successThreshold: 1 } }), []],
  ['pull secrets of any name', { imagePullSecrets: [{ name: '' }, { name: 'A B' }] }, []],
];

const from = (fieldRef: Spec): Spec => ({
  containers: [container('first'), container('agent', { transferEnv: [{ sourceContainerNameFrom: { fieldRef } }] })],
});
const SOURCE = 'spec[1].transferEnv.fieldRef';
const sources: Rule[] = [
  ['without a path', from({}), required(`${SOURCE}.fieldPath`)],
  ['all annotations', from({ fieldPath: 'metadata.annotations' }), invalid(`${SOURCE}.fieldPath`)],
  ['a label that cannot be', from({ fieldPath: "metadata.labels['a b']" }), invalid(SOURCE)],
  ['a label without a name', from({ fieldPath: "metadata.labels['']" }), invalid(SOURCE, SOURCE)],
  ['an annotation in upper case', from({ fieldPath: "metadata.annotations['Example.COM/Main']" }), []],
  [
    'a label whose prefix is in upper case',
    from({ fieldPath: "metadata.labels['Example.COM/Main']" }),
    invalid(SOURCE),
  ],
  [
    'of init containers, anything',
    {
      initContainers: [
        container('i', { transferEnv: [{ sourceContainerNameFrom: { fieldRef: { fieldPath: 'x' } } }] }),
      ],
    },
    [],
  ],
];

const policy = (resourcesExpr: Spec, more: Spec = {}, beside: Spec = {}): Spec =>
  agent({
    resourcesPolicy: { targetContainersMode: 'sum', targetContainersNameRegex: '.*', resourcesExpr, ...more },
    ...beside,
  });
const PLACE = 'spec[0].resourcesPolicy';
const policies: Rule[] = [
  [
    'own limits hide every other fault',
    policy({}, { targetContainersNameRegex: '(' }, { resources: { limits: { cpu: '1' } } }),
    invalid(PLACE),
  ],
  [
    'a pattern that cannot be read, and nothing to compute',
    policy({}, { targetContainersNameRegex: '(' }),
    invalid(`${PLACE}.targetContainersNameRegex`, `${PLACE}.resourcesExpr`),
  ],
  ['limits that are there, but empty', policy({ limits: {} }), []],
  ['less than one', policy({ limits: { cpu: 'cpu-2' } }), invalid(`${PLACE}.resourcesExpr.limits.cpu`)],
  ['what only quantities cannot', policy({ limits: { cpu: 'cpu*cpu' }, requests: { cpu: '1/cpu' } }), []],
  ['division by nothing', policy({ limits: { cpu: '1/0' } }), invalid(`${PLACE}.resourcesExpr.limits.cpu`)],
  ['one argument', policy({ requests: { memory: 'max(memory)' } }), invalid(`${PLACE}.resourcesExpr.requests.memory`)],
  ['blanks alone', policy({ requests: { memory: '  ' } }), invalid(`${PLACE}.resourcesExpr.requests.memory`)],
];

const wanted = (revisionChoice: Spec): Spec => ({ injectionStrategy: { revision: revisionChoice } });
const revisions: Rule[] = [
  ['the name wins over the version', wanted({ revisionName: 'r', customVersion: 'zz' }), []],
  ['the version of another set', wanted({ customVersion: 'v2' }), invalid('revision')],
  ['an unknown policy', wanted({ revisionName: 'r', policy: 'Odd' }), invalid('revision.policy')],
  ['two faults', wanted({ revisionName: 'gone', policy: 'Odd' }), invalid('revision', 'revision.policy')],
];

const groups: Record<string, Rule[]> = { selectors, strategies, containers, sources, policies, revisions };

describe.each(Object.entries(groups))('%s:', async (_group, rules) => {
  const admission = await KindAdmission.start();
  const onRecord = [
    revision({ name: 'r', of: set({}) }),
    revision({ name: 's', of: set({}, { name: 'other' }), customVersion: 'v2' }),
  ];

  test.each(rules)('%s', (_what, spec, errors) => {
    expect(errorsOf(admission.hold(...onRecord), spec)).toEqual(errors.toSorted());
  });
});

const list = (...rules: Spec[]): string => JSON.stringify({ rules });
const mine = { selector: { matchLabels: { team: 'a' } } };
const others = { selector: { matchLabels: { team: 'b' } } };
const allowed = (key: string): Spec => ({ allowedAnnotationKeyExprs: [key] });

describe('annotations of pods, by the list of them:', async () => {
  const without = await KindAdmission.start();
  const withGate = await KindAdmission.start({ SidecarSetPatchPodMetadataDefaultsAllowed: true });

  // May the annotation `key` be set without the gate, and with it?
  test.each<[what: string, text: string, isRight: boolean, isRightWithGate: boolean]>([
    ['a part of the key is enough', list(allowed('e')), true, true],
    ['other keys are refused, gate or not', list(allowed('^other$')), false, false],
    ['rules for the set', list({ ...mine, ...allowed('key') }), true, true],
    ['rules for others are none', list({ ...others, ...allowed('key') }), false, true],
    ['rules with an empty selector', list({ selector: {}, ...allowed('key') }), true, true],
    ['no rules', list(), false, true],
    ['an empty list', '', false, true],
    ['a list that is no JSON', '{', false, false],
    ['a pattern that cannot be read', list(allowed('key'), allowed('(')), false, false],
    ['one of a rule for others', list(allowed('key'), { ...others, ...allowed('(') }), true, true],
    ['a selector that cannot be used', list({ selector: where('odd'), ...allowed('key') }), false, false],
  ])('%s', (_what, text, ...expected) => {
    const spec = { patchPodMetadata: [{ annotations: { key: '1' } }] };
    const configured = configuration({ SidecarSet_PatchPodMetadata_WhiteList: text });
    const verdicts = [without, withGate].map((admission) => errorsOf(admission.hold(configured), spec));
    expect(verdicts).toEqual(expected.map((isRight) => (isRight ? [] : required('spec.patchPodMetadata'))));
  });
});

function errorsOf(admission: KindAdmission, spec: Spec): string[] {
  const verdict = admission.admit(set(spec, { labels: { team: 'a' } }));
  return verdict.allowed ? [] : fieldErrorsOf(verdict.message ?? '').sort();
}
