// Every other call of the module's contract with inputs that are damaged or meaningless: an answer, never a trap.

import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { Module, STATUS } from '../../evaluator/module.ts';
import { bytesOf } from '../support/module.ts';
import { refusal } from '../support/strict-json.ts';
import { oddText } from './odd-json.ts';
import { mutants, reviewOf, richObjects, richPod } from './review-subjects.ts';

const compiled = await WebAssembly.compile(await readFile(new URL('../../dist/policy.wasm', import.meta.url)));
const decoder = new TextDecoder('utf-8', { fatal: true });

let module: Module;

beforeEach(() => {
  module = Module.instantiate(compiled);
  for (const object of richObjects()) module.exports.apply(module.writeText(JSON.stringify(object)));
});

type Call =
  | 'configure'
  | 'apply'
  | 'remove'
  | 'checkJson'
  | 'checkPattern'
  | 'matchPattern'
  | 'checkExpression'
  | 'available'
  | 'explain';

/** What the call came to; a reason, where there is one, must be text unless the input was none. */
function call(name: Call, input: Uint8Array, argument = 0): number {
  const status = module.exports[name](module.write(input), argument);
  expect([STATUS.done, STATUS.ignored, STATUS.refused]).toContain(status);
  if (status === STATUS.refused) expect(module.result().length).toBeGreaterThan(0);
  if (status === STATUS.refused && isUtf8(input)) decoder.decode(module.result());
  return status;
}

/** Letters of regular expressions, calculator expressions and UTF-8. */
const letter = fc.constantFrom(...'()[]{}*+?|^$.\\-:<>=!iUsm,0123456789abdpwzQEDWSBPNAx&~ \n+-*/%()maxincpuory"');

const meaningless = fc.oneof(
  fc.uint8Array({ maxLength: 30 }),
  fc.array(letter, { maxLength: 20 }).map((letters) => bytesOf(letters.join(''))),
  fc.string({ unit: 'binary', maxLength: 20 }).map(bytesOf),
  oddText.map(bytesOf),
);

describe('a meaningless input', () => {
  it.each<Call>([
    'configure',
    'apply',
    'remove',
    'checkJson',
    'matchPattern',
    'available',
    'explain',
    'checkPattern',
    'checkExpression',
  ])('of %s is answered', (name) => {
    fc.assert(
      fc.property(meaningless, fc.nat(1), (input, argument) => {
        call(name, input, argument);
      }),
      { numRuns: 2000 },
    );
    expect(module.exports.objects()).toBe(richObjects().length);
  });

  it('of checkJson is judged as the platform judges it', () => {
    fc.assert(
      fc.property(meaningless, (input) => {
        expect(call('checkJson', input) === STATUS.done).toBe(refusal(input) === undefined);
      }),
      { numRuns: 3000 },
    );
  });

  it('may be a pattern and a text of any bytes', () => {
    const text = fc.array(letter, { maxLength: 12 }).map((letters) => letters.join(''));
    fc.assert(
      fc.property(text, fc.string({ unit: 'binary', maxLength: 20 }), (pattern, subject) => {
        const status = call('matchPattern', bytesOf(JSON.stringify({ pattern, text: subject })));
        const isPattern = call('checkPattern', bytesOf(pattern)) === STATUS.done;
        expect(status === STATUS.refused).toBe(!isPattern);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('a review of which a value is missing or of another type', () => {
  it('is explained or refused', () => {
    for (const mutant of mutants(reviewOf(richPod()))) {
      const status = call('explain', bytesOf(JSON.stringify(mutant)));
      if (status === STATUS.done) expect(Array.isArray(JSON.parse(module.resultText()))).toBe(true);
    }
  });
});

describe('a pod of which a value is missing or of another type', () => {
  it('is available or not', () => {
    const pod = richPod();
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    for (const mutant of mutants({ ...pod, status })) call('available', bytesOf(JSON.stringify(mutant)));
  });
});

describe('a reference of which a value is missing or of another type', () => {
  it('removes nothing but what it names', () => {
    const reference = {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'SidecarSet',
      metadata: { name: 'none', namespace: 'x' },
    };
    for (const mutant of mutants(reference)) call('remove', bytesOf(JSON.stringify(mutant)));
    expect(module.exports.objects()).toBe(richObjects().length);
  });
});

describe('an input beyond all measure', () => {
  it('has no room', () => {
    for (const length of [2 ** 31 - 1, -1, -(2 ** 31), 65 << 20]) expect(module.exports.room(length)).toBe(0);
    expect(call('checkJson', bytesOf('{}'))).toBe(STATUS.done);
  });

  it('is refused when it has room and is longer than 7 MiB', () => {
    expect(call('apply', new Uint8Array(8 << 20).fill(0x20))).toBe(STATUS.refused);
    expect(call('checkJson', new Uint8Array(64 << 20).fill(0x20))).toBe(STATUS.refused);
  });
});
