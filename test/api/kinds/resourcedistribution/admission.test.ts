// Acceptance cases 14 to 24 of resourcedistribution.md, and the rules behind them (2).
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../api/core/json.ts';
import { KindAdmission } from '../../../support/kind-admission.ts';

let admission: KindAdmission;
beforeAll(async () => {
  admission = await KindAdmission.start({ ResourceDistributionGate: true });
});

const configMap: JsonObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm' }, data: { k: 'v' } };
const distribution = (resource: Json, targets: JsonObject = {}, version = 'v1beta1'): JsonObject => ({
  apiVersion: `apps.kruise.io/${version}`,
  kind: 'ResourceDistribution',
  metadata: { name: 'rd' },
  spec: { resource, targets },
});

/** What is told about creating, or updating, the object; 'allowed' if nothing is. */
function told(object: JsonObject, old?: JsonObject): string {
  const { allowed, code, message } = admission.validate(object, old);
  return allowed ? 'allowed' : `${code} ${message}`;
}
const toldOf = (resource: Json) => told(distribution(resource));
const refused = (reason: string) => `422 spec.resource: Invalid value: "null": spec.resource is invalid: ${reason}`;

describe('the resource', () => {
  test.each<[string, Json, string]>([
    [
      'may be no Service (16)',
      { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' } },
      'spec.resource: Invalid value: Service: unknown or unsupported resource GroupKind, only support [Secret ConfigMap]',
    ],
    [
      'may be no Deployment (16)',
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 's' } },
      'spec.resource: Invalid value: Deployment.apps: unknown or unsupported resource GroupKind, only support [Secret ConfigMap]',
    ],
    ['must be there (17)', null, 'spec.resource: Invalid value: "null": empty resource is not allowed'],
    [
      'must have a kind (17)',
      {},
      "spec.resource: Internal error: failed to deserialize resource, please check your spec.resource, err Object 'Kind' is missing in '{}'",
    ],
    [
      'must be an object',
      'text',
      'spec.resource: Internal error: failed to deserialize resource, please check your spec.resource, err expected an object, got "text"',
    ],
    [
      'must have a name',
      { ...configMap, metadata: { generateName: 'cm-' } },
      'spec.resource: Invalid value: "null": resource must have a name',
    ],
    [
      'must be of a version that exists',
      { ...configMap, apiVersion: 'v2' },
      'spec.resource: Internal error: no matches for kind "ConfigMap" in version "v2"',
    ],
  ])('%s', (_rule, resource, answer) => {
    expect(toldOf(resource)).toBe(`422 ${answer}`);
  });

  test('may name a namespace, which does not count (24)', () => {
    expect(toldOf({ ...configMap, metadata: { name: 'cm', namespace: 'Not Valid' } })).toBe('allowed');
  });

  test('keeps its identity on updates (14, 15)', () => {
    const old = distribution(configMap);
    const answer = '422 spec.resource: Invalid value: "null": resource apiVersion, kind, and name are immutable';
    expect(told(distribution({ ...configMap, metadata: { name: 'other' } }), old)).toBe(answer);
    expect(told(distribution({ ...configMap, kind: 'Secret' }), old)).toBe(answer);
    const changed = { ...configMap, metadata: { name: 'cm', labels: { a: 'b' } }, data: { k: 'w' } };
    expect(told(distribution(changed, { allNamespaces: true }), old)).toBe('allowed');
  });

  test('without a name can still be updated', () => {
    const nameless = { ...configMap, metadata: { generateName: 'cm-' } };
    expect(told(distribution({ ...nameless, data: {} }), distribution(nameless))).toBe('allowed');
  });
});

describe('what an API server would refuse is refused', () => {
  const keyRule =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

  test.each<[string, JsonObject, string]>([
    [
      'a bad key (18)',
      { data: { 'bad key!': 'v' } },
      `ConfigMap "cm" is invalid: data[bad key!]: Invalid value: "bad key!": ${keyRule}`,
    ],
    [
      'a key twice',
      { binaryData: { k: 'AA==' } },
      'ConfigMap "cm" is invalid: data[k]: Invalid value: "k": duplicate of key present in binaryData',
    ],
    [
      'a number as value',
      { data: { k: 1 } },
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
    [
      'broken bytes',
      { binaryData: { b: 'A' } },
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: illegal base64 data at input byte 1',
    ],
    [
      'too much',
      { data: { k: 'x'.repeat(1024 * 1024 + 1) } },
      'ConfigMap "cm" is invalid: []: Too long: may not be more than 1048576 bytes',
    ],
  ])('in a ConfigMap: %s', (_what, members, reason) => {
    expect(toldOf({ ...configMap, ...members })).toBe(refused(reason));
  });

  const secret = (type: string, members: JsonObject = {}): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's' },
    type,
    ...members,
  });
  const missing = (...keys: string[]) => {
    const errors = keys.map((key) => `data[${key}]: Required value`);
    return `Secret "s" is invalid: ${errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`}`;
  };

  test.each<[string, JsonObject, string]>([
    ['kubernetes.io/tls', {}, missing('tls.crt', 'tls.key')],
    ['kubernetes.io/tls', { stringData: { 'tls.crt': '' } }, missing('tls.key')],
    ['kubernetes.io/basic-auth', {}, missing('username', 'password')],
    ['kubernetes.io/ssh-auth', {}, missing('ssh-privatekey')],
    ['kubernetes.io/dockerconfigjson', {}, missing('.dockerconfigjson')],
    [
      'kubernetes.io/dockerconfigjson',
      { stringData: { '.dockerconfigjson': '{' } },
      'Secret "s" is invalid: data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": unexpected end of JSON input',
    ],
    [
      'kubernetes.io/service-account-token',
      {},
      'Secret "s" is invalid: metadata.annotations[kubernetes.io/service-account.name]: Required value',
    ],
    ['Opaque', { stringData: { 'a b': 'c' } }, `Secret "s" is invalid: data[a b]: Invalid value: "a b": ${keyRule}`],
    [
      'Opaque',
      { data: { a: 'no base64' } },
      'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 2',
    ],
  ])('in a Secret of type %s with %j', (type, members, reason) => {
    expect(toldOf(secret(type, members))).toBe(refused(reason));
  });

  test.each<[string, JsonObject]>([
    ['Opaque', {}],
    ['', { data: { a: 'YQ==' }, stringData: { b: 'c' } }],
    ['example.com/own', {}],
    ['kubernetes.io/tls', { data: { 'tls.crt': '' }, stringData: { 'tls.key': 'k' } }],
    ['kubernetes.io/basic-auth', { stringData: { password: 'p' } }],
    ['kubernetes.io/dockercfg', { data: { '.dockercfg': 'e30=' } }],
  ])('a Secret of type %s with %j is admitted', (type, members) => {
    expect(toldOf(secret(type, members))).toBe('allowed');
  });
});

describe('the targets', () => {
  const names = (...list: string[]) => ({ list: list.map((name) => ({ name })) });
  const toldAbout = (targets: JsonObject) => told(distribution(configMap, targets));

  test('may be none, or named twice', () => {
    expect(toldAbout({})).toBe('allowed');
    expect(toldAbout({ includedNamespaces: names('a', 'a') })).toBe('allowed');
  });

  test('may be system namespaces, but it is said that these get nothing', () => {
    const object = distribution(configMap, { includedNamespaces: names('kube-system', 'a') });
    expect(admission.validate(object)).toMatchObject({
      allowed: true,
      warnings: ['spec.targets.includedNamespaces: nothing is ever distributed to kube-system'],
    });
  });

  test('are not both in and out (19)', () => {
    const both = { includedNamespaces: names('a', 'b', 'c'), excludedNamespaces: names('c', 'b') };
    expect(toldAbout(both)).toMatch(
      /^422 spec.targets: Invalid value: \{.*\}: ambiguous targets because namespace \[b c\] is in both IncludedNamespaces.List and ExcludedNamespaces.List$/,
    );
  });

  test('have names of namespaces (20)', () => {
    expect(toldAbout({ includedNamespaces: names('A_b') })).toMatch(
      /^422 spec.targets.includedNamespaces: Invalid value: "A_b": a lowercase RFC 1123 label/,
    );
    expect(toldAbout({ excludedNamespaces: names('') })).toMatch(
      /^422 spec.targets.excludedNamespaces: Invalid value: "": a lowercase RFC 1123 label/,
    );
  });

  test('have a selector that can be used (21), told by the name of v1beta1', () => {
    const selector = { matchExpressions: [{ key: 'a', operator: 'Foo' }] };
    const answer =
      /^422 spec.targets.namespaceSelector: Invalid value: .*: labelSelectorAsSelector error: "Foo" is not a valid label selector operator$/;
    expect(toldAbout({ namespaceSelector: selector })).toMatch(answer);
    expect(told(distribution(configMap, { namespaceLabelSelector: selector }, 'v1alpha1'))).toMatch(answer);
  });
});

test('the name is one of an object without a namespace', () => {
  const named = (metadata: JsonObject) => told({ ...distribution(configMap), metadata });
  expect(named({ name: 'A_1' })).toMatch(/^422 metadata.name: Invalid value: "A_1": a lowercase RFC 1123 subdomain/);
  expect(named({ name: 'rd', namespace: 'n' })).toBe('422 metadata.namespace: Forbidden: not allowed on this type');
});

test('the gate must be on (22)', async () => {
  const closed = await KindAdmission.start();
  expect(closed.validate(distribution(configMap))).toMatchObject({
    allowed: false,
    code: 403,
    message: 'feature-gate ResourceDistributionGate is not enabled',
  });
});
