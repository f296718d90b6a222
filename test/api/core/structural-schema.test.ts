// The schema of a CRD, as an API server applies it to an object.

import { describe, expect, it } from 'vitest';
import { formatFieldError } from '../../../api/core/field-error.ts';
import { type Json, type JsonObject, parseJson } from '../../../api/core/json.ts';
import { checkSchema, compileSchema, dropNulls, fillDefaults } from '../../../api/core/structural-schema.ts';

const wrong = (schema: JsonObject, value: Json): string[] =>
  checkSchema(compileSchema({ type: 'object', properties: { a: schema } }), 'spec', { a: value }).map(formatFieldError);

const intOrString = { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true };

describe('the schema refuses', () => {
  it.each<[string, JsonObject, Json, string[]]>([
    [
      'another type',
      { type: 'integer' },
      '3',
      ['Invalid value: "string": spec.a in body must be of type integer: "string"'],
    ],
    [
      'a fraction',
      { type: 'integer' },
      1.5,
      ['Invalid value: "number": spec.a in body must be of type integer: "number"'],
    ],
    [
      'a number for a text',
      { type: 'string' },
      3,
      ['Invalid value: "integer": spec.a in body must be of type string: "integer"'],
    ],
    ['null', { type: 'object' }, null, ['Invalid value: "null": spec.a in body must be of type object: "null"']],
    [
      'an object for a list',
      { type: 'array' },
      {},
      ['Invalid value: "object": spec.a in body must be of type array: "object"'],
    ],
    [
      'neither integer nor string',
      intOrString,
      true,
      ['Invalid value: "boolean": spec.a in body must be of type integer,string: "boolean"'],
    ],
    [
      'a value that the enum has not',
      { type: 'string', enum: ['x', ''] },
      'y',
      ['Unsupported value: "y": supported values: "x", ""'],
    ],
    [
      'less than the minimum',
      { type: 'integer', minimum: 1 },
      0,
      ['Invalid value: 0: spec.a in body should be greater than or equal to 1'],
    ],
    [
      'a text that is too short',
      { type: 'string', minLength: 1 },
      '',
      ['Invalid value: "": spec.a in body should be at least 1 chars long'],
    ],
    ['a text that is too long', { type: 'string', maxLength: 2 }, 'abc', ['Too long: may not be more than 2 bytes']],
    [
      'a text of another pattern',
      { type: 'string', pattern: '^b+$' },
      'abc',
      ['Invalid value: "abc": spec.a in body should match \'^b+$\''],
    ],
    [
      'a time that is none',
      { type: 'string', format: 'date-time' },
      'now',
      ['Invalid value: "now": spec.a in body must be of type date-time: "now"'],
    ],
  ])('%s', (_what, schema, value, expected) => {
    expect(wrong(schema, value)).toEqual(expected.map((text) => `spec.a: ${text}`));
  });

  it('absent members that are required, and says so of all', () => {
    const schema = { type: 'object', required: ['b', 'c'], properties: { b: { type: 'string' } } };
    expect(wrong(schema, {})).toEqual(['spec.a.b: Required value', 'spec.a.c: Required value']);
  });

  it('embedded objects without version and kind, or with others than texts', () => {
    const schema = { type: 'object', 'x-kubernetes-embedded-resource': true };
    expect(wrong(schema, {})).toEqual(['spec.a.apiVersion: Required value', 'spec.a.kind: Required value']);
    expect(wrong(schema, { apiVersion: '', kind: 3 })).toEqual([
      'spec.a.apiVersion: Invalid value: "": must not be empty',
      'spec.a.kind: Invalid value: 3: must be a string',
    ]);
  });

  it('what stands in lists and maps, with the place', () => {
    expect(wrong({ type: 'array', items: { type: 'string', enum: ['x'] } }, ['x', 'y'])).toEqual([
      'spec.a[1]: Unsupported value: "y": supported values: "x"',
    ]);
    expect(wrong({ type: 'object', additionalProperties: { type: 'integer', minimum: 0 } }, { k: -1 })).toEqual([
      'spec.a.k: Invalid value: -1: spec.a.k in body should be greater than or equal to 0',
    ]);
  });
});

describe('the schema allows', () => {
  it.each<[string, JsonObject, Json]>([
    ['a number for an integer whatever its notation', { type: 'integer' }, parseJson('1.0')],
    ['an integer beyond 53 bits', { type: 'integer', minimum: 0 }, parseJson('9007199254740993')],
    ['an integer for a number', { type: 'number' }, 3],
    ['either', intOrString, '10%'],
    ['the bound itself', { type: 'integer', minimum: 1 }, 1],
    ['lengths in characters', { type: 'string', maxLength: 2 }, '\u{1f600}\u{1f600}'],
    ['null where it may stand', { type: 'string', nullable: true, enum: ['x'] }, null],
    ['anything where it says nothing', { 'x-kubernetes-preserve-unknown-fields': true }, [{ b: null }]],
    ['members that it does not know', { type: 'object', properties: { b: { type: 'string' } } }, { toString: 1, c: 2 }],
  ])('%s', (_what, schema, value) => {
    expect(wrong(schema, value)).toEqual([]);
  });
});

it('keywords that are not known are refused, not passed over', () => {
  expect(() => compileSchema({ type: 'array', items: { uniqueItems: true } })).toThrow('uniqueItems');
});

describe('reading by the schema', () => {
  const rule = compileSchema({
    type: 'object',
    properties: {
      port: { type: 'object', properties: { protocol: { type: 'string', default: 'TCP' }, name: { type: 'string' } } },
      ports: { type: 'array', items: { type: 'object', properties: { protocol: { type: 'string', default: 'TCP' } } } },
      note: { type: 'string', nullable: true },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
    },
  });

  it('fills in defaults where the object around is there', () => {
    expect(fillDefaults(rule, {})).toEqual({});
    expect(fillDefaults(rule, { port: {}, ports: [{}, { protocol: 'UDP' }], other: {} })).toEqual({
      port: { protocol: 'TCP' },
      ports: [{ protocol: 'TCP' }, { protocol: 'UDP' }],
      other: {},
    });
    expect(fillDefaults(rule, { port: { protocol: null } })).toEqual({ port: { protocol: 'TCP' } });
  });

  it('drops nulls of members that have none, and no others', () => {
    const given = { port: { name: null }, note: null, labels: { a: null }, other: null };
    expect(dropNulls(rule, given)).toEqual({ port: {}, note: null, labels: { a: null }, other: null });
    expect(dropNulls(rule, { ports: [null, { protocol: null }] })).toEqual({ ports: [null, {}] });
  });

  it('leaves what it was given as it was', () => {
    const given = { port: { name: null }, ports: [{}] };
    const before = structuredClone(given);
    fillDefaults(rule, dropNulls(rule, given));
    expect(given).toEqual(before);
  });
});
