// The order in which containers start, at admission (containerlaunchpriority.md 2, 7, 8).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { container, env, pod } from '../../support/builders/pod.ts';
import { sidecar, sidecarSet } from '../../support/builders/sidecarset.ts';
import { Injection } from '../../support/injection.ts';
import * as see from '../../support/see.ts';

const ORDERED = { 'apps.kruise.io/container-launch-priority': 'Ordered' };

/** A container with this priority; none if it is undefined. */
function one(name: string, priority?: string): JsonObject {
  return priority === undefined
    ? container(name)
    : container(name, { env: env({ KRUISE_CONTAINER_PRIORITY: priority }) });
}

type Source = { valueFrom?: { configMapKeyRef: { name: string; key: string } } };

/** `configmap key` of each barrier of a container. */
function barriers(created: JsonObject, name: string): string[] {
  const entries = (see.containerOf(name)(created)?.env ?? []) as (JsonObject & Source)[];
  return entries
    .filter((entry) => entry.name === 'KRUISE_CONTAINER_BARRIER')
    .map(({ valueFrom }) => `${valueFrom?.configMapKeyRef.name} ${valueFrom?.configMapKeyRef.key}`);
}

describe('a pod', async () => {
  const injection = await Injection.start();
  const keysOf = (created: JsonObject): string[][] =>
    see.containers(created).map((name) => barriers(created, String(name)).map((text) => text.split(' ')[1] ?? ''));

  test.each([
    ['with neither annotation nor priorities', {}, [one('a'), one('b')], [[], []]],
    ['that is Ordered', ORDERED, [one('a'), one('b'), one('c')], [['p_0'], ['p_-1'], ['p_-2']]],
    [
      'with the annotation in other letters',
      { 'apps.kruise.io/container-launch-priority': 'ordered' },
      [one('a'), one('b')],
      [[], []],
    ],
    ['with one prior container', {}, [one('main'), one('side', '1')], [['p_0'], ['p_1']]],
    ['whose priorities are equal', {}, [one('a', '5'), one('b', '5')], [[], []]],
    ['whose only priority is 0', {}, [one('a', '0'), one('b')], [[], []]],
    ['with a negative priority', {}, [one('a', '-3'), one('b')], [['p_-3'], ['p_0']]],
    ['with one container', {}, [one('a', '1')], [[]]],
    ['with one container that is Ordered', ORDERED, [one('a')], [[]]],
    [
      'that is Ordered, whatever containers say',
      ORDERED,
      [one('a'), one('b'), one('c', '9')],
      [['p_0'], ['p_-1'], ['p_-2']],
    ],
    ['that is Ordered, with a priority that is none', ORDERED, [one('a'), one('b', 'x')], [['p_0'], ['p_-1']]],
    ['with signs and zeros', {}, [one('a', '+4'), one('b', '007'), one('c', '-0')], [['p_4'], ['p_7'], ['p_0']]],
    [
      'with the greatest and the least priority',
      {},
      [one('a', '9223372036854775807'), one('b', '-9223372036854775808')],
      [['p_9223372036854775807'], ['p_-9223372036854775808']],
    ],
  ])('%s', (_what, annotations, containers, keys) => {
    expect(keysOf(injection.hold().create(pod({ annotations, containers })))).toEqual(keys);
  });

  test('finds its barriers in a ConfigMap of its name, behind its other variables', () => {
    const created = injection.hold().create(pod({ containers: [one('main'), one('side', '1')] }));
    expect(barriers(created, 'main')).toEqual(['web-0-barrier p_0']);
    expect(see.envOf('side')(created)).toEqual([
      'KRUISE_CONTAINER_PRIORITY=1',
      'KRUISE_CONTAINER_BARRIER<configMapKeyRef',
    ]);
  });

  test('with a priority given twice takes the last', () => {
    const twice = container('b', {
      env: [...env({ KRUISE_CONTAINER_PRIORITY: '9' }), ...env({ KRUISE_CONTAINER_PRIORITY: '2' })],
    });
    expect(keysOf(injection.hold().create(pod({ containers: [one('a'), twice] })))).toEqual([['p_0'], ['p_2']]);
  });

  test.each(['x', '', '1.0', '1e3', ' 1', '1_0', '9223372036854775808', '-9223372036854775809', '+', '0x1'])(
    'with priority "%s" is refused, and told which one it is',
    (priority) => {
      expect(injection.hold().review(pod({ containers: [one('a'), one('b', priority)] }))).toMatchObject({
        allowed: false,
        code: 400,
        message: `spec.containers[1].env[KRUISE_CONTAINER_PRIORITY].value: Invalid value: ${JSON.stringify(priority)}: must be an integer`,
      });
    },
  );

  test('whose priority comes from elsewhere is refused', () => {
    const valueFrom = { fieldRef: { fieldPath: 'metadata.name' } };
    const from = container('b', { env: [{ name: 'KRUISE_CONTAINER_PRIORITY', valueFrom }] });
    expect(injection.hold().review(pod({ containers: [one('a'), from] }))).toMatchObject({ allowed: false, code: 400 });
  });

  test('without a name gets one, of its prefix and five letters that every replica draws alike', () => {
    const unnamed = pod({ annotations: ORDERED, containers: [one('a'), one('b')], metadata: { generateName: 'web-' } });
    delete (unnamed.metadata as JsonObject).name;
    const created = injection.hold().create(unnamed);
    const { name, generateName } = created.metadata as { name: string; generateName: string };
    expect(name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(generateName).toBe('web-');
    expect(barriers(created, 'b')).toEqual([`${name}-barrier p_-1`]);
    expect(injection.create(unnamed)).toEqual(created);
    const other = injection.create(unnamed, { uid: 'd0a2b1c3-0000-4000-8000-000000000002' });
    expect((other.metadata as JsonObject).name).not.toBe(name);
  });

  test('with a long prefix gets a name of 63 characters', () => {
    const unnamed = pod({
      name: '',
      annotations: ORDERED,
      containers: [one('a'), one('b')],
      metadata: { generateName: `${'w'.repeat(70)}-` },
    });
    const { name } = injection.hold().create(unnamed).metadata as { name: string };
    expect(name).toMatch(/^w{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  test('that starts in no order keeps its missing name', () => {
    const unnamed = pod({ name: '', containers: [one('a'), one('b')], metadata: { generateName: 'web-' } });
    expect(injection.hold().create(unnamed).metadata).toMatchObject({ name: '' });
  });

  test('whose name is too long for a ConfigMap is refused, since it could never start', () => {
    const named = (length: number) =>
      pod({ name: 'n'.repeat(length), annotations: ORDERED, containers: [one('a'), one('b')] });
    expect(injection.hold().review(named(245))).toMatchObject({ allowed: true });
    expect(injection.review(named(246))).toMatchObject({
      allowed: false,
      code: 400,
      message: expect.stringContaining('metadata.name'),
    });
  });

  test('copied from a cluster gets its own barrier in place of the old ones', () => {
    const old = {
      name: 'KRUISE_CONTAINER_BARRIER',
      valueFrom: { configMapKeyRef: { name: 'old-barrier', key: 'p_0' } },
    };
    const plain = { name: 'KRUISE_CONTAINER_BARRIER', value: 'x' };
    const created = injection.hold().create(
      pod({
        annotations: ORDERED,
        containers: [one('a'), container('b', { env: [plain, ...env({ A: '1' }), old] })],
      }),
    );
    expect(barriers(created, 'b')).toEqual(['web-0-barrier p_-1']);
    expect(see.envOf('b')(created)).toEqual(['KRUISE_CONTAINER_BARRIER<configMapKeyRef', 'A=1']);
  });

  test('waits for sidecars, but not for init containers', () => {
    const set = sidecarSet('mesh', {
      containers: [sidecar('proxy', { env: env({ KRUISE_CONTAINER_PRIORITY: '10' }) })],
    });
    const created = injection.hold(set).create(pod({ initContainers: [one('init', '7')] }));
    expect(see.containers(created)).toEqual(['proxy', 'app']);
    expect(keysOf(created)).toEqual([['p_10'], ['p_0']]);
    expect(barriers(created, 'init')).toEqual([]);
  });

  test.each([
    ['an update', { operation: 'UPDATE' }],
    ['a sub-resource', { subResource: 'status' }],
  ])('is left alone in %s', (_what, parts) => {
    const before = pod({ annotations: ORDERED, containers: [one('a'), one('b')] });
    expect(injection.hold().create(before, parts)).toEqual(before);
  });

  test('is ordered in a dry run too', () => {
    const before = pod({ annotations: ORDERED, containers: [one('a'), one('b')] });
    expect(keysOf(injection.hold().create(before, { dryRun: true }))).toEqual([['p_0'], ['p_-1']]);
  });
});

test('priorities are integers of 64 bits as they are read elsewhere', async () => {
  const injection = (await Injection.start()).hold();
  const bounds = [-(2n ** 63n), 2n ** 63n - 1n] as const;
  fc.assert(
    fc.property(fc.bigInt({ min: bounds[0] - 3n, max: bounds[1] + 3n }), (priority) => {
      const { allowed, object } = injection.review(pod({ containers: [one('a', `${priority}`), one('b', '-1')] }));
      expect(allowed).toBe(priority >= bounds[0] && priority <= bounds[1]);
      if (object !== undefined && priority !== -1n)
        expect(barriers(object, 'a')).toEqual([`web-0-barrier p_${priority}`]);
    }),
    { numRuns: 200 },
  );
});
