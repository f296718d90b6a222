// Hashes that kubelets and the node daemon report, and when an update is finished by them (inplace-update 5, 6 and 14; C037).
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../api/core/json.ts';
import { effectiveGates, parseGates } from '../../../../api/gates.ts';
import { isUpdateComplete } from '../../../../reconcilers/shared/inplace/completion.ts';
import { environmentHash, plainHashes } from '../../../../reconcilers/shared/inplace/hashes.ts';
import type { Pod, PodContainer } from '../../../../reconcilers/shared/pod.ts';

const GATES = effectiveGates();
const VERTICAL = effectiveGates(parseGates('InPlaceWorkloadVerticalScaling=true'));
const STATE = 'apps.kruise.io/inplace-update-state';
const META = 'apps.kruise.io/runtime-containers-meta';

type Running = JsonObject & { name: string };

function pod(containers: Running[], statuses: Running[], annotations: Record<string, string> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'shop', uid: 'u', resourceVersion: '1', annotations },
    spec: { containers },
    status: { containerStatuses: statuses },
  } as unknown as Pod;
}

const updating = (imageID: string, more: JsonObject = {}) =>
  JSON.stringify({
    revision: 'r',
    updateTimestamp: '2026-03-01T12:00:00Z',
    lastContainerStatuses: { main: { imageID } },
    ...more,
  });
const main = (image: string): Running => ({ name: 'main', image });
const status = (image: string, imageID: string, more: JsonObject = {}): Running => ({
  name: 'main',
  image,
  imageID,
  containerID: 'containerd://1',
  ready: true,
  ...more,
});
const report = (plainHash: number, more: JsonObject = {}, containerID = 'containerd://1') =>
  JSON.stringify({
    containers: [{ name: 'main', containerID, restartCount: 0, hashes: { plainHash, ...more } }],
  });

const APP_CONFIG = {
  env: [{ name: 'APP_CONFIG', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['cfg']" } } }],
};

describe('hashes', () => {
  it('are those of kubelets, new and old', () => {
    expect(plainHashes(main('nginx:1.25'))[0]).toBe(436018172);
    expect(plainHashes(main('nginx:1.26'))[0]).toBe(1434073913);
    const whole = {
      ...main('nginx:1.25'),
      resources: {},
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      imagePullPolicy: 'Always',
    } as unknown as PodContainer;
    expect(plainHashes(whole)[1]).toBe(3176300427);
  });

  it.each([
    ['v1', 4274367333],
    ['v2', 984755435],
    ['', 225531427],
  ])('of an environment with %o', (cfg, expected) => {
    const container = { ...main('i'), ...APP_CONFIG } as PodContainer;
    expect(environmentHash(pod([main('i')], [], { cfg }), container)).toBe(expected);
  });

  it('of an environment without labels and annotations', () => {
    expect(environmentHash(pod([], []), main('i'))).toBe(86995377);
  });
});

describe('an update of an image', () => {
  it.each([
    ['nginx:1.26', 'nginx:1.26', 'new', true],
    ['nginx:1.26', 'nginx:1.25', 'old', false],
    ['nginx:1.26', 'nginx:1.26', 'old', true],
    ['nginx', 'nginx:latest', 'old', true],
    ['nginx', 'docker.io/library/nginx:latest', 'old', true],
    ['nginx', 'docker.io/library/nginx:1', 'old', false],
    ['localhost:5000/side', 'localhost:5000/side:latest', 'old', true],
    ['localhost:5000/side', 'localhost:5000/side:1', 'old', false],
    ['a/b', 'docker.io/a/b:latest', 'old', true],
    ['quay.io/a/b', 'docker.io/a/b:latest', 'old', false],
  ])('to %s is, with %s running under the %s id, finished: %s', (wanted, running, id, expected) => {
    expect(isUpdateComplete(pod([main(wanted)], [status(running, id)], { [STATE]: updating('old') }), GATES)).toBe(
      expected,
    );
  });

  it('is finished when the container runs it by the report of the daemon', () => {
    const found = (meta: string) =>
      isUpdateComplete(
        pod([main('nginx:1.26')], [status('nginx:1.25', 'old')], { [STATE]: updating('old'), [META]: meta }),
        GATES,
      );
    expect(found(report(1434073913))).toBe(true);
    expect(found(report(436018172))).toBe(false);
    expect(found(report(1434073913, {}, 'containerd://0'))).toBe(false);
    expect(found('no report')).toBe(false);
  });

  it('is not finished without a status of the container', () => {
    expect(isUpdateComplete(pod([main('i')], [], { [STATE]: updating('old') }), GATES)).toBe(false);
  });

  it('is not finished in its grace, before its last batch, or with a state that cannot be read', () => {
    const done = [status('i:2', 'new')];
    const complete = (annotations: Record<string, string>) =>
      isUpdateComplete(pod([main('i:2')], done, annotations), GATES);
    expect(complete({ [STATE]: updating('old') })).toBe(true);
    expect(complete({})).toBe(true);
    expect(complete({ [STATE]: updating('old'), 'apps.kruise.io/inplace-update-grace': '{}' })).toBe(false);
    expect(complete({ [STATE]: updating('old', { nextContainerImages: { b: 'x' } }) })).toBe(false);
    expect(complete({ [STATE]: updating('old', { nextContainerResources: { b: { limits: { cpu: '1' } } } }) })).toBe(
      false,
    );
    expect(complete({ [STATE]: '{' })).toBe(false);
    expect(complete({ 'inplace-update-state': updating('new') })).toBe(true);
  });
});

describe('an update of metadata that is in the environment', () => {
  const state = { [STATE]: updating('x', { lastContainerStatuses: null, updateEnvFromMetadata: true }) };
  const complete = (meta: Record<string, string>) =>
    isUpdateComplete(
      pod([{ ...main('i'), ...APP_CONFIG }], [status('i', 'id')], { cfg: 'v2', ...state, ...meta }),
      GATES,
    );

  it('is finished when the daemon reports the new values', () => {
    expect(complete({ [META]: report(0, { extractedEnvFromMetadataHash: 4274367333 }) })).toBe(false);
    expect(complete({ [META]: report(0, { extractedEnvFromMetadataHash: 984755435 }) })).toBe(true);
  });

  it('is not finished without the daemon', () => {
    expect(complete({})).toBe(false);
  });
});

describe('an update of resources', () => {
  const state = {
    [STATE]: updating('x', {
      lastContainerStatuses: null,
      updateResources: true,
      containerBatchesRecord: [{ timestamp: null, containers: ['main'] }],
    }),
  };
  const resources = { limits: { cpu: '2' }, requests: {} };
  const side: Running = { name: 'side', image: 's', resources: { limits: { cpu: '9' } } };
  const complete = (actual: JsonObject, gates = VERTICAL) =>
    isUpdateComplete(pod([{ ...main('i'), resources }, side], [status('i', 'id', actual)], state), gates);

  it('is finished when the container has them, in whatever writing', () => {
    expect(complete({ resources: { limits: { cpu: '2000m' } } })).toBe(true);
    expect(complete({ resources: { limits: { cpu: '1' } } })).toBe(false);
    expect(complete({})).toBe(false);
  });

  it('does not count without the gate', () => {
    expect(complete({}, GATES)).toBe(true);
  });
});
