// Acceptance cases 1 to 11 and 36 of uniteddeployment.md, and the rules behind them.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../api/core/json.ts';
import { KindAdmission } from '../../../support/kind-admission.ts';

let admission: KindAdmission;
let withoutDefaults: KindAdmission;
beforeAll(async () => {
  admission = await KindAdmission.start({ ResourcesDeletionProtection: true });
  withoutDefaults = await KindAdmission.start({ TemplateNoDefaults: true });
});

const labels = { app: 'x' };
const selector = { matchLabels: labels };
const pods = (spec: JsonObject = {}): JsonObject => ({
  metadata: { labels },
  spec: { containers: [{ name: 'c', image: 'nginx' }], ...spec },
});
const ofKind =
  (name: string) =>
  (spec: JsonObject = {}, metadata: JsonObject = { labels }): JsonObject => ({
    [name]: { metadata, spec: { selector, template: pods(), ...spec } },
  });
const statefulSets = ofKind('statefulSetTemplate');
const advancedStatefulSets = ofKind('advancedStatefulSetTemplate');
const cloneSets = ofKind('cloneSetTemplate');
const deployments = ofKind('deploymentTemplate');

function united(spec: JsonObject = {}, version = 'v1beta1', metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: `apps.kruise.io/${version}`,
    kind: 'UnitedDeployment',
    metadata: { name: 'u', namespace: 'n', ...metadata },
    spec: { selector, template: deployments(), topology: { subsets: [{ name: 'a' }, { name: 'b' }] }, ...spec },
  };
}

const subsets = (...list: JsonObject[]): JsonObject => ({
  topology: { subsets: list.map((subset, index) => ({ name: `s${index}`, ...subset })) },
});
const scheduled = (scheduleStrategy: JsonObject, ...list: JsonObject[]): JsonObject => ({
  topology: { ...(subsets(...list).topology as JsonObject), scheduleStrategy },
});

const stored = (object: JsonObject): JsonObject => ({
  ...admission.defaulted(object),
  metadata: { ...(object.metadata as JsonObject), uid: 'u', resourceVersion: '1', generation: 1 },
});

const at = (object: JsonObject, ...steps: string[]): Json | undefined =>
  steps.reduce<Json | undefined>((value, step) => (value as JsonObject | undefined)?.[step], object);

describe.each(['v1alpha1', 'v1beta1'])('in %s, what says little is completed:', (version) => {
  test('replicas, history and update strategy', () => {
    expect(admission.defaulted(united({}, version)).spec).toMatchObject({
      replicas: 1,
      revisionHistoryLimit: 10,
      updateStrategy: { type: 'Manual', manualUpdate: {} },
    });
  });

  test('lower limits, where some subset has a limit and none has replicas', () => {
    const limits = (...list: JsonObject[]) =>
      at(admission.defaulted(united(subsets(...list), version)), 'spec', 'topology');
    expect(limits({ maxReplicas: 4 }, {})).toEqual({
      subsets: [
        { name: 's0', maxReplicas: 4, minReplicas: 0 },
        { name: 's1', minReplicas: 0 },
      ],
    });
    expect(limits({ minReplicas: '10%' }, {})).toEqual({
      subsets: [
        { name: 's0', minReplicas: '10%' },
        { name: 's1', minReplicas: 0 },
      ],
    });
    expect(limits({ replicas: 1 }, { maxReplicas: 1 })).toEqual({
      subsets: [
        { name: 's0', replicas: 1 },
        { name: 's1', maxReplicas: 1 },
      ],
    });
    expect(limits({}, {})).toEqual({ subsets: [{ name: 's0' }, { name: 's1' }] });
  });

  test('pods and claims of StatefulSets, and of no others', () => {
    const claims = [{ metadata: { name: 'd' }, spec: { resources: { requests: { storage: '0.5Gi' } } } }];
    const spec = { volumeClaimTemplates: claims };
    const complete = admission.defaulted(united({ template: statefulSets(spec) }, version));
    expect(at(complete, 'spec', 'template', 'statefulSetTemplate', 'spec')).toMatchObject({
      template: {
        spec: {
          containers: [{ imagePullPolicy: 'Always', terminationMessagePolicy: 'File' }],
          restartPolicy: 'Always',
          dnsPolicy: 'ClusterFirst',
        },
      },
      volumeClaimTemplates: [{ spec: { resources: { requests: { storage: '512Mi' } } }, status: { phase: 'Pending' } }],
    });
    for (const [name, template] of [
      ['advancedStatefulSetTemplate', advancedStatefulSets()],
      ['cloneSetTemplate', cloneSets()],
      ['deploymentTemplate', deployments()],
    ] as const) {
      const left = admission.defaulted(united({ template }, version));
      expect(at(left, 'spec', 'template', name, 'spec', 'template')).toEqual(pods());
    }
  });
});

describe('the StatefulSet template is defaulted', () => {
  const withTemplate = (template: JsonObject): JsonObject =>
    united({ template }, 'v1beta1', { uid: 'u', resourceVersion: '1', generation: 1 });
  const policyOf = (object: JsonObject) =>
    at(object, 'spec', 'template', 'statefulSetTemplate', 'spec', 'template', 'spec', 'dnsPolicy');
  const old = withTemplate(statefulSets());

  test('on an update that changes the template', () => {
    expect(policyOf(admission.defaulted(withTemplate(statefulSets({ minReadySeconds: 3 })), old))).toBe('ClusterFirst');
  });

  test('not on an update of something else', () => {
    const scaled = { ...old, spec: { ...(old.spec as JsonObject), replicas: 7 } };
    expect(policyOf(admission.defaulted(scaled, old))).toBeUndefined();
  });

  test('not with gate TemplateNoDefaults, where it must say that pods restart', () => {
    expect(policyOf(withoutDefaults.defaulted(old))).toBeUndefined();
    expect(withoutDefaults.admit(united({ template: statefulSets() }))).toMatchObject({
      message:
        'spec.template.statefulSetTemplate.spec.template.spec.restartPolicy: Unsupported value: "": supported values: "Always"',
    });
    const template = statefulSets({ template: pods({ restartPolicy: 'Always' }) });
    expect(withoutDefaults.admit(united({ template }))).toMatchObject({ allowed: true });
  });
});

test('a status is not the client to set', () => {
  expect(admission.defaulted({ ...united(), status: { replicas: 3 } })).not.toHaveProperty('status');
});

test('members that only a newer Kubernetes knows stay in templates, but for those of Deployments', () => {
  const template = { template: pods({ fromTomorrow: 1 }) };
  const left = (name: string, given: JsonObject) =>
    at(
      admission.defaulted(united({ template: given })),
      'spec',
      'template',
      name,
      'spec',
      'template',
      'spec',
      'fromTomorrow',
    );
  expect(left('statefulSetTemplate', statefulSets(template))).toBe(1);
  expect(left('advancedStatefulSetTemplate', advancedStatefulSets(template))).toBe(1);
  expect(left('cloneSetTemplate', cloneSets(template))).toBe(1);
  expect(left('deploymentTemplate', deployments(template))).toBeUndefined();
});

test('a selector that a template lacks is written as the null that the schema of the CRD refuses', () => {
  const { selector: _none, ...spec } = at(cloneSets(), 'cloneSetTemplate', 'spec') as JsonObject;
  const defaulted = admission.defaulted(united({ template: { cloneSetTemplate: { spec } } }));
  expect(at(defaulted, 'spec', 'template', 'cloneSetTemplate', 'spec', 'selector')).toBeNull();
});

const rolling = (rollingUpdate: JsonObject): JsonObject => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate },
});
const sts = 'spec.template.statefulSetTemplate';
const advanced = 'spec.template.advancedStatefulSetTemplate';
const deployment = 'spec.template.deploymentTemplate';

/** What is wrong, and where; the path of an error is followed by its kind. */
const REFUSED: [string, JsonObject, string[]][] = [
  ['replicas below 0', { replicas: -5 }, ['spec.replicas: Invalid value', 'spec.topology.subsets: Invalid value']],
  [
    'no selector',
    { selector: null },
    [
      'spec.selector: Required value',
      `${deployment}.metadata.labels: Invalid value`,
      `${deployment}.spec.template.metadata.labels: Invalid value`,
    ],
  ],
  ['an empty selector', { selector: {} }, ['spec.selector: Invalid value']],
  [
    'an empty selector of StatefulSets',
    { selector: {}, template: statefulSets() },
    ['spec.selector: Invalid value', `${sts}.spec.selector: Invalid value`],
  ],
  [
    'a selector that cannot match',
    { selector: { matchExpressions: [{ key: 'a', operator: 'Is' }] }, template: {} },
    ['spec.selector.matchExpressions[0].operator: Invalid value', 'spec.selector: Invalid value'],
  ],
  ['no template', { template: {} }, ['spec.template: Required value']],
  ['two templates', { template: { ...cloneSets(), ...deployments() } }, ['spec.template: Invalid value']],
  ['unselected StatefulSets', { template: statefulSets({}, {}) }, [`${sts}.metadata.labels: Invalid value`]],
  ['replicas of StatefulSets', { template: statefulSets({ replicas: 3 }) }, [`${sts}.spec.replicas: Invalid value`]],
  [
    'a partition of StatefulSets',
    { template: statefulSets(rolling({ partition: 0 })) },
    [`${sts}.spec.updateStrategy.rollingUpdate.partition: Invalid value`],
  ],
  [
    'unselected pods of StatefulSets',
    { template: statefulSets({ template: { spec: pods().spec as JsonObject } }) },
    [`${sts}.spec.template.metadata.labels: Invalid value`],
  ],
  [
    'odd labels and annotations of pods of StatefulSets',
    {
      template: statefulSets({
        template: { ...pods(), metadata: { labels: { app: 'x', b: ' ' }, annotations: { ' ': '' } } },
      }),
    },
    [`${sts}.spec.template.labels: Invalid value`, `${sts}.spec.template.annotations: Invalid value`],
  ],
  [
    'an odd policy of StatefulSets',
    { template: statefulSets({ podManagementPolicy: 'Serial' }) },
    [`${sts}.spec.podManagementPolicy: Invalid value`],
  ],
  [
    'an odd update strategy of StatefulSets',
    { template: statefulSets({ updateStrategy: { type: 'Recreate' } }) },
    [`${sts}.spec.updateStrategy: Invalid value`],
  ],
  [
    'details for OnDelete',
    { template: statefulSets({ updateStrategy: { type: 'OnDelete', rollingUpdate: {} } }) },
    [`${sts}.spec.updateStrategy.rollingUpdate: Invalid value`],
  ],
  [
    'no unavailable pod of StatefulSets',
    { template: statefulSets(rolling({ maxUnavailable: '0%' })) },
    [`${sts}.spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value`],
  ],
  [
    'odd retention policies',
    { template: statefulSets({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Keep', whenScaled: 'Delete' } }) },
    [`${sts}.spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value`],
  ],
  [
    'numbers of StatefulSets below 0',
    { template: statefulSets({ minReadySeconds: -1, ordinals: { start: -1 } }) },
    [`${sts}.spec.minReadySeconds: Invalid value`, `${sts}.spec.ordinals.start: Invalid value`],
  ],
  [
    'pods of StatefulSets that end',
    { template: statefulSets({ template: pods({ restartPolicy: 'Never', activeDeadlineSeconds: 5 }) }) },
    [
      `${sts}.spec.template.spec.restartPolicy: Unsupported value`,
      `${sts}.spec.template.spec.activeDeadlineSeconds: Forbidden`,
    ],
  ],
  [
    'unselected Advanced StatefulSets, told at the other kind',
    { template: advancedStatefulSets({}, {}) },
    [`${sts}.metadata.labels: Invalid value`],
  ],
  [
    'numbers of Advanced StatefulSets',
    { template: advancedStatefulSets({ replicas: 1, ...rolling({ partition: 1 }) }) },
    [
      `${advanced}.spec.replicas: Invalid value`,
      `${advanced}.spec.updateStrategy.rollingUpdate.partition: Invalid value`,
    ],
  ],
  [
    'unselected pods of Advanced StatefulSets',
    { template: advancedStatefulSets({ template: {} }) },
    [`${advanced}.spec.template.metadata.labels: Invalid value`],
  ],
  [
    'replicas of Deployments',
    { template: deployments({ replicas: 0 }) },
    [`${deployment}.spec.replicas: Invalid value`],
  ],
  [
    'pods of Deployments that end',
    { template: deployments({ template: pods({ restartPolicy: 'OnFailure', activeDeadlineSeconds: 5 }) }) },
    [
      `${deployment}.spec.template.spec.restartPolicy: Unsupported value`,
      `${deployment}.spec.template.spec.activeDeadlineSeconds: Forbidden`,
    ],
  ],
  [
    'pods of Deployments without an image',
    { template: deployments({ template: pods({ containers: [{ name: 'c' }] }) }) },
    [`${deployment}.spec.template.spec.containers[0].image: Required value`],
  ],
  [
    'pods of StatefulSets that are kept in vain',
    { template: statefulSets(), ...scheduled({ type: 'Adaptive', adaptive: { reserveUnschedulablePods: true } }) },
    ['spec.topology.scheduleStrategy: Invalid value'],
  ],
  [
    'replicas of adaptive subsets',
    { replicas: 2, ...scheduled({ type: 'Adaptive' }, { replicas: 1 }, {}) },
    ['spec.topology.subsets[0].replicas: Forbidden'],
  ],
  [
    'a nameless subset',
    subsets({ name: '' }),
    ['spec.topology.subsets[0].name: Required value', 'spec.topology.subsets[0].name: Invalid value'],
  ],
  ['a name twice', subsets({ name: 'a' }, { name: 'a' }), ['spec.topology.subsets[1].name: Invalid value']],
  ['a name that is no label', subsets({ name: 'a.b' }), ['spec.topology.subsets[0].name: Invalid value']],
  [
    'an odd term of nodes',
    subsets({ nodeSelectorTerm: { matchExpressions: [{ key: 'a', operator: 'In' }] } }),
    ['spec.topology.subsets[0].nodeSelectorTerm.matchExpressions[0].values: Required value'],
  ],
  [
    'an odd toleration',
    subsets({ tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] }),
    ['spec.topology.subsets[0].tolerations[0].operator: Invalid value'],
  ],
  ['an odd update strategy', { updateStrategy: { type: 'Rolling' } }, ['spec.updateStrategy.type: Unsupported value']],
  [
    'partitions of no subset',
    { updateStrategy: { manualUpdate: { partitions: { a: 1, zz: 1 } } } },
    ['spec.updateStrategy.manualUpdate.partitions: Invalid value'],
  ],
];

const placesOf = (message = '') =>
  [
    ...message.matchAll(
      /(?:^\[?|, )([a-zA-Z][\w.[\]]*: (?:Invalid value|Required value|Forbidden|Unsupported value))/g,
    ),
  ].map(([, place]) => place);

describe('refused is', () => {
  test.each(REFUSED)('%s', (_what, spec, places) => {
    const verdict = admission.admit(united(spec));
    expect(verdict).toMatchObject({ allowed: false, code: 422 });
    expect(placesOf(verdict.message)).toEqual(places);
  });

  test('a name that is no DNS name', () => {
    const verdict = admission.admit(united({}, 'v1beta1', { name: 'UD_1' }));
    expect(placesOf(verdict.message)).toEqual(['metadata.name: Invalid value']);
  });
});

describe('admitted is', () => {
  test.each<[string, JsonObject]>([
    ['a template of CloneSets, whatever it holds', { template: cloneSets({ replicas: 4, template: {} }, {}) }],
    [
      'a template of Advanced StatefulSets without an image',
      { template: advancedStatefulSets({ template: pods({ containers: [] }) }) },
    ],
    ['a template of StatefulSets', { template: statefulSets({ podManagementPolicy: 'Parallel' }) }],
    [
      'pods that are kept, of CloneSets',
      { template: cloneSets(), ...scheduled({ type: 'Adaptive', adaptive: { reserveUnschedulablePods: true } }) },
    ],
    [
      'pods of StatefulSets that are kept, but never moved',
      { template: statefulSets(), ...scheduled({ type: 'Fixed', adaptive: { reserveUnschedulablePods: true } }) },
    ],
    ['no subset at all', { topology: {} }],
    [
      'label values of nodes that are none',
      subsets({ nodeSelectorTerm: { matchExpressions: [{ key: 'a', operator: 'In', values: ['not a value'] }] } }),
    ],
    ['no update strategy', { updateStrategy: { type: '' } }],
    [
      'numbers that are not looked at',
      { updateStrategy: { manualUpdate: { partitions: { a: -1 } } }, revisionHistoryLimit: -1 },
    ],
  ])('%s', (_what, spec) => {
    expect(admission.admit(united(spec))).toMatchObject({ allowed: true });
  });
});

describe('an update', () => {
  const nodes = (value: string) => ({
    nodeSelectorTerm: { matchExpressions: [{ key: 'z', operator: 'In', values: [value] }] },
  });
  const tolerations = { tolerations: [{ operator: 'Exists' }] };
  const topology = (...list: JsonObject[]): JsonObject => ({ topology: { subsets: list } });

  test.each<[string, JsonObject, JsonObject, string]>([
    [
      'of the nodes of a subset',
      subsets(nodes('a')),
      subsets(nodes('b')),
      'spec.topology.subsets[0].nodeSelectorTerm: Forbidden: may not be changed in an update',
    ],
    [
      'of the tolerations of a subset',
      subsets({}),
      subsets(tolerations),
      'spec.topology.subsets[0].tolerations: Forbidden: may not be changed in an update',
    ],
    [
      'of a subset that moved',
      topology({ name: 'a' }, { name: 'b' }),
      topology({ name: 'b' }, { name: 'a', ...tolerations }),
      'spec.topology.subsets[1].tolerations: Forbidden: may not be changed in an update',
    ],
    [
      'of the service of StatefulSets',
      { template: statefulSets({ serviceName: 'a' }) },
      { template: statefulSets({ serviceName: 'b' }) },
      "spec.template.statefulSetTemplate.spec: Forbidden: updates to statefulsetTemplate spec for fields other than 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy', 'minReadySeconds' and 'ordinals' are forbidden",
    ],
    [
      'of the claims of Advanced StatefulSets',
      { template: advancedStatefulSets() },
      { template: advancedStatefulSets({ volumeClaimTemplates: [{ metadata: { name: 'd' } }] }) },
      'spec.template.advancedStatefulSetTemplate.spec: Forbidden',
    ],
  ])('%s is refused', (_what, before, after, message) => {
    const verdict = admission.admit(stored(united(after)), stored(united(before)));
    expect(verdict).toMatchObject({ allowed: false, code: 422 });
    expect(verdict.message?.slice(0, message.length)).toBe(message);
  });

  test.each<[string, JsonObject, JsonObject]>([
    [
      'that removes, adds and moves subsets',
      topology({ name: 'a' }, { name: 'b' }),
      topology({ name: 'c' }, { name: 'b' }),
    ],
    ['of how many', subsets({ replicas: 1 }, {}), subsets({ maxReplicas: 1 }, {})],
    [
      'of the pods of StatefulSets',
      { template: statefulSets() },
      { template: statefulSets({ minReadySeconds: 5, template: pods({ hostPID: true }) }) },
    ],
    ['of anything in Deployments', { template: deployments() }, { template: deployments({ minReadySeconds: 5 }) }],
    [
      'of anything in CloneSets',
      { template: cloneSets() },
      { template: cloneSets({ minReadySeconds: 5, replicas: 1 }) },
    ],
    [
      'from one kind of template to another',
      { template: statefulSets() },
      { template: advancedStatefulSets({ serviceName: 'b' }) },
    ],
    [
      'that writes empty members',
      subsets({}),
      subsets({ nodeSelectorTerm: { matchExpressions: [] }, tolerations: [] }),
    ],
  ])('%s is admitted', (_what, before, after) => {
    expect(admission.admit(stored(united(after)), stored(united(before)))).toMatchObject({ allowed: true });
  });

  test('needs the version that it is about', () => {
    const { resourceVersion: _none, ...metadata } = stored(united()).metadata as JsonObject;
    const verdict = admission.admit({ ...stored(united()), metadata }, stored(united()));
    expect(placesOf(verdict.message)).toEqual(['metadata.resourceVersion: Invalid value']);
  });
});

describe('a deletion', () => {
  const labelled = (value: string, spec: JsonObject = {}, version = 'v1beta1') =>
    united(spec, version, { labels: { 'policy.kruise.io/delete-protection': value } });
  const text = 'forbidden by ResourcesProtectionDeletion for policy.kruise.io/delete-protection';

  test.each<[string, JsonObject, string]>([
    ['protected always', labelled('Always', { replicas: 0 }), `${text}=Always`],
    ['protected always, in v1alpha1', labelled('Always', {}, 'v1alpha1'), `${text}=Always`],
    ['protected while it has replicas', labelled('Cascading', { replicas: 2 }), `${text}=Cascading and replicas 2>0`],
  ])('of what is %s is refused', (_what, object, message) => {
    expect(admission.delete(object)).toMatchObject({ allowed: false, code: 403, message });
    expect(withoutDefaults.delete(object)).toMatchObject({ allowed: true });
  });

  test.each<[string, JsonObject]>([
    ['not protected', united({ replicas: 2 })],
    ['protected by a word that nobody knows', labelled('always', { replicas: 2 })],
    ['scaled to 0', labelled('Cascading', { replicas: 0 })],
    ['of no given size', labelled('Cascading')],
    [
      'being deleted already',
      {
        ...labelled('Always'),
        metadata: { ...(labelled('Always').metadata as JsonObject), deletionTimestamp: '2026-01-01T00:00:00Z' },
      },
    ],
  ])('of what is %s is admitted', (_what, object) => {
    expect(admission.delete(object)).toMatchObject({ allowed: true });
  });

  test('of what cannot be read is refused', () => {
    expect(admission.delete(labelled('Always', { replicas: 'two' }))).toMatchObject({ allowed: false, code: 400 });
  });
});

describe('what is admitted though nothing will come of it is warned of:', () => {
  const cloneSetPods = 'spec.template.cloneSetTemplate.spec.template';

  test.each<[string, JsonObject, string[]]>([
    [
      'pods that a CloneSet may not have',
      { template: cloneSets({ template: pods({ containers: [{ name: 'c' }], restartPolicy: 'Never' }) }) },
      [
        `${cloneSetPods}.spec.containers[0].image: Required value`,
        `${cloneSetPods}.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"`,
      ],
    ],
    [
      'pods that a CloneSet does not select',
      { template: cloneSets({ template: { spec: pods().spec as JsonObject } }) },
      [`${cloneSetPods}.metadata.labels: Invalid value: "null": \`selector\` does not match template \`labels\``],
    ],
    [
      'pods of Advanced StatefulSets without an image',
      { template: advancedStatefulSets({ template: pods({ containers: [{ name: 'c' }] }) }) },
      ['spec.template.advancedStatefulSetTemplate.spec.template.spec.containers[0].image: Required value'],
    ],
    [
      'pods of StatefulSets without an image',
      { template: statefulSets({ template: pods({ containers: [{ name: 'c' }] }) }) },
      ['spec.template.statefulSetTemplate.spec.template.spec.containers[0].image: Required value'],
    ],
    [
      'seconds below 0',
      scheduled({ type: 'Adaptive', adaptive: { unschedulableDuration: -1 } }),
      [
        'spec.topology.scheduleStrategy.adaptive.unschedulableDuration: Invalid value: -1: must be greater than or equal to 0',
      ],
    ],
  ])('%s', (_what, spec, warnings) => {
    expect(admission.admit(united(spec))).toMatchObject({ allowed: true, warnings });
  });

  test('a selector that the workloads cannot follow', () => {
    const more = { app: 'x', more: 'y' };
    const template = deployments({ template: { ...pods(), metadata: { labels: more } } }, { labels: more });
    const changed = stored(united({ selector: { matchLabels: more }, template }));
    expect(admission.validate(changed, stored(united()))).toMatchObject({
      allowed: true,
      warnings: [
        'spec.selector: the workloads of the subsets keep the selector that they were made with and cannot follow',
      ],
    });
  });

  test('a protection that is none', () => {
    const labelled = united({}, 'v1beta1', { labels: { 'policy.kruise.io/delete-protection': 'always' } });
    const warnings = ['the value of label policy.kruise.io/delete-protection protects nothing: always'];
    expect(admission.admit(labelled)).toMatchObject({ allowed: true, warnings });
    expect(admission.delete(labelled)).toMatchObject({ allowed: true, warnings });
    expect(withoutDefaults.delete(labelled)).not.toHaveProperty('warnings');
  });

  test.each<[string, JsonObject]>([
    [
      'claims that are mounted',
      {
        template: statefulSets({
          template: pods({ containers: [{ name: 'c', image: 'a', volumeMounts: [{ name: 'd', mountPath: '/d' }] }] }),
          volumeClaimTemplates: [{ metadata: { name: 'd' } }],
        }),
      },
    ],
    [
      'a template that patches may put right',
      { template: cloneSets({ template: {} }), ...subsets({ patch: { metadata: { labels } } }) },
    ],
    ['a template of Deployments', {}],
  ])('but not %s', (_what, spec) => {
    expect(admission.admit(united(spec))).not.toHaveProperty('warnings');
  });
});
