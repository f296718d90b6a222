// C065: a job whose pull timeout is longer than its deadline, and its variants (openkruise/kruise PR 1874).
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { fieldCase } from '../support/field-case.ts';
import { KindAdmission } from '../support/kind-admission.ts';

const { object: job } = fieldCase('C065');
const spec = job.spec as JsonObject;
let admission: KindAdmission;
beforeAll(async () => {
  admission = await KindAdmission.start({ ImagePullJobGate: true });
});

/** The job with other members of the spec; undefined takes one away. */
function varied(members: { [name: string]: JsonObject[string] | undefined }): JsonObject {
  const changed = Object.entries({ ...spec, ...members }).filter(([, value]) => value !== undefined);
  return { ...job, spec: Object.fromEntries(changed) as JsonObject };
}

const always = (more: JsonObject): JsonObject => ({ type: 'Always', ...more });
const never = (more: JsonObject): JsonObject => ({ type: 'Never', ...more });

test('the job is denied, and the message names both members', () => {
  const verdict = admission.validate(job);
  expect(verdict).toMatchObject({ allowed: false, code: 400 });
  expect(verdict.message).toContain(
    'completionPolicy.activeDeadlineSeconds must be greater than pullPolicy.timeoutSeconds',
  );
});

describe('allowed is a job', () => {
  test.each<[string, Parameters<typeof varied>[0]]>([
    ['with a timeout as long as the deadline', { pullPolicy: { timeoutSeconds: 1200 } }],
    [
      'with the default timeout and a deadline of 600 s',
      { pullPolicy: undefined, completionPolicy: always({ activeDeadlineSeconds: 600 }) },
    ],
    ['without a deadline', { completionPolicy: always({}) }],
    ['that never ends', { completionPolicy: never({}) }],
    ['that is paused', { completionPolicy: always({}), parallelism: 0 }],
  ])('%s', (_what, members) => {
    expect(admission.validate(varied(members))).toMatchObject({ allowed: true });
  });
});

describe('denied is a job', () => {
  test.each<[string, Parameters<typeof varied>[0]]>([
    [
      'with the default timeout and a deadline of 300 s',
      { pullPolicy: undefined, completionPolicy: always({ activeDeadlineSeconds: 300 }) },
    ],
    ['that never ends, with a deadline', { completionPolicy: never({ activeDeadlineSeconds: 1200 }) }],
    ['that never ends, with a time to live', { completionPolicy: never({ ttlSecondsAfterFinished: 5 }) }],
    ['for a percentage of nodes', { completionPolicy: always({}), parallelism: '25%' }],
    ['for an image in upper case', { completionPolicy: always({}), image: 'Registry.example.com/AI:1' }],
  ])('%s', (_what, members) => {
    expect(admission.validate(varied(members))).toMatchObject({ allowed: false, code: 400 });
  });

  test('whose pull secrets an update changes', () => {
    const changed = varied({ completionPolicy: always({}), pullSecrets: ['reg'] });
    expect(admission.validate(changed, varied({ completionPolicy: always({}) }))).toMatchObject({
      allowed: false,
      code: 403,
    });
  });

  test('while the gate is off, which the message names', async () => {
    const closed = await KindAdmission.start({ ImagePullJobGate: false });
    const verdict = closed.validate(varied({ completionPolicy: always({}) }));
    expect(verdict).toMatchObject({ allowed: false, code: 403 });
    expect(verdict.message).toContain('ImagePullJobGate');
  });
});
