// Reads what a case expects.

import { isObject, type Json } from '../../api/core/json.ts';
import { kindOfJson } from '../../component/manifests.ts';
import type { Fields } from './fields.ts';
import type { SuiteFiles } from './files.ts';
import type { Expectation, TextMatch } from './suite.ts';

/** The `expect` of a case. Without any a case tests nothing, which is a fault unless it is to be recorded. */
export async function readExpectation(
  fields: Fields,
  { files, recording }: { files: SuiteFiles; recording: boolean },
): Promise<Expectation> {
  const expect = fields.part('expect');
  const isEmpty = Object.keys(expect?.object ?? {}).length === 0;
  if (isEmpty && !recording && (fields.json('skip') ?? null) === null) {
    fields.fault('expect', 'required: what must the answer be? --update records what it is');
  }
  if (expect === undefined) return {};
  const found: Expectation = {
    verdict: expect.oneOf('verdict', ['allowed', 'denied']),
    code: expect.count('code'),
    message: readMatch(expect, 'message', expect.json('message')),
    warnings: expect.list('warnings')?.flatMap((value, index) => readMatch(expect, `warnings[${index}]`, value) ?? []),
    changed: expect.boolean('changed'),
    object: await readObject(expect, files),
    contains: expect.part('contains')?.object,
    lacks: expect.parts('lacks').map(({ object }) => object),
    effects: readParts(expect, 'effects'),
    explanation: readParts(expect, 'explanation'),
  };
  expect.end();
  if (found.verdict === 'denied') refuseContradictions(expect);
  return found;
}

// A refusal has no resulting object: such a case could never pass.
function refuseContradictions(expect: Fields): void {
  for (const name of ['object', 'contains', 'changed']) {
    if (expect.json(name) !== undefined) expect.fault(name, 'a denied review has no resulting object');
  }
}

function readParts(expect: Fields, name: string): readonly Json[] | undefined {
  return expect.list(name) === undefined ? undefined : expect.parts(name).map(({ object }) => object);
}

async function readObject(expect: Fields, files: SuiteFiles): Promise<Expectation['object']> {
  const value = expect.json('object');
  if (value === undefined) return undefined;
  if (isObject(value)) return { value, file: undefined };
  if (typeof value !== 'string') {
    expect.fault('object', `expected an object or the path of a file, got ${kindOfJson(value)}`);
    return undefined;
  }
  const document = await files.document(expect, 'object', value);
  return document === undefined ? undefined : { value: document.object, file: document.file };
}

function readMatch(expect: Fields, name: string, value: Json | undefined): TextMatch | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return { exact: value };
  const [member, text] = isObject(value) ? (Object.entries(value)[0] ?? []) : [];
  const isOne = isObject(value) && Object.keys(value).length === 1 && typeof text === 'string';
  if (isOne && member === 'contains') return { contains: text };
  if (isOne && member === 'matches') return readPattern(expect, `${name}.matches`, text);
  expect.fault(name, 'expected text, or an object with the text "contains" or the pattern "matches"');
  return undefined;
}

function readPattern(expect: Fields, name: string, pattern: string): TextMatch | undefined {
  try {
    return { matches: new RegExp(pattern, 'u') };
  } catch (error) {
    expect.fault(name, (error as SyntaxError).message);
    return undefined;
  }
}
