import { describe, expect, test } from 'vitest';
import { decode } from '../../../../api/core/decode.ts';
import { type FieldError, formatFieldError } from '../../../../api/core/field-error.ts';
import { type JsonObject, numberToken } from '../../../../api/core/json.ts';
import { ObjectMeta } from '../../../../api/core/meta.ts';
import { Field } from '../../../../api/core/validation/field.ts';
import { validateIntOrPercent, validateNotAbove100Percent } from '../../../../api/core/validation/int-or-percent.ts';
import {
  type MetadataRules,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '../../../../api/core/validation/metadata.ts';
import { dnsSubdomain } from '../../../../api/core/validation/names.ts';
import { priorityFault, scatterFault } from '../../../../api/core/validation/update-order.ts';

const CLUSTER: MetadataRules = { name: dnsSubdomain, namespaced: false };
const NAMESPACED: MetadataRules = { name: dnsSubdomain, namespaced: true };

function meta(value: JsonObject): ObjectMeta {
  const decoded = decode(ObjectMeta, value);
  expect(decoded.errors).toEqual([]);
  return decoded.value;
}

function faults(value: JsonObject, rules = CLUSTER): string[] {
  const errors: FieldError[] = [];
  validateObjectMeta(Field.root(meta(value), errors, 'metadata'), rules);
  return errors.map(formatFieldError);
}

function faultsOfUpdate(value: JsonObject, old: JsonObject): string[] {
  const errors: FieldError[] = [];
  validateObjectMetaUpdate(Field.root(meta(value), errors, 'metadata'), meta(old));
  return errors.map(formatFieldError);
}

describe('metadata', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd', uid: 'u' };
  test.each<[string, JsonObject, (string | RegExp)[]]>([
    ['may be a name', { name: 'a' }, []],
    ['needs a name', {}, ['metadata.name: Required value: name or generateName is required']],
    [
      'has the name that its kind asks for',
      { name: 'A' },
      [/^metadata.name: Invalid value: "A": a lowercase RFC 1123 subdomain/],
    ],
    ['has a prefix that becomes a name', { name: 'a', generateName: 'a-' }, []],
    [
      'has no prefix that cannot become one',
      { name: 'a', generateName: 'Ab-' },
      [/^metadata.generateName: Invalid value: "Ab-"/],
    ],
    [
      'has no namespace if its kind has none',
      { name: 'a', namespace: 'n' },
      ['metadata.namespace: Forbidden: not allowed on this type'],
    ],
    [
      'counts generations from 0',
      { name: 'a', generation: -1 },
      ['metadata.generation: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'has labels',
      { name: 'a', labels: { 'a b': 'c', d: 'e f' } },
      [/^metadata.labels: Invalid value: "a b": name part/, /^metadata.labels: Invalid value: "e f": a valid label/],
    ],
    [
      'has annotations',
      { name: 'a', annotations: { '/x': '', 'A/B': '' } },
      ['metadata.annotations: Invalid value: "/x": prefix part must be non-empty'],
    ],
    [
      'has at most 256 KiB of annotations',
      { name: 'a', annotations: { a: 'é'.repeat(131072) } },
      ['metadata.annotations: Too long: may not be more than 262144 bytes'],
    ],
    ['may have exactly so many', { name: 'a', annotations: { aa: 'é'.repeat(131071) } }, []],
    [
      'has complete owners',
      { name: 'a', ownerReferences: [{ apiVersion: 'a/b/c', kind: '', name: '', uid: '' }] },
      [
        'metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty',
        ...['kind', 'name', 'uid'].map(
          (name) => `metadata.ownerReferences.${name}: Invalid value: "": must not be empty`,
        ),
      ],
    ],
    [
      'has one controller',
      {
        name: 'a',
        ownerReferences: [{ ...owner, controller: true }, owner, { ...owner, name: 'e', controller: true }],
      },
      [
        /^metadata.ownerReferences: Invalid value: .*: Only one reference can have Controller set to true. Found "true" in references for Deployment\/d and Deployment\/e$/,
      ],
    ],
    [
      'is not owned by an event',
      { name: 'a', ownerReferences: [{ ...owner, apiVersion: 'v1', kind: 'Event' }] },
      [/: \/v1, Kind=Event is disallowed from being an owner$/],
    ],
    ['has finalizers', { name: 'a', finalizers: ['a b'] }, [/^metadata.finalizers: Invalid value: "a b"/]],
    [
      'is deleted one way',
      { name: 'a', finalizers: ['orphan', 'foregroundDeletion'] },
      [/: finalizer orphan and foregroundDeletion cannot be both set$/],
    ],
  ])('%s', (_rule, value, errors) => {
    expect(faults(value)).toEqual(
      errors.map((error) => (typeof error === 'string' ? error : expect.stringMatching(error))),
    );
  });

  test('needs a namespace if its kind has one', () => {
    expect(faults({ name: 'a' }, NAMESPACED)).toEqual(['metadata.namespace: Required value']);
    expect(faults({ name: 'a', namespace: 'a.b' }, NAMESPACED)).toEqual([
      'metadata.namespace: Invalid value: "a.b": must not contain dots',
    ]);
  });
});

describe('an update', () => {
  const stored = {
    name: 'a',
    namespace: 'n',
    uid: 'u',
    resourceVersion: '1',
    generation: 2,
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
  test.each<[string, JsonObject, JsonObject, (string | RegExp)[]]>([
    ['may change nothing', stored, stored, []],
    [
      'says which version it is of',
      { ...stored, resourceVersion: '' },
      stored,
      ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
    ],
    [
      'does not go back a generation',
      { ...stored, generation: 1 },
      stored,
      ['metadata.generation: Invalid value: 1: must not be decremented'],
    ],
    [
      'keeps what identifies the object',
      { ...stored, name: 'b', namespace: '', uid: 'v', creationTimestamp: null },
      stored,
      [
        'metadata.name: Invalid value: "b": field is immutable',
        'metadata.namespace: Invalid value: "": field is immutable',
        'metadata.uid: Invalid value: "v": field is immutable',
        'metadata.creationTimestamp: Invalid value: "null": field is immutable',
      ],
    ],
    [
      'does not start or end a deletion',
      { ...stored, deletionTimestamp: '2026-01-02T00:00:00Z', deletionGracePeriodSeconds: 1 },
      stored,
      [
        'metadata.deletionTimestamp: Invalid value: "2026-01-02T00:00:00Z": field is immutable',
        'metadata.deletionGracePeriodSeconds: Invalid value: 1: field is immutable',
      ],
    ],
    [
      'adds no finalizer to what is being deleted',
      { ...stored, deletionTimestamp: '2026-01-02T00:00:00Z', finalizers: ['c/d', 'a/b', 'a/c'] },
      { ...stored, deletionTimestamp: '2026-01-02T00:00:00Z', finalizers: ['a/b'] },
      [
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a/c", "c/d"}',
      ],
    ],
    ['may add finalizers before', { ...stored, finalizers: ['a/b'] }, stored, []],
    [
      'is as well formed as that of a new object, but for what cannot change and finalizers',
      { ...stored, labels: { a: 'b c' }, annotations: { '/x': '' }, ownerReferences: [{}], finalizers: ['a b'] },
      stored,
      [
        /^metadata.labels: Invalid value: "b c": a valid label/,
        'metadata.annotations: Invalid value: "/x": prefix part must be non-empty',
        'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
        ...['kind', 'name', 'uid'].map(
          (name) => `metadata.ownerReferences.${name}: Invalid value: "": must not be empty`,
        ),
      ],
    ],
  ])('%s', (_rule, value, old, errors) => {
    expect(faultsOfUpdate(value, old)).toEqual(
      errors.map((error) => (typeof error === 'string' ? error : expect.stringMatching(error))),
    );
  });
});

describe('a number or percentage', () => {
  const faultsOf = (value: number | string) => {
    const errors: FieldError[] = [];
    const field = Field.root(value, errors, 'spec.n');
    validateIntOrPercent(field);
    validateNotAbove100Percent(field);
    return errors.map(({ detail = '' }) => detail);
  };
  test.each([0, 5, '5%', '0%', '100%', '007%'])('may be %j', (value) => {
    expect(faultsOf(value)).toEqual([]);
  });
  test.each([
    [-1, 'must be greater than or equal to 0'],
    ['5', expect.stringMatching(/^a valid percent string must be a numeric string followed by an ending '%'/)],
    ['-1%', expect.stringContaining('percent string')],
    ['1.5%', expect.stringContaining('percent string')],
    ['%', expect.stringContaining('percent string')],
    ['', expect.stringContaining('percent string')],
    ['101%', 'must not be greater than 100%'],
    ['99999999999999999999%', 'must not be greater than 100%'],
  ])('may not be %j', (value, fault) => {
    expect(faultsOf(value)).toEqual([fault]);
  });
});

describe('a 64-bit number beyond what a double holds', () => {
  test('is compared, and printed digit by digit', () => {
    const errors: FieldError[] = [];
    Field.root(numberToken('9007199254740993'), errors, 'spec.n').between(0, 2147483647);
    expect(errors.map(formatFieldError)).toEqual([
      'spec.n: Invalid value: 9007199254740993: must be between 0 and 2147483647, inclusive',
    ]);
  });
});

describe('the order of updates', () => {
  const weight = (value: number, matchSelector = {}) => ({
    weight: value,
    matchSelector: { matchLabels: { a: 'b' }, ...matchSelector },
  });
  test.each([
    ['may be missing', {}, undefined],
    ['may be by weight', { weightPriority: [weight(0), weight(100)] }, undefined],
    ['may be by key', { orderPriority: [{ orderedKey: 'a' }] }, undefined],
    [
      'is not by both',
      { weightPriority: [weight(1)], orderPriority: [{ orderedKey: 'a' }] },
      'only one of weightPriority and orderPriority can be used',
    ],
    ['has weights up to 100', { weightPriority: [weight(101)] }, 'weight must be valid number in the range 1-100'],
    ['has no negative weights', { weightPriority: [weight(-1)] }, 'weight must be valid number in the range 1-100'],
    ['does not weigh all pods', { weightPriority: [weight(1, { matchLabels: {} })] }, 'selector can not be empty'],
    [
      'has usable selectors',
      { weightPriority: [weight(1, { matchExpressions: [{ key: 'a', operator: 'Is' }] })] },
      'invalid selector "Is" is not a valid label selector operator',
    ],
    ['has keys', { orderPriority: [{ orderedKey: 'a' }, { orderedKey: '' }] }, 'order key can not be empty'],
  ])('%s', (_rule, strategy, fault) => {
    expect(priorityFault(strategy)).toBe(fault);
  });

  test('scatters by different terms with keys', () => {
    expect(
      scatterFault([
        { key: 'a', value: 'b' },
        { key: 'a', value: 'c' },
      ]),
    ).toBeUndefined();
    expect(scatterFault([{ key: '', value: 'b' }])).toBe('key should not be empty');
    expect(
      scatterFault([
        { key: 'a', value: 'b' },
        { key: 'a', value: 'b' },
      ]),
    ).toBe('duplicated key=a value=b');
  });
});
