// What the module reads and what it refuses.

import { describe, expect, it } from 'vitest';
import { FAULTS, JSON_CASES, type JsonCase } from '../../support/json-cases.ts';
import { JsonModule } from '../../support/module.ts';
import { refusal } from '../../support/strict-json.ts';

const module = new JsonModule();

for (const [rules, cases] of Object.entries(JSON_CASES)) {
  describe(`the reader, by the rules of ${rules}`, () => {
    it.each(cases.filter((one) => one.accepted))('accepts $name', ({ bytes }) => {
      expect(module.scan(bytes)).toEqual({ accepted: true });
      expect(refusal(bytes), 'what the platform says').toBeUndefined();
    });

    it.each(cases.filter((one) => !one.accepted))('refuses $name', (one) => {
      expectRefused(one);
      expect(refusal(one.bytes), 'what the platform says').toBeDefined();
    });

    it('says the same in an instance that has read nothing before', () => {
      for (const one of cases) expect(new JsonModule().scan(one.bytes), one.name).toEqual(module.scan(one.bytes));
    });
  });
}

function expectRefused({ bytes, fault, at }: JsonCase): void {
  const verdict = module.scan(bytes);
  if (verdict.accepted) throw new Error('it is accepted');
  if (fault !== undefined) expect(verdict.fault).toContain(FAULTS[fault]);
  if (at !== undefined) expect(verdict.offset).toBe(at);
  expect(verdict.fault.endsWith(` (byte ${verdict.offset})`), verdict.fault).toBe(true);
  expect(verdict.offset).toBeLessThanOrEqual(bytes.length);
}

describe('a text cut short', () => {
  const whole =
    ' {"a":[1,-2.5e+3,true,false,null,"x\\n\\uD83D\\uDE00\u00e9\u20ac\u{1f600}"],"\\u0062":{"":{}},"c":[[],[{}]]}';
  const bytes = new TextEncoder().encode(whole);

  it('is refused wherever it is cut', () => {
    expect(module.scan(bytes)).toEqual({ accepted: true });
    for (let length = 0; length < bytes.length; length++) {
      expect(module.scan(bytes.subarray(0, length)).accepted, `${length} bytes`).toBe(false);
    }
  });

  it('is judged without the bytes that lie behind it in memory', () => {
    module.scan(`[1]${' '.repeat(200)}]`);
    expect(module.scan('[1').accepted).toBe(false);
    module.scan('"abc" "');
    expect(module.scan('"abc').accepted).toBe(false);
    module.scan('true');
    expect(module.scan('tru').accepted).toBe(false);
    module.scan('123');
    expect(module.scan('12')).toEqual({ accepted: true });
  });
});
