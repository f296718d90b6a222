// What a refusal tells: the field, the reason in words, the byte.

import { describe, expect, it } from 'vitest';
import { JsonModule } from '../../support/module.ts';

const module = new JsonModule();

function fault(text: string): string {
  const verdict = module.scan(text);
  return verdict.accepted ? 'accepted' : verdict.fault;
}

const TWICE = 'this key stands twice in its object';
const UNEXPECTED = 'a character stands where JSON does not allow it';

describe('the message of a refusal', () => {
  it.each([
    ['x', `${UNEXPECTED} (byte 0)`],
    ['[x]', `[0]: ${UNEXPECTED} (byte 1)`],
    ['[1,2,x]', `[2]: ${UNEXPECTED} (byte 5)`],
    ['[[],[[],{},x]]', `[1][2]: ${UNEXPECTED} (byte 11)`],
    ['{"a":x}', `a: ${UNEXPECTED} (byte 5)`],
    ['{"a":{"b":[{"c":1},{"d":x}]}}', `a.b[1].d: ${UNEXPECTED} (byte 24)`],
    ['{"a":[1,2],"b":x}', `b: ${UNEXPECTED} (byte 15)`],
    ['{"a":1,"a":2}', `a: ${TWICE} (byte 11)`],
    ['{"a":1,"a":{}}', `a: ${TWICE} (byte 11)`],
    ['{"a":1,"a":"x"}', `a: ${TWICE} (byte 12)`],
    ['{"a":1,"a":[]}', `a: ${TWICE} (byte 11)`],
    ['{"a":{"a":1,"b":2,"c":3,"b":4}}', `a.b: ${TWICE} (byte 28)`],
    ['{"a/b":{"c~d":[0,{"e":1,"\\u0065":2}]}}', `a/b.c~d[1].e: ${TWICE} (byte 33)`],
    ['{"__proto__":{"x":1,"x":2}}', `__proto__.x: ${TWICE} (byte 24)`],
    ['{"a":{"":x}}', `a.: ${UNEXPECTED} (byte 9)`],
    ['{"a":"\\q"}', 'a: a backslash is not followed by a JSON escape (byte 6)'],
    ['{"a":["b","\\ud800"]}', 'a[1]: an escaped surrogate stands without its other half (byte 11)'],
    ['{"a":01}', `a: ${UNEXPECTED} (byte 6)`],
    ['{"a":-}', 'a: a number is not written as JSON demands (byte 5)'],
    ['{"a":"\x01"}', 'a: a string holds a control character that is not escaped (byte 6)'],
    ['{"a":[1,', 'a[1]: the JSON text ends too early (byte 8)'],
    ['{"a":1} x', 'bytes follow behind the JSON value (byte 8)'],
  ])('tells of %s where and why', (text, message) => {
    expect(fault(text)).toBe(message);
  });

  it.each([
    ['{"a":1,"b\\x":2}', 'a backslash is not followed by a JSON escape (byte 9)'],
    ['{"a":1,b:2}', `${UNEXPECTED} (byte 7)`],
    ['{"a":1,"b" 2}', `${UNEXPECTED} (byte 11)`],
    ['{"s":{"a":1,}}', `s: ${UNEXPECTED} (byte 12)`],
  ])('names for a bad key, as in %s, the object and not the member before', (text, message) => {
    expect(fault(text)).toBe(message);
  });

  it('counts items rightly after longer texts were read in the same memory', () => {
    module.scan(`[${'[0,1,2,3],'.repeat(400)}0]`);
    expect(fault('[1,x]')).toBe(`[1]: ${UNEXPECTED} (byte 3)`);
    module.scan(`["${'\u00ff'.repeat(3000)}",${Array(300).fill('"zzzzzzzzzzzz"').join()}]`);
    expect(fault('[1,[1,[x')).toBe(`[1][1][0]: ${UNEXPECTED} (byte 7)`);
  });

  it('writes control characters of keys as escapes', () => {
    expect(fault('{"a\\n\\u001b[31m":x}')).toBe(`a\\n\\u001b[31m: ${UNEXPECTED} (byte 17)`);
  });

  it('stays short, and ends at a whole character, whatever the keys are', () => {
    for (let before = 990; before < 1005; before++) {
      const message = fault(`{"${'k'.repeat(before)}${'\u{1f600}'.repeat(50)}":{"inner":x}}`);
      expect(message.length).toBeLessThan(1100);
      expect(message).toContain(`...: ${UNEXPECTED}`);
      expect(message).not.toContain('inner');
    }
  });

  it('tells a path of 512 levels in short', () => {
    const message = fault(`${'{"spec":'.repeat(512)}x`);
    expect(message.startsWith('spec.spec.spec.')).toBe(true);
    expect(message.length).toBeLessThan(1100);
  });
});
