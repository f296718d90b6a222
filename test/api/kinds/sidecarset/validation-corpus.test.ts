// Every recorded validation of a SidecarSet, asked of the kind itself: decode, convert, validate.
import { beforeAll, describe, expect, test } from 'vitest';
import { aggregate } from '../../../../api/core/field-error.ts';
import { isObject, type JsonObject } from '../../../../api/core/json.ts';
import { parseApiVersion, type ValidationContext } from '../../../../api/kinds/kind.ts';
import { sidecarSet } from '../../../../api/kinds/sidecarset/kind.ts';
import { Policies } from '../../../../evaluator/policies.ts';
import { type Case, compareCase, loadArea } from '../../../support/corpus.ts';
import { RECORDED_GATES } from '../../../support/gates.ts';
import { cluster } from './cluster.ts';

let policies: Policies;
beforeAll(async () => {
  policies = await Policies.load();
});

const cases = loadArea('sidecarsets').filter(({ via, path }) => via === undefined && path.startsWith('/validate-'));

describe('recorded validations of SidecarSets', () => {
  test.each(cases.map((one) => [one.name, one] as const))(
    '%s is answered as recorded, or better',
    (_name, recorded) => {
      const { differences } = compareCase(recorded, answer(recorded));
      expect(differences).toEqual([]);
    },
  );
});

function answer({ objects, request }: Case) {
  const window = { startMs: 0, endMs: 0 } as never;
  const context: ValidationContext = cluster(objects, policies, new Map(Object.entries(RECORDED_GATES)));
  const { version } = request.resource as { version: string };
  const object = request.object as JsonObject;
  const old = isObject(request.oldObject) ? request.oldObject : undefined;
  const { goErrors } = sidecarSet.decode(object, version);
  if (goErrors[0] !== undefined) return { allowed: false, code: 400, message: goErrors[0], window };
  const stored = [object, old].map((one) => (one === undefined ? undefined : inStorageVersion(one)));
  const errors = sidecarSet.validate(stored[0] ?? {}, stored[1], context);
  return errors.length === 0
    ? { allowed: true, window }
    : { allowed: false, code: 422, message: aggregate(errors), window };
}

function inStorageVersion(object: JsonObject): JsonObject {
  expect(parseApiVersion(object.apiVersion).group).toBe(sidecarSet.group);
  return sidecarSet.convert(object, sidecarSet.storage);
}
