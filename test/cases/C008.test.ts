// C008: during a partial rollout, newly released applications all got the new sidecar (openkruise/kruise#783, PR 789).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { namespace, revision } from '../support/builders/cluster.ts';
import { pod } from '../support/builders/pod.ts';
import { sidecar, sidecarSet } from '../support/builders/sidecarset.ts';
import { Injection } from '../support/injection.ts';
import { validateSidecarSet } from '../support/kinds.ts';
import * as see from '../support/see.ts';

const old = revision({
  name: 'mesh-6d9',
  of: sidecarSet('mesh', { containers: [sidecar('mesh', { image: 'example.com/mesh:1' })], hashes: ['h-1', 'hw-1'] }),
  customVersion: 'v1',
});

function rollout(choice: JsonObject, updateStrategy: JsonObject = {}): JsonObject {
  return sidecarSet('mesh', {
    containers: [sidecar('mesh', { image: 'example.com/mesh:2' })],
    updateStrategy,
    spec: { injectionStrategy: { revision: choice } },
  });
}

async function imagesOf(set: JsonObject, pods: JsonObject[]): Promise<string[]> {
  const injection = (await Injection.start()).hold(namespace('shop'), set, old);
  const created = pods.map((one, index) => injection.create(one, { uid: `review-${index}` }));
  return created.map((one) => String(see.containerOf('mesh')(one)?.image).split(':')[1] ?? '');
}

const plain = pod();
const canary = pod({ labels: { app: 'web', canary: 'yes' } });
const toCanary = { selector: { matchLabels: { canary: 'yes' } } };

describe.each<[string, JsonObject]>([
  ['name', { revisionName: 'mesh-6d9' }],
  ['version', { customVersion: 'v1' }],
])('a revision given by its %s', (_by, named) => {
  test('is injected everywhere by policy Always', async () => {
    expect(await imagesOf(rollout({ ...named, policy: 'Always' }, toCanary), [plain, canary])).toEqual(['1', '1']);
  });

  test('is injected by policy Partial where the rollout has not come', async () => {
    expect(await imagesOf(rollout({ ...named, policy: 'Partial' }, toCanary), [plain, canary])).toEqual(['1', '2']);
  });

  test('is injected everywhere while updates are paused', async () => {
    const paused = rollout({ ...named, policy: 'Partial' }, { ...toCanary, paused: true });
    expect(await imagesOf(paused, [plain, canary])).toEqual(['1', '1']);
  });

  test('is injected to the kept back percentage', async () => {
    const many = Array.from({ length: 200 }, (_, index) => pod({ name: `web-${index}` }));
    const count = async (partition: string) =>
      (await imagesOf(rollout({ ...named, policy: 'Partial' }, { partition }), many)).filter(
        (version) => version === '1',
      ).length;
    expect(await count('100%')).toBe(200);
    expect(await count('0%')).toBe(0);
    const half = await count('50%');
    expect(half).toBeGreaterThan(60);
    expect(half).toBeLessThan(140);
  });
});

test('of several revisions of one version, the newest is injected', async () => {
  const newer = revision({
    name: 'mesh-7f4',
    of: sidecarSet('mesh', { containers: [sidecar('mesh', { image: 'example.com/mesh:1b' })] }),
    revision: 2,
    customVersion: 'v1',
  });
  const injection = (await Injection.start()).hold(rollout({ customVersion: 'v1' }), newer, old);
  expect(see.containerOf('mesh')(injection.create(plain))?.image).toBe('example.com/mesh:1b');
});

describe('a revision that is not there', () => {
  test('refuses the pods', async () => {
    const injection = (await Injection.start()).hold(rollout({ revisionName: 'mesh-none' }), old);
    expect(injection.review(plain)).toMatchObject({
      allowed: false,
      message: expect.stringContaining('"mesh-none" not found'),
    });
  });

  test('refuses the SidecarSet that names it', async () => {
    const verdict = await validateSidecarSet(rollout({ revisionName: 'mesh-none' }), [old]);
    expect(verdict).toMatchObject({ allowed: false, message: expect.stringMatching(/^revision: Invalid value/) });
    expect(await validateSidecarSet(rollout({ revisionName: 'mesh-6d9', policy: 'Always' }), [old])).toMatchObject({
      allowed: true,
    });
  });
});
