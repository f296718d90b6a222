// Errors say where the input is wrong, as far as that is known.

import { expect, test } from 'vitest';
import { InputError, StatusError } from '../../component/errors.ts';

test.each([
  [{}, 'wrong'],
  [{ file: 'a.yaml' }, 'a.yaml: wrong'],
  [{ file: 'a.yaml', line: 3 }, 'a.yaml:3: wrong'],
  [{ file: 'a.yaml', line: 3, column: 5, field: 'spec.x' }, 'a.yaml:3:5: spec.x: wrong'],
  [{ field: '--port' }, '--port: wrong'],
])('a place %j is told', (place, text) => {
  expect(new InputError('wrong', place).describe()).toBe(text);
});

test('a field that the message starts with is not said twice', () => {
  expect(new InputError('spec.x: Required value', { file: 'a.yaml', field: 'spec.x' }).describe()).toBe(
    'a.yaml: spec.x: Required value',
  );
});

test('a place is filled in where there was none, and kept where there was one', () => {
  const error = new InputError('wrong', { field: 'spec.x', line: 1 }).at({ file: 'a.yaml', line: 9, column: 2 });
  expect(error).toMatchObject({ file: 'a.yaml', line: 1, column: 2, field: 'spec.x', message: 'wrong' });
});

test('a status keeps code and reason', () => {
  expect(new StatusError(403, 'Forbidden', 'no')).toMatchObject({ code: 403, reason: 'Forbidden', message: 'no' });
});
