// Acceptance cases 6 and 14 to 20 of podprobemarker.md, and the rules behind them (2).
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../api/core/json.ts';
import { KindAdmission } from '../../../support/kind-admission.ts';

let admission: KindAdmission;
beforeAll(async () => {
  admission = await KindAdmission.start();
});

const exec = { exec: { command: ['/idle.sh'] } };
const idle: JsonObject = { name: 'idle', containerName: 'main', probe: exec, podConditionType: 'game.io/idle' };
const marker = (spec: { [member: string]: Json }): JsonObject => ({
  apiVersion: 'apps.kruise.io/v1alpha1',
  kind: 'PodProbeMarker',
  metadata: { name: 'm', namespace: 'g' },
  spec: { selector: { matchLabels: { app: 'game' } }, probes: [idle], ...spec },
});

/** What is told about creating, or updating, the object; 'allowed' if nothing is. */
function told(object: JsonObject, old?: JsonObject): string {
  const { allowed, code, message } = admission.validate(object, old);
  return allowed ? 'allowed' : `${code} ${message}`;
}
const toldOf = (...probes: JsonObject[]) => told(marker({ probes: probes.map((probe) => ({ ...idle, ...probe })) }));
const toldOfProbe = (probe: JsonObject) => toldOf({ probe });
const toldOfPolicies = (...markerPolicy: JsonObject[]) => toldOf({ markerPolicy });

describe('the selector', () => {
  test('must be there and select something (19)', () => {
    expect(told(marker({ selector: null }))).toBe(
      '400 spec.selector: Invalid value: "null": empty Selector is not valid for PodProbeMarker.',
    );
    expect(told(marker({ selector: {} }))).toMatch(/empty selector is not valid for podProbeMarker\.$/);
  });

  test('cannot be changed, the probes can (18)', () => {
    expect(told(marker({ selector: { matchLabels: { app: 'x' } } }), marker({}))).toBe(
      '400 selector: Invalid value: {"matchLabels":{"app":"x"}}: selector must be immutable',
    );
    expect(told(marker({ probes: [{ ...idle, probe: { exec: { command: ['new'] } } }] }), marker({}))).toBe('allowed');
  });
});

describe('probes', () => {
  test('must be there', () => {
    expect(told(marker({ probes: [] }))).toBe(
      '400 spec.probes: Invalid value: []: empty probes is not valid for PodProbeMarker.',
    );
  });

  test.each<[string, JsonObject[], string]>([
    ['one name twice (16)', [{}, {}], '"idle": probe name must be unique in PodProbeMarker.'],
    ['a # in the name (16)', [{ name: 'a#b' }], `"a#b": probe name can't contains '#'.`],
    ['a condition as name (16)', [{ name: 'Ready' }], `"Ready": probe name can't be Ready`],
    [
      'one condition twice',
      [{}, { name: 'other' }],
      '"game.io/idle": podConditionType game.io/idle must be unique in podProbeMarker',
    ],
  ])('may not have %s', (_what, probes, answer) => {
    expect(toldOf(...probes)).toBe(`400 spec.probes: Invalid value: ${answer}`);
  });

  test.each([{ name: '' }, { containerName: '' }])('need a name and a container: %j', (members) => {
    expect(toldOf(members)).toMatch(/^400 spec.probes: Invalid value: \{.*\}: probe name and containerName can't be/);
  });

  test('tell a condition or mark pods (6)', () => {
    const markerPolicy = [{ state: 'Succeeded', labels: { idle: 'true' } }];
    expect(toldOf({ podConditionType: '' })).toMatch(/podConditionType and markerPolicy cannot be empty/);
    expect(toldOf({ podConditionType: '', markerPolicy })).toBe('allowed');
    expect(toldOf({})).toBe('allowed');
  });

  test('may tell conditions of the platform, as they always could, with a warning', () => {
    expect(admission.validate(marker({ probes: [{ ...idle, podConditionType: 'Ready' }] }))).toMatchObject({
      allowed: true,
      warnings: [
        'spec.probes: podConditionType Ready is written by others too; the result of the probe may replace theirs',
      ],
    });
    expect(admission.validate(marker({})).warnings).toBeUndefined();
    expect(toldOf({ podConditionType: 'not valid!' })).toMatch(
      /^400 spec: Invalid value: "not valid!": name part must/,
    );
  });

  test('are told of up to the first that cannot be understood', () => {
    const odd = { probe: {} };
    expect(toldOf(odd, { name: 'b', podConditionType: 'b', ...odd }, {}, { name: 'c', ...odd })).toBe(
      '400 [spec.probe: Required value: must specify a handler type, spec.probes: Invalid value: "idle": probe name must be unique in PodProbeMarker.]',
    );
  });
});

describe('the handler', () => {
  const http = { path: '/h', port: 80, scheme: 'HTTP' };
  const manyHandlers = 'may not specify more than 1 handler type';

  test.each<[string, JsonObject, string]>([
    ['exec without a command', { exec: {} }, '.exec.command: Required value'],
    [
      'httpGet without a scheme (14)',
      { httpGet: { ...http, scheme: '' } },
      '.httpGet.scheme: Unsupported value: "": supported values: "HTTP", "HTTPS"',
    ],
    [
      'httpGet with a host (14)',
      { httpGet: { ...http, host: 'x' } },
      '.httpGet.host: Invalid value: "x": host field in probes is not allowed',
    ],
    ['httpGet without a path (14)', { httpGet: { ...http, path: '' } }, '.httpGet.path: Required value'],
    [
      'httpGet with a path that is no URL',
      { httpGet: { ...http, path: '/%zz' } },
      '.httpGet.path: Invalid value: "/%zz": parse "/%zz": invalid URL escape "%zz"',
    ],
    ['grpc (15)', { grpc: { port: 9 } }, ': Required value: must specify a handler type'],
    ['exec and tcpSocket (15)', { ...exec, tcpSocket: { port: 1 } }, `.tcpSocket: Forbidden: ${manyHandlers}`],
    [
      'tcpSocket with port 0',
      { tcpSocket: { port: 0 } },
      '.tcpSocket.port: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
    [
      'a negative period',
      { ...exec, periodSeconds: -1 },
      '.periodSeconds: Invalid value: -1: must be greater than or equal to 0',
    ],
  ])('%s is refused', (_what, probe, answer) => {
    expect(toldOfProbe(probe)).toBe(`400 spec.probe${answer}`);
  });

  test.each<[JsonObject]>([
    [{ tcpSocket: { port: 'web' } }],
    [{ httpGet: { ...http, httpHeaders: [{ name: 'X-A', value: '' }] } }],
    [{ ...exec, terminationGracePeriodSeconds: -5 }],
  ])('%j is admitted', (probe) => {
    expect(toldOfProbe(probe)).toBe('allowed');
  });
});

describe('a marker policy', () => {
  const labels = { a: 'b' };

  test.each<[string, JsonObject[], string]>([
    [
      'for Unknown (17)',
      [{ state: 'Unknown', labels }],
      ".state: Required value: marker policy state must be 'True' or 'False'",
    ],
    [
      'for a state twice (17)',
      [
        { state: 'Failed', labels },
        { state: 'Failed', labels },
      ],
      ': Invalid value: "Failed": marker policy state must be unique.',
    ],
    [
      'that sets nothing (17)',
      [{ state: 'Failed' }],
      ": Required value: marker policy annotations or labels can't be both empty",
    ],
  ])('%s is refused', (_what, policies, answer) => {
    expect(toldOfPolicies(...policies)).toBe(`400 spec.markerPolicy${answer}`);
  });

  test('sets labels and annotations that pods may have', () => {
    expect(toldOfPolicies({ state: 'Failed', labels: { a: 'not a label' } })).toMatch(
      /^400 spec.markerPolicy.labels: Invalid value: "not a label"/,
    );
    expect(toldOfPolicies({ state: 'Failed', annotations: { 'a b': '' } })).toMatch(
      /^400 spec.markerPolicy.annotations: Invalid value: "a b"/,
    );
  });
});

test.each(['PodProbeMarkerGate', 'KruiseDaemon'])('the gate %s must be on (20)', async (gate) => {
  const closed = await KindAdmission.start({ [gate]: false });
  expect(closed.validate(marker({}))).toMatchObject({
    allowed: false,
    code: 403,
    // Without the daemon, the other gate is off as well.
    message: 'feature-gate PodProbeMarkerGate is not enabled',
  });
});
