// Rules of CloneSet, Advanced StatefulSet, Advanced DaemonSet and UnitedDeployment that show where they meet: limits of
// numbers, several faults at once and their order, both versions.
import { describe } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { type WorkloadParts, workload } from '../../support/builders/workload.ts';
import { changed, holdRules, type Rule, stored } from '../../support/rule-table.ts';

const ROLLING = 'spec.updateStrategy.rollingUpdate';
const versions = ['v1alpha1', 'v1beta1'];
const selector = { matchLabels: { app: 'web' } };

describe('a CloneSet', () => {
  const rolling = (rollingUpdate: JsonObject, type = 'RollingUpdate'): WorkloadParts => ({
    spec: { replicas: 5, updateStrategy: { type, rollingUpdate } },
  });
  const set = (parts: WorkloadParts) => workload('CloneSet', parts);
  const alpha = (spec: JsonObject) => set({ version: 'v1alpha1', spec });
  const weights = (...values: number[]) => ({
    weightPriority: values.map((weight) => ({ weight, matchSelector: selector })),
  });
  holdRules([
    ...['1e1%', '+10%', '010.%', '.5e+1%'].map(
      (partition): Rule => ({
        rule: `may keep ${partition} of its pods`,
        object: set(rolling({ partition, maxUnavailable: 1 })),
      }),
    ),
    ...['5%%', ' 5%', '5 %', 'e1%', '.%', '1_0%', '+-1%', '5'].map(
      (partition): Rule => ({
        rule: `does not keep ${JSON.stringify(partition)} of its pods`,
        object: set(rolling({ partition, maxUnavailable: 1 })),
        errors: [`${ROLLING}.partition: Invalid value`],
      }),
    ),
    ...versions.map(
      (version): Rule => ({
        rule: `of ${version} is told that its pods end, whatever its selector says`,
        object: set({
          version,
          spec: {
            selector: { matchExpressions: [{ key: 'app', operator: 'Like' }] },
            template: {
              metadata: { labels: { app: 'web' } },
              spec: { restartPolicy: 'Never', activeDeadlineSeconds: 5, containers: [{ name: 'app', image: 'a:1' }] },
            },
          },
        }),
        errors: [
          'spec.selector.matchExpressions[0].operator: Invalid value',
          'spec.selector: Invalid value',
          'spec.template.spec.restartPolicy: Unsupported value',
          'spec.template.spec.activeDeadlineSeconds: Forbidden',
        ],
      }),
    ),
    { rule: 'may surge by a percentage of few pods', object: set(rolling({ maxUnavailable: 0, maxSurge: '1%' })) },
    {
      rule: 'moves if both percentages come to nothing, only without pods',
      object: set(rolling({ maxUnavailable: 0, maxSurge: '0%' })),
      errors: [`${ROLLING}.maxUnavailable: Invalid value`],
    },
    {
      rule: 'may surge in place only by what comes to nothing',
      object: set({
        spec: {
          replicas: 0,
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'InPlaceOnly', maxSurge: '9%' } },
        },
      }),
    },
    { rule: 'has weights from 0 to 100', object: set(rolling({ priorityStrategy: weights(0, 100) })) },
    {
      rule: 'has no weight above 100',
      object: set(rolling({ priorityStrategy: weights(1, 101) })),
      errors: `${ROLLING}.priorityStrategy: Required value: weight must be valid number in the range 1-100`,
    },
    {
      rule: 'spells out amounts beside OnDelete',
      object: set(rolling({}, 'OnDelete')),
      errors: [`${ROLLING}.partition: Invalid value`, `${ROLLING}.maxUnavailable: Invalid value`],
    },
    {
      rule: 'is told all faults of its strategy, amounts last',
      object: alpha({
        updateStrategy: {
          partition: '5',
          maxUnavailable: 'y',
          maxSurge: 'x',
          priorityStrategy: { orderPriority: [{ orderedKey: '' }] },
          scatterStrategy: [{ key: '', value: 'a' }],
        },
      }),
      errors: ['partition', 'priorityStrategy', 'scatterStrategy', 'maxUnavailable', 'maxSurge', 'maxUnavailable'].map(
        (member) => `spec.updateStrategy.${member}: ${/Strategy$/.test(member) ? 'Required' : 'Invalid'} value`,
      ),
    },
    {
      rule: 'has a deadline that is not negative and after its pods are available',
      object: alpha({ progressDeadlineSeconds: -1 }),
      errors:
        '[spec.progressDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0, spec.progressDeadlineSeconds: Invalid value: -1: must be greater than minReadySeconds]',
    },
    {
      rule: 'has claims of different names',
      object: set({ spec: { volumeClaimTemplates: [{ metadata: { name: 'd' } }, { metadata: { name: 'd' } }] } }),
      errors: 'spec.template.spec.volumes[1].name: Duplicate value: "d"',
    },
    ...versions.map(
      (version): Rule => ({
        rule: `of ${version} is told what cannot change before what it is, and labels once`,
        object: changed(stored(set({ version, spec: { replicas: -2, selector: { matchLabels: { app: 'x' } } } })), {
          metadata: { resourceVersion: undefined, labels: { 'a b': 'c' } },
        }),
        before: stored(set({ version })),
        errors: [
          'metadata.resourceVersion: Invalid value',
          'metadata.labels: Invalid value',
          'spec: Forbidden',
          'spec.replicas: Invalid value',
          'spec.template.metadata.labels: Invalid value',
        ],
      }),
    ),
  ]);
});

describe('an Advanced StatefulSet', () => {
  const set = (spec: JsonObject, pod: JsonObject = {}) => workload('StatefulSet', { spec, pod });
  const rolling = (rollingUpdate: JsonObject, podManagementPolicy = 'Parallel') =>
    set({ podManagementPolicy, updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
  const max = `${ROLLING}.maxUnavailable`;
  const claims = (size: string, ...classes: string[]) =>
    stored(
      set({
        volumeClaimUpdateStrategy: { type: 'OnPodRollingUpdate' },
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: {
              accessModes: ['ReadWriteOnce'],
              resources: { requests: { storage: size } },
              ...(classes[0] !== undefined && { storageClassName: classes[0] }),
            },
          },
        ],
      }),
    );
  const storageClass = (name: string, day: string, allowVolumeExpansion: boolean): JsonObject => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: {
      name,
      creationTimestamp: `2026-01-${day}T00:00:00Z`,
      annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
    },
    allowVolumeExpansion,
  });
  holdRules([
    { rule: 'may have more than all pods unavailable', object: rolling({ maxUnavailable: '150%' }) },
    {
      rule: 'has an amount that is one, even where it counts as a percentage',
      object: rolling({ maxUnavailable: '3' }),
      errors: [`${max}: Invalid value`],
    },
    {
      rule: 'is told twice of an amount below zero',
      object: rolling({ maxUnavailable: -1 }),
      errors: `[${max}: Invalid value: -1: must be greater than or equal to 0, ${max}: Invalid value: -1: should not be less than 1]`,
    },
    {
      rule: 'in order has one pod unavailable and nothing else',
      object: rolling({ maxUnavailable: '1%' }, 'OrderedReady'),
      errors: [`${max}: Invalid value`],
    },
    {
      rule: 'needs no pod that could run',
      object: set({}, { containers: [], volumes: [{ name: 'A' }], dnsPolicy: 'Never' }),
    },
    {
      rule: 'is told of two bad ranges and of what is negative',
      object: set({ reserveOrdinals: ['1-3', '5-2', '0003-005', '1-2-3', -1] }),
      errors: ['spec: Invalid value', 'spec: Invalid value', 'spec: Invalid value', 'spec: Invalid value'],
    },
    {
      rule: 'lets claims follow the newest default class',
      object: claims('1Gi'),
      before: claims('2Gi'),
      cluster: [storageClass('old', '01', false), storageClass('new', '02', true)],
    },
    {
      rule: 'lets no claim follow a class that does not expand',
      object: claims('3Gi'),
      before: claims('2Gi'),
      cluster: [storageClass('old', '01', true), storageClass('new', '02', false)],
      errors:
        'spec.volumeClaimTemplates[data].spec.resources.requests.storage: Forbidden: storage class new does not support volume expansion',
    },
    {
      rule: 'lets no claim follow a class that is not there',
      object: claims('3Gi', 'gone'),
      before: claims('2Gi', 'gone'),
      errors:
        'spec.volumeClaimTemplates[data].spec.storageClassName: Invalid value: "gone": StorageClass.storage.k8s.io "gone" not found',
    },
    {
      rule: 'keeps the class of its claims',
      object: claims('2Gi', 'b'),
      before: claims('2Gi', 'a'),
      errors: ['spec.volumeClaimTemplates[data]: Invalid value'],
    },
  ]);
});

describe('an Advanced DaemonSet', () => {
  const set = (rollingUpdate: JsonObject, version = 'v1beta1') =>
    workload('DaemonSet', { version, spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate } } });
  holdRules([
    {
      rule: 'counts what is no amount as nothing',
      object: set({ maxUnavailable: 'y', maxSurge: 'x' }),
      errors: `${ROLLING}.maxUnavailable: Required value: cannot be 0 when maxSurge is 0`,
    },
    {
      rule: 'is told of both amounts, and that they are two',
      object: set({ maxUnavailable: '3', maxSurge: '150%' }),
      errors: ['maxUnavailable', 'maxSurge', 'maxSurge'].map((member) => `${ROLLING}.${member}: Invalid value`),
    },
    {
      rule: 'does not surge in place, not by one percent',
      object: set({ rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 0, maxSurge: '1%' }),
      errors: `${ROLLING}.maxSurge: Required value: must be 0 for InPlaceIfPossible type`,
    },
    {
      rule: 'of v1alpha1 that surges has nothing unavailable',
      object: set({ rollingUpdateType: 'Surging', maxUnavailable: 1 }, 'v1alpha1'),
      errors: [`${ROLLING}.maxSurge: Invalid value`],
    },
    {
      rule: 'may say anything about rolling updates beside OnDelete',
      object: workload('DaemonSet', {
        spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: -1, maxUnavailable: 'x' } } },
      }),
    },
  ]);
});

describe('a UnitedDeployment', () => {
  const metadata = { labels: { app: 'web' } };
  const { spec } = workload('CloneSet') as { spec: JsonObject };
  const deployment = (subsets: JsonObject[], rest: JsonObject = {}): JsonObject => ({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'UnitedDeployment',
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      replicas: 10,
      selector,
      template: { cloneSetTemplate: { metadata, spec } },
      topology: { subsets },
      ...rest,
    },
  });
  const at = 'spec.topology.subsets';
  holdRules([
    {
      rule: 'is told that rounded percentages come to more than all',
      object: deployment([
        { name: 'a', replicas: '25%' },
        { name: 'b', replicas: '75%' },
      ]),
      errors: [`${at}: Invalid value`, `${at}: Invalid value`],
    },
    {
      rule: 'may ask for more at least than there is',
      object: deployment([{ name: 'a', minReplicas: 20 }, { name: 'b' }]),
    },
    { rule: 'may have no subsets', object: deployment([]) },
    {
      rule: 'compares what is no amount as 0',
      object: deployment([{ name: 'a', minReplicas: 1, maxReplicas: 'x' }, { name: 'b' }]),
      errors: [`${at}[0].maxReplicas: Invalid value`, `${at}[0].minReplicas: Invalid value`],
    },
    {
      rule: 'takes -1 replicas for none given',
      object: deployment([{ name: 'a', maxReplicas: '50%' }, { name: 'b' }], { replicas: -1 }),
      errors: ['spec.replicas: Invalid value', `${at}[0].maxReplicas: Invalid value`, `${at}: Invalid value`],
    },
    {
      rule: 'takes other negative replicas as they are',
      object: deployment([{ name: 'a', replicas: 0 }], { replicas: -2 }),
      errors: ['spec.replicas: Invalid value', `${at}: Invalid value`, `${at}: Invalid value`],
    },
    {
      rule: 'is told every fault of its names in order',
      object: deployment([{ name: 'A' }, {}, { name: 'x' }, { name: 'x' }, { name: 'a.b' }]),
      errors: ['0 Invalid', '1 Required', '1 Invalid', '3 Invalid', '4 Invalid'].map((text) => {
        const [index, kind] = text.split(' ');
        return `${at}[${index}].name: ${kind} value`;
      }),
    },
    {
      rule: 'may move subsets and change the kind of its workloads',
      object: stored(
        deployment([{ name: 'b' }, { name: 'a' }], { template: { deploymentTemplate: { metadata, spec } } }),
      ),
      before: stored(deployment([{ name: 'a' }, { name: 'b' }])),
    },
  ]);
});
