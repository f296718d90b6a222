import { describe, expect, test } from 'vitest';
import { aggregate, type FieldError, formatFieldError, quote } from '../../../api/core/field-error.ts';
import { numberToken } from '../../../api/core/json.ts';

const path = 'spec.a';

describe('a field error prints as in Kubernetes', () => {
  test.each<[string, FieldError]>([
    ['spec.a: Invalid value: "x": no', { kind: 'Invalid', path, value: 'x', detail: 'no' }],
    ['spec.a: Invalid value: ""', { kind: 'Invalid', path, value: '', detail: '' }],
    ['spec.a: Invalid value: -1: no', { kind: 'Invalid', path, value: -1, detail: 'no' }],
    ['spec.a: Invalid value: true: no', { kind: 'Invalid', path, value: true, detail: 'no' }],
    ['spec.a: Invalid value: "null": no', { kind: 'Invalid', path, value: null, detail: 'no' }],
    ['spec.a: Invalid value: {"b":[1]}: no', { kind: 'Invalid', path, value: { b: [1] }, detail: 'no' }],
    ['spec.a: Invalid value: no', { kind: 'Invalid', path, detail: 'no' }],
    [
      'spec.a: Invalid value: 9007199254740993: no',
      { kind: 'Invalid', path, value: numberToken('9007199254740993'), detail: 'no' },
    ],
    ['spec.a: Required value', { kind: 'Required', path }],
    ['spec.a: Required value: why', { kind: 'Required', path, value: 'x', detail: 'why' }],
    ['spec.a: Forbidden: why', { kind: 'Forbidden', path, value: 'x', detail: 'why' }],
    ['spec.a: Duplicate value: "x"', { kind: 'Duplicate', path, value: 'x' }],
    ['spec.a: Duplicate value: cpu', { kind: 'Duplicate', path, value: 'cpu', bare: true }],
    [
      'spec.a: Unsupported value: "x": supported values: "", "y"',
      { kind: 'NotSupported', path, value: 'x', supported: ['', 'y'] },
    ],
    ['spec.a: Unsupported value: "x"', { kind: 'NotSupported', path, value: 'x', supported: [] }],
    ['spec.a: Not found: "x"', { kind: 'NotFound', path, value: 'x' }],
    [
      'spec.a: Too long: may not be more than 3 bytes',
      { kind: 'TooLong', path, value: 'xxxx', detail: 'may not be more than 3 bytes' },
    ],
    ['spec.a: Too many: 4: most', { kind: 'TooMany', path, value: 4, detail: 'most' }],
    ['spec.a: Internal error: why', { kind: 'InternalError', path, detail: 'why' }],
    ['spec.a: Invalid value: "x": type', { kind: 'TypeInvalid', path, value: 'x', detail: 'type' }],
    ['<nil>: Required value', { kind: 'Required', path: '' }],
  ])('%s', (text, error) => {
    expect(formatFieldError(error)).toBe(text);
  });
});

describe('texts are quoted as Go quotes them', () => {
  test.each([
    ['plain é 😀', '"plain é 😀"'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ['\n\t\r\b\f\v\x07', '"\\n\\t\\r\\b\\f\\v\\a"'],
    ['\x00\x7f', '"\\x00\\x7f"'],
    ['\u00a0\u200b\u2028', '"\\u00a0\\u200b\\u2028"'],
    ['\u{e0001}', '"\\U000e0001"'],
  ])('%j', (text, quoted) => {
    expect(quote(text)).toBe(quoted);
  });
});

describe('several errors are one message', () => {
  const error = (detail: string): FieldError => ({ kind: 'Required', path, detail });

  test('none is empty', () => expect(aggregate([])).toBe(''));
  test('one stands alone', () => expect(aggregate([error('b')])).toBe('spec.a: Required value: b'));
  test('several stand in brackets, in order', () => {
    expect(aggregate([error('b'), error('a')])).toBe('[spec.a: Required value: b, spec.a: Required value: a]');
  });
  test('repeated ones are told once', () => {
    expect(aggregate([error('b'), error('b')])).toBe('spec.a: Required value: b');
  });
});
