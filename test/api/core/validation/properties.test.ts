// Whatever passes decoding can be validated: no exception, and errors that say where and what.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode } from '../../../../api/core/decode.ts';
import { type FieldError, formatFieldError } from '../../../../api/core/field-error.ts';
import { cloneJson, type Json, type JsonObject } from '../../../../api/core/json.ts';
import { ObjectMeta } from '../../../../api/core/meta.ts';
import { PodTemplateSpec } from '../../../../api/core/pod.ts';
import { Field } from '../../../../api/core/validation/field.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../../../api/core/validation/metadata.ts';
import { dnsSubdomain } from '../../../../api/core/validation/names.ts';
import { validatePodTemplate, validatePodTemplateLightly } from '../../../../api/core/validation/pod-template.ts';
import { arbitraryOf } from './arbitrary.ts';

const template = arbitraryOf(PodTemplateSpec).filter((value) => decode(PodTemplateSpec, value).errors.length === 0);
const metadata = arbitraryOf(ObjectMeta).filter((value) => decode(ObjectMeta, value).errors.length === 0);

function validate(value: Json): FieldError[] {
  const errors: FieldError[] = [];
  validatePodTemplate(Field.root(decode(PodTemplateSpec, value).value, errors, 'spec.template'));
  return errors;
}

describe('any pod template', () => {
  test('is validated, with errors below its path', () => {
    fc.assert(
      fc.property(template, (value) => {
        for (const error of validate(value)) {
          expect(error.path.startsWith('spec.template')).toBe(true);
          expect(formatFieldError(error)).toMatch(/^spec\.template[^\n]*?: [A-Z][a-z]+/);
        }
      }),
      { numRuns: 300 },
    );
  });
  test('is left as it was, and gets the same errors again', () => {
    fc.assert(
      fc.property(template, (value) => {
        const before = cloneJson(decode(PodTemplateSpec, value).value as Json);
        const errors: FieldError[] = [];
        validatePodTemplate(Field.root(before as PodTemplateSpec, errors, 'spec.template'));
        expect(before).toEqual(decode(PodTemplateSpec, value).value);
        expect(validate(value)).toEqual(errors);
      }),
      { numRuns: 60 },
    );
  });
  test('does not depend on members that Kubernetes does not know', () => {
    fc.assert(
      fc.property(template, (value) => {
        expect(validate({ ...(value as JsonObject), future: { a: [1] } })).toEqual(validate(value));
      }),
      { numRuns: 60 },
    );
  });
  test('is validated lightly', () => {
    fc.assert(
      fc.property(template, (value) => {
        const errors: FieldError[] = [];
        validatePodTemplateLightly(Field.root(decode(PodTemplateSpec, value).value, errors, 't'), undefined);
        expect(errors.length).toBeGreaterThan(0);
      }),
      { numRuns: 60 },
    );
  });
});

describe('any metadata', () => {
  test('is validated, on create and on update', () => {
    fc.assert(
      fc.property(metadata, metadata, (value, other) => {
        const errors: FieldError[] = [];
        const field = Field.root(decode(ObjectMeta, value).value, errors, 'metadata');
        validateObjectMeta(field, { name: dnsSubdomain, namespaced: true });
        validateObjectMetaUpdate(field, decode(ObjectMeta, other).value);
        for (const error of errors) expect(formatFieldError(error)).toMatch(/^metadata\./);
      }),
      { numRuns: 200 },
    );
  });
});

// For programs that hand over what was never decoded: answers may be wrong, but there is one.
describe('values of wrong types', () => {
  const anything = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;
  test('do not stop a field from being looked at', () => {
    fc.assert(
      fc.property(anything, (value) => {
        const errors: FieldError[] = [];
        const field = Field.root(value as unknown as { a: { b: string } }, errors, 'x');
        field.at('a').at('b').follow(dnsSubdomain);
        for (const item of (field as unknown as Field<string[]>).items()) item.require();
        expect(errors.every(({ path }) => path.startsWith('x'))).toBe(true);
      }),
    );
  });
});
