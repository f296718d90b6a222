// Acceptance cases 1 to 11 of images.md, and the rules behind them.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../api/core/json.ts';
import { KindAdmission } from '../../../support/kind-admission.ts';

const FINALIZER = 'apps.kruise.io/deletion-protection';

let admission: KindAdmission;
beforeAll(async () => {
  admission = await KindAdmission.start({ ImagePullJobGate: true });
});

function job(spec: JsonObject, version = 'v1beta1', metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: `apps.kruise.io/${version}`,
    kind: 'ImagePullJob',
    metadata: { name: 'j', namespace: 'default', ...metadata },
    spec: { image: 'nginx:1.25', ...spec },
  };
}

const finalizersOf = (object: JsonObject): Json | undefined => (object.metadata as JsonObject).finalizers;

describe('a job that says little', () => {
  test.each(['v1alpha1', 'v1beta1'])('is completed in %s', (version) => {
    expect(admission.defaulted(job({}, version)).spec).toEqual({
      image: 'nginx:1.25',
      completionPolicy: { type: 'Always' },
      pullPolicy: { timeoutSeconds: 600, backoffLimit: 3 },
      imagePullPolicy: 'IfNotPresent',
    });
  });

  test('is completed where it has no spec, and refused for want of an image', () => {
    const { spec: _none, ...bare } = job({});
    const defaulted = admission.defaulted(bare);
    expect(defaulted.spec).toMatchObject({ completionPolicy: { type: 'Always' } });
    expect(admission.validate(defaulted)).toMatchObject({ allowed: false, message: 'image can not be empty' });
  });

  test('gets the finalizer on creation in v1alpha1 only', () => {
    const given = job({}, 'v1alpha1', { finalizers: ['a.b/c'] });
    expect(finalizersOf(admission.defaulted(given))).toEqual(['a.b/c', FINALIZER]);
    expect(finalizersOf(admission.defaulted(given, given))).toEqual(['a.b/c']);
    expect(finalizersOf(admission.defaulted(job({})))).toBeUndefined();
  });

  test('keeps what it says, zeros too', () => {
    const spec = {
      imagePullPolicy: 'Always',
      parallelism: 0,
      pullPolicy: { timeoutSeconds: 0, backoffLimit: 0 },
      completionPolicy: { type: 'Never' },
    };
    expect(admission.defaulted(job(spec)).spec).toEqual({ image: 'nginx:1.25', ...spec });
  });

  test('loses empty members of the selector', () => {
    const spec = { selector: { names: [], matchLabels: {}, matchExpressions: [] } };
    expect(admission.defaulted(job(spec)).spec).toMatchObject({ selector: {} });
  });

  test('is left alone once it is complete', () => {
    const complete = admission.defaulted(job({}, 'v1alpha1'));
    expect(admission.mutate(complete).operations).toEqual([]);
  });
});

const always = (policy: JsonObject): JsonObject => ({ completionPolicy: { type: 'Always', ...policy } });
const never = (policy: JsonObject): JsonObject => ({ completionPolicy: { type: 'Never', ...policy } });
const deadline = 'completionPolicy.activeDeadlineSeconds must be greater than pullPolicy.timeoutSeconds(default 600)';
const onlyAlways = 'activeDeadlineSeconds and ttlSecondsAfterFinished can only work with Always CompletionPolicyType';

describe('a job is admitted', () => {
  test.each<[string, JsonObject]>([
    ['with a number of nodes as text', { parallelism: '2' }],
    ['with a sign before the digits', { parallelism: '+2' }],
    ['paused', { parallelism: 0 }],
    ['with a deadline as long as the timeout', always({ activeDeadlineSeconds: 600 })],
    [
      'with a short timeout and deadline',
      { ...always({ activeDeadlineSeconds: 5 }), pullPolicy: { timeoutSeconds: 5 } },
    ],
    ['with a long timeout and no deadline', { pullPolicy: { timeoutSeconds: 7200 } }],
    ['that never ends', never({})],
    ['for named nodes', { selector: { names: ['n1', 'n2'] } }],
    ['for labelled nodes', { selector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } }],
    ['for nodes of pods', { podSelector: {} }],
    ['with a pull policy that nobody knows', { imagePullPolicy: 'Whenever' }],
    ['for a digest', { image: `reg.io/a@sha256:${'0'.repeat(64)}` }],
  ])('%s', (_what, spec) => {
    expect(admission.admit(job(spec))).toMatchObject({ allowed: true });
    expect(admission.admit(job(spec, 'v1alpha1'))).toMatchObject({ allowed: true });
  });
});

describe('a job is refused', () => {
  test.each<[string, JsonObject, string]>([
    ['without an image', { image: '' }, 'image can not be empty'],
    [
      'for an image in upper case',
      { image: 'Foo/bar' },
      'invalid image Foo/bar: invalid reference format: repository name must be lowercase',
    ],
    ['for a percentage of nodes', { parallelism: '30%' }, 'parallelism does not support percentage value'],
    ['for a negative number of nodes', { parallelism: -1 }, 'parallelism must be non-negative'],
    ['for a negative number as text', { parallelism: '-1' }, 'parallelism must be non-negative'],
    [
      'for no number of nodes',
      { parallelism: 'two' },
      'parallelism must be a valid integer: strconv.ParseInt: parsing "two": invalid syntax',
    ],
    [
      'for a huge number of nodes',
      { parallelism: '99999999999999999999' },
      'parallelism must be a valid integer: strconv.ParseInt: parsing "99999999999999999999": value out of range',
    ],
    ['with a deadline before the default timeout', always({ activeDeadlineSeconds: 300 }), deadline],
    [
      'with a deadline before its timeout',
      { ...always({ activeDeadlineSeconds: 1200 }), pullPolicy: { timeoutSeconds: 3600 } },
      deadline,
    ],
    ['that never ends, with a time to live', never({ ttlSecondsAfterFinished: 5 }), onlyAlways],
    ['that never ends, with a deadline', never({ activeDeadlineSeconds: 5 }), onlyAlways],
    [
      'with a completion policy that nobody knows',
      { completionPolicy: { type: 'Later' } },
      'unknown type of completionPolicy: Later',
    ],
    [
      'for nodes by name and label',
      { selector: { names: ['n1'], matchLabels: { a: 'b' } } },
      'can not set both names and labelSelector in this spec.selector',
    ],
    ['for a node named twice', { selector: { names: ['n1', 'n1'] } }, 'duplicated name in selector names'],
    [
      'for nodes and for pods',
      { selector: {}, podSelector: { matchLabels: { a: 'b' } } },
      'can not set both selector and podSelector',
    ],
    [
      'for pods by an unknown operator',
      { podSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } },
      'invalid podSelector: "Near" is not a valid label selector operator',
    ],
    [
      'for the first of several faults',
      { image: '', parallelism: '1%', selector: { names: ['n', 'n'] } },
      'duplicated name in selector names',
    ],
  ])('%s', (_what, spec, message) => {
    expect(admission.admit(job(spec))).toMatchObject({ allowed: false, code: 400, message });
    expect(admission.admit(job(spec, 'v1alpha1'))).toMatchObject({ allowed: false, code: 400, message });
  });

  test('with empty lists beside each other, if nothing has removed them', () => {
    const spec = { ...always({}), selector: { names: [], matchLabels: {} } };
    expect(admission.validate(job(spec)).message).toContain('can not set both names and labelSelector');
    expect(admission.validate(job(spec, 'v1alpha1')).message).toContain('can not set both names and labelSelector');
  });
});

describe('an update', () => {
  const update = (from: Json | undefined, to: Json | undefined, more: JsonObject = {}) => {
    const secrets = (given: Json | undefined): JsonObject => (given === undefined ? {} : { pullSecrets: given });
    return admission.admit(job({ ...secrets(to), ...more }), admission.defaulted(job(secrets(from))));
  };

  test.each<[Json | undefined, Json | undefined]>([
    [['a'], ['a', 'b']],
    [
      ['a', 'b'],
      ['b', 'a'],
    ],
    [['a'], undefined],
    [undefined, ['a']],
  ])('of the pull secrets %j to %j is denied, before all else', (from, to) => {
    const denied = { allowed: false, code: 403, reason: 'Forbidden', message: 'spec.pullSecrets is immutable' };
    expect(update(from, to, { image: '' })).toMatchObject(denied);
  });

  test('that only tells no secrets from an empty list is admitted', () => {
    expect(update([], undefined)).toMatchObject({ allowed: true });
    expect(update(undefined, [])).toMatchObject({ allowed: true });
  });

  test.each<[Json | undefined, Json | undefined]>([
    [[], undefined],
    [undefined, []],
  ])('of the pull secrets %j to %j is denied if nothing has removed the empty list', (from, to) => {
    const secrets = (given: Json | undefined) =>
      job({ ...always({}), ...(given !== undefined && { pullSecrets: given }) });
    expect(admission.validate(secrets(to), secrets(from))).toMatchObject({ allowed: false, code: 403 });
  });

  test('of the image is admitted', () => {
    expect(update(['a'], ['a'], { image: 'nginx:1.26' })).toMatchObject({ allowed: true });
  });
});

test.each([
  [{ ImagePullJobGate: false }, 'ImagePullJobGate'],
  [{ KruiseDaemon: false, ImagePullJobGate: false }, 'KruiseDaemon'],
])('with %j no job is admitted, and the gate is named', async (gates, name) => {
  const closed = await KindAdmission.start(gates);
  const verdict = closed.admit(job({}));
  expect(verdict).toMatchObject({ allowed: false, code: 403 });
  expect(verdict.message).toContain(name);
});
