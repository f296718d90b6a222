// Which budget is written on a new pod (podunavailablebudget.md 3.2): selectors, gates, kinds of workloads.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { pod } from '../../support/builders/pod.ts';
import { budget, controllerReference, ownedBy, targeting, workloadOf } from '../../support/builders/policies.ts';
import { Injection } from '../../support/injection.ts';
import * as see from '../../support/see.ts';
import { spread } from '../../support/spreading.ts';

describe('a new pod', async () => {
  const inj = await Injection.start();
  const neither = await Injection.start({
    PodUnavailableBudgetDeleteGate: false,
    PodUnavailableBudgetUpdateGate: false,
  });
  const onlyUpdate = await Injection.start({
    PodUnavailableBudgetDeleteGate: false,
    PodUnavailableBudgetUpdateGate: true,
  });
  const rel = (o: JsonObject) => [
    see.annotations(o)['pub.kruise.io/related-pub'],
    see.annotations(o)['kruise.io/related-pub'],
  ];
  const sel = (selector: JsonObject) => budget('p', { selector, maxUnavailable: 1 });
  const expr = (key: string, operator: string, values?: string[]) => ({
    matchExpressions: [{ key, operator, ...(values && { values }) }],
  });
  test.each<[string, JsonObject, boolean]>([
    ['In', expr('app', 'In', ['a', 'web']), true],
    ['In other', expr('app', 'In', ['a']), false],
    ['NotIn', expr('app', 'NotIn', ['a']), true],
    ['NotIn absent key', expr('zone', 'NotIn', ['a']), true],
    ['NotIn it', expr('app', 'NotIn', ['web']), false],
    ['Exists', expr('app', 'Exists'), true],
    ['Exists not', expr('zone', 'Exists'), false],
    ['DoesNotExist', expr('zone', 'DoesNotExist'), true],
    ['DoesNotExist not', expr('app', 'DoesNotExist'), false],
    ['In no values', expr('app', 'In', []), false],
    ['Exists with values', expr('app', 'Exists', ['web']), false],
    ['two agree', { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'app', operator: 'Exists' }] }, true],
    ['two disagree', { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'x', operator: 'Exists' }] }, false],
    ['empty both', { matchLabels: {}, matchExpressions: [] }, false],
    ['lower operator', expr('app', 'exists'), false],
    ['bad value in labels', { matchLabels: { app: 'web', y: 'not valid!' } }, false],
  ])('%s', (_what, selector, expected) => {
    inj.hold(sel(selector));
    expect(rel(inj.create(pod()))).toEqual(expected ? ['p', 'p'] : [undefined, undefined]);
  });
  test('gates', () => {
    neither.hold(budget('p'));
    expect(rel(neither.create(pod()))).toEqual([undefined, undefined]);
    onlyUpdate.hold(budget('p'));
    expect(rel(onlyUpdate.create(pod()))).toEqual(['p', 'p']);
  });
  test('dry run is stamped', () => {
    inj.hold(budget('p'));
    expect(rel(inj.create(pod(), { dryRun: true, options: { dryRun: ['All'] } }))).toEqual(['p', 'p']);
  });
  test('targetRef first, then selector', () => {
    inj.hold(budget('p'), budget('q', targeting('CloneSet')), workloadOf('CloneSet', 'web'));
    expect(rel(inj.create(pod(ownedBy('CloneSet'))))).toEqual(['q', 'q']);
  });
  test('finished pod is stamped (no active test)', () => {
    inj.hold(budget('p'));
    expect(rel(inj.create(pod({ status: { phase: 'Succeeded' } })))).toEqual(['p', 'p']);
  });
  test('namespace only in the request', () => {
    inj.hold(budget('p'));
    const { namespace: _n, ...metadata } = pod().metadata as JsonObject;
    expect(rel(inj.create({ ...pod(), metadata }, { namespace: 'shop' }))).toEqual(['p', 'p']);
  });
  test('a label that a spread adds counts', () => {
    inj.hold(
      spread([['a', undefined, { patch: { metadata: { labels: { tier: 'x' } } } }]]),
      workloadOf('CloneSet', 'web'),
      budget('p', { selector: { matchLabels: { tier: 'x' } }, maxUnavailable: 1 }),
    );
    expect(rel(inj.create(pod(ownedBy('CloneSet'))))).toEqual(['p', 'p']);
  });
  test.each<[string, string, string, string]>([
    ['ReplicationController', 'v1', 'ReplicationController', 'v1'],
    ['StatefulSet beta', 'apps/v1', 'StatefulSet', 'apps/v1beta2'],
    ['Advanced', 'apps.kruise.io/v1beta1', 'StatefulSet', 'apps.kruise.io/v1alpha1'],
    ['Job', 'batch/v1', 'Job', 'batch/v1'],
    ['BroadcastJob', 'apps.kruise.io/v1beta1', 'BroadcastJob', 'apps.kruise.io/v1alpha1'],
    ['Kruise DaemonSet', 'apps.kruise.io/v1beta1', 'DaemonSet', 'apps.kruise.io/v1alpha1'],
    ['own kind', 'x.io/v1', 'Thing', 'x.io/v1'],
  ])('target %s', (_what, api, kind, target) => {
    inj.hold(budget('p', targeting(kind, 'web', target)), workloadOf(kind, 'web', api));
    expect(rel(inj.create(pod(ownedBy(kind, 'web', api))))).toEqual(['p', 'p']);
  });
  test('owner that is no controller', () => {
    inj.hold(budget('p', targeting('CloneSet')), workloadOf('CloneSet', 'web'));
    const ref = { ...controllerReference('CloneSet', 'web'), controller: false };
    expect(rel(inj.create(pod({ metadata: { ownerReferences: [ref] } })))).toEqual([undefined, undefined]);
  });
  test('second owner controls', () => {
    inj.hold(budget('p', targeting('CloneSet')), workloadOf('CloneSet', 'web'));
    const ref = { ...controllerReference('Other', 'web'), controller: false };
    expect(
      rel(inj.create(pod({ metadata: { ownerReferences: [ref, controllerReference('CloneSet', 'web')] } }))),
    ).toEqual(['p', 'p']);
  });
  test('uid of the owner is not checked', () => {
    inj.hold(budget('p', targeting('CloneSet')), workloadOf('CloneSet', 'web'));
    expect(
      rel(
        inj.create(pod({ metadata: { ownerReferences: [{ ...controllerReference('CloneSet', 'web'), uid: 'zzz' }] } })),
      ),
    ).toEqual(['p', 'p']);
  });
});
