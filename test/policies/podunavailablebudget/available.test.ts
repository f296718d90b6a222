// Which pods serve, so that disturbing them costs a unit: what runs is held against what is asked for
// (podunavailablebudget.md 4, inplace-update.md 5 and 6).
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { main, mainStatus, Protection, protecting, type RunningParts, running } from '../../support/protection.ts';

const cluster = await Protection.start();
const scaling = await Protection.start({ InPlaceWorkloadVerticalScaling: true });
const DIGEST = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;

/** Without a unit left, a pod that serves cannot go. */
function serves(parts: RunningParts, asked = cluster): boolean {
  asked.hold(protecting({ status: { unavailableAllowed: 0 } }));
  const { allowed, code } = asked.delete(running(parts));
  if (!allowed) expect(code).toBe(403);
  // What controllers count.
  expect(asked.isAvailable(running(parts))).toBe(!allowed);
  return !allowed;
}

describe('an image with a digest', () => {
  test.each<[string, string, string, boolean]>([
    ['the same', `registry.example.com/web@${DIGEST}`, `registry.example.com/web@${DIGEST}`, true],
    [
      'with a tag',
      `registry.example.com/web:1@${DIGEST}`,
      `docker-pullable://registry.example.com/web@${DIGEST}`,
      true,
    ],
    ['another', `registry.example.com/web@${DIGEST}`, `registry.example.com/web@${OTHER}`, false],
    ['of another repository', `registry.example.com/web@${DIGEST}`, `registry.example.com/app@${DIGEST}`, false],
    ['of a short name', `nginx@${DIGEST}`, `docker.io/library/nginx@${DIGEST}`, true],
    ['of a short path', `shop/web:1@${DIGEST}`, `index.docker.io/shop/web@${DIGEST}`, true],
    ['of a host with a port', `localhost:5000/web@${DIGEST}`, `localhost:5000/web@${DIGEST}`, true],
    ['without repository, which tells nothing', `registry.example.com/web@${DIGEST}`, OTHER, true],
    ['none', `registry.example.com/web@${DIGEST}`, '', false],
    ['no digest', `registry.example.com/web@${DIGEST}`, 'registry.example.com/web:1', false],
  ])('runs by an image ID: %s', (_what, image, imageID, expected) => {
    const parts = { containers: [main({ image })], containerStatuses: [mainStatus({ image, imageID })] };
    expect(serves(parts)).toBe(expected);
  });

  test('needs a status', () => {
    expect(serves({ containers: [main({ image: `web@${DIGEST}` })], containerStatuses: [] })).toBe(false);
  });

  test('does not hide an update in place', () => {
    const image = `registry.example.com/web@${DIGEST}`;
    const parts = { containers: [main({ image })], containerStatuses: [mainStatus({ image, imageID: image })] };
    expect(serves({ ...parts, annotations: { 'apps.kruise.io/inplace-update-grace': '{}' } })).toBe(false);
  });
});

const BEFORE = { lastContainerStatuses: { main: { imageID: 'id-1' } } };

function updating(state: JsonObject | string, status: JsonObject = {}, image = 'nginx:1.25'): RunningParts {
  const text = typeof state === 'string' ? state : JSON.stringify({ revision: 'web-2', ...state });
  return {
    annotations: { 'apps.kruise.io/inplace-update-state': text },
    containers: [main({ image })],
    containerStatuses: [mainStatus({ image: 'nginx:1.24', imageID: 'id-1', ...status })],
  };
}

describe('an update in place', () => {
  test.each<[string, RunningParts, boolean]>([
    ['with the old image', updating(BEFORE), false],
    ['with another image ID', updating(BEFORE, { imageID: 'id-2' }), true],
    ['with the image wanted', updating(BEFORE, { image: 'nginx:1.25' }), true],
    ['with the latest image wanted', updating(BEFORE, { image: 'nginx:latest' }, 'nginx'), true],
    ['with the image wanted, in full', updating(BEFORE, { image: 'docker.io/library/nginx:1.25' }), true],
    ['with the latest image of a port', updating(BEFORE, { image: 'local:5000/a:latest' }, 'local:5000/a'), true],
    ['with an image that is not the latest', updating(BEFORE, { image: 'local:5000/a:1' }, 'local:5000/a'), false],
    ['of a container without status', updating({ lastContainerStatuses: { side: { imageID: 'x' } } }), false],
    ['of which nothing is recorded', updating({ lastContainerStatuses: null }), true],
    ['that is null', updating('null'), true],
    ['that is no JSON', updating('x'), false],
    ['that is empty', updating(''), false],
    ['that is a list', updating('[]'), false],
    ['with a wrong time', updating({ updateTimestamp: 'today' }), false],
    ['with more images to come', updating({ nextContainerImages: { side: 'x:2' } }), false],
    ['in other letters', updating({ LastContainerStatuses: { main: { ImageID: 'id-1' } } }), false],
    ['in other letters, with more to come', updating({ NextContainerImages: { side: 'x:2' } }), false],
    ['with no more images to come', updating({ nextContainerImages: {} }), true],
    ['with more metadata to come', updating({ nextContainerRefMetadata: { side: { labels: { a: 'b' } } } }), false],
    ['with more resources to come', updating({ nextContainerResources: { side: {} } }), false],
  ])('%s', (_what, parts, expected) => {
    expect(serves(parts)).toBe(expected);
  });

  test.each<[string, Record<string, string>, boolean]>([
    ['a grace period', { 'inplace-update-grace': '' }, false],
    ['an old key', { 'inplace-update-state': 'x' }, false],
    ['a new key beside an old one', { 'inplace-update-state': 'x', 'apps.kruise.io/inplace-update-state': '{}' }, true],
  ])('is known by %s', (_what, annotations, expected) => {
    expect(serves({ annotations })).toBe(expected);
  });

  const meta = (hashes: JsonObject | string, containerID = 'containerd://c1'): string =>
    typeof hashes === 'string' ? hashes : JSON.stringify({ containers: [{ name: 'main', containerID, hashes }] });
  const reported = (state: JsonObject, text: string, container: JsonObject = {}): RunningParts => {
    const parts = updating(state);
    const annotations = { ...parts.annotations, 'apps.kruise.io/runtime-containers-meta': text };
    return { ...parts, annotations, containers: [main({ image: 'nginx:1.25', ...container })] };
  };
  const env = [{ name: 'APP_CONFIG', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['config']" } } }];
  const configured = (value: string, hash: number): RunningParts => {
    const parts = reported({ updateEnvFromMetadata: true }, meta({ extractedEnvFromMetadataHash: hash }), { env });
    return { ...parts, annotations: { ...parts.annotations, config: value } };
  };
  const old = {
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'Always',
  };

  test.each<[string, RunningParts, boolean]>([
    ['the hash of name and image', reported(BEFORE, meta({ plainHash: 436018172 })), true],
    [
      'the hash in other letters',
      reported(
        BEFORE,
        '{"Containers":[{"Name":"main","ContainerID":"containerd://c1","Hashes":{"PlainHash":436018172}}]}',
      ),
      true,
    ],
    ['the hash of the whole container', reported(BEFORE, meta({ plainHash: 3176300427 }), old), true],
    ['the hash of another image', reported(BEFORE, meta({ plainHash: 1434073913 })), false],
    ['the hash of another container', reported(BEFORE, meta({ plainHash: 436018172 }, 'containerd://c0')), false],
    ['nothing of it', reported(BEFORE, '{"containers":[]}'), false],
    ['no JSON', reported({}, 'x'), false],
    ['the environment wanted', configured('v1', 4274367333), true],
    ['another environment', configured('v2', 4274367333), false],
    ['the next environment', configured('v2', 984755435), true],
    ['an empty environment', configured('', 225531427), true],
    [
      'no environment',
      reported({ updateEnvFromMetadata: true }, meta({ extractedEnvFromMetadataHash: 86995377 })),
      true,
    ],
    ['nothing at all of an environment', updating({ updateEnvFromMetadata: true }), false],
  ])('of which the node reports %s', (_what, parts, expected) => {
    expect(serves(parts)).toBe(expected);
  });

  test.each<[string, JsonObject, boolean]>([
    ['reported', { resources: { requests: { cpu: '1000m' } } }, true],
    ['of before', { resources: { requests: { cpu: '500m' } } }, false],
    ['not reported', {}, false],
  ])('of resources waits for those that are wanted: %s', (_what, status, expected) => {
    const parts = updating({ updateResources: true }, status);
    const containers = [main({ image: 'nginx:1.25', resources: { requests: { cpu: '1' } } })];
    expect(serves({ ...parts, containers }, scaling)).toBe(expected);
    expect(serves({ ...parts, containers })).toBe(true);
  });
});

describe('the upgrade of an injected container', () => {
  const sidecar = { name: 'agent', image: 'agent:2', env: [{ name: 'IS_INJECTED', value: 'true' }] };
  const upgrading = (
    state: JsonObject | string,
    parts: { sets?: string; sidecar?: JsonObject; status?: JsonObject } = {},
  ) => ({
    annotations: {
      'kruise.io/sidecarset-injected-list': parts.sets ?? 'logging',
      'kruise.io/sidecarset-inplace-update-state': typeof state === 'string' ? state : JSON.stringify(state),
    },
    containers: [main(), { ...sidecar, ...parts.sidecar }],
    containerStatuses: [mainStatus(), { name: 'agent', image: 'agent:1', imageID: 'id-1', ...parts.status }],
  });
  const agent = { lastContainerStatuses: { agent: { imageID: 'id-1' } } };

  test.each<[string, RunningParts, boolean]>([
    ['under way', upgrading({ logging: agent }), false],
    ['done', upgrading({ logging: agent }, { status: { imageID: 'id-2' } }), true],
    ['to the same image', upgrading({ logging: agent }, { status: { image: 'agent:2' } }), true],
    ['by a set that is not injected', upgrading({ tracing: agent }), true],
    ['of a container that is not injected', upgrading({ logging: agent }, { sidecar: { env: [] } }), true],
    ['where no set is injected', upgrading('x', { sets: '' }), true],
    ['that cannot be read', upgrading('x'), false],
    [
      'by the last set, by name',
      upgrading({ a: { lastContainerStatuses: { agent: { imageID: 'id-0' } } }, b: agent }, { sets: 'b,a' }),
      false,
    ],
    [
      'by the first set only',
      upgrading({ a: agent, b: { lastContainerStatuses: { agent: { imageID: 'id-0' } } } }, { sets: 'b,a' }),
      true,
    ],
  ])('%s', (_what, parts, expected) => {
    expect(serves(parts)).toBe(expected);
  });
});
