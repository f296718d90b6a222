// Writes what cases showed into their suites (`sluice test --update`): only what was not as expected is changed.

import { isObject, type Json, type JsonObject } from '../../api/core/json.ts';
import { parseFieldPath } from '../../component/field-path.ts';
import { readBytes } from '../../component/manifests.ts';
import { YamlEdits } from '../../component/yaml-edits.ts';
import { renderJson, renderYaml } from '../render.ts';
import { effectShape } from './failures.ts';
import type { CaseResult, Observation } from './run.ts';

/** The new content of files, the cases that are in it, and the files that are not written, with the reasons. */
export type Recorded = {
  files: ReadonlyMap<string, string>;
  recorded: ReadonlySet<CaseResult>;
  refused: ReadonlyMap<string, string>;
};

/** What the files would have to say for all cases to pass. Writes nothing. */
export async function recordedFiles(results: readonly CaseResult[]): Promise<Recorded> {
  const files = new Map<string, string>();
  const recorded = new Set<CaseResult>();
  const refused = new Map<string, string>();
  for (const [file, all] of byDocument(results)) {
    const [first] = all;
    if (first === undefined) continue;
    if (first.suite.dialect !== 'PolicyTest') refused.set(file, `a suite of ${first.suite.dialect} is not written to`);
    else if (file === '-') refused.set(file, 'standard input cannot be written to');
    else await recordDocument(all, { files, recorded });
  }
  return { files, recorded, refused };
}

// Documents of one file are edited one after the other, from the last: what is before keeps its places.
function byDocument(results: readonly CaseResult[]): [string, CaseResult[]][] {
  const documents = new Map<unknown, CaseResult[]>();
  for (const result of results) {
    const isOfInterest = result.result === 'fail' || (result.observation !== undefined && expectsNothing(result));
    if (!isOfInterest) continue;
    const known = documents.get(result.case.manifest);
    if (known === undefined) documents.set(result.case.manifest, [result]);
    else known.push(result);
  }
  const all = [...documents.values()].map((one): [string, CaseResult[]] => [one[0]?.case.manifest.file ?? '', one]);
  return all.reverse();
}

async function recordDocument(
  results: readonly CaseResult[],
  { files, recorded }: { files: Map<string, string>; recorded: Set<CaseResult> },
): Promise<void> {
  const manifest = results[0]?.case.manifest;
  if (manifest === undefined) return;
  const { file } = manifest;
  const text = files.get(file) ?? new TextDecoder().decode(await readBytes(file));
  const edits = new YamlEdits(text, offsetOf(text, manifest.position('')), {
    json: (value) => renderJson(value),
    yaml: renderYaml,
  });
  for (const result of results) {
    if (recordCase(result, edits, files)) recorded.add(result);
  }
  files.set(file, edits.result());
}

function recordCase(result: CaseResult, edits: YamlEdits, files: Map<string, string>): boolean {
  const { case: one, observation, failures } = result;
  const path = parseFieldPath(one.expectPath);
  if (observation === undefined) return false;
  if (expectsNothing(result)) return edits.set(path, expectOf(result), whole(observation));
  let isRecorded = false;
  for (const { field, recorded } of failures) {
    if (recorded === undefined) continue;
    const before = member(expectOf(result), field);
    const { file } = one.expect.object ?? {};
    if (field === 'object' && file !== undefined) files.set(file, fileText(file, recorded));
    else if (!edits.set([...path, field], before, recorded)) continue;
    isRecorded = true;
  }
  return isRecorded;
}

function fileText(file: string, object: Json): string {
  return file.endsWith('.json') ? `${renderJson(object, 2)}\n` : renderYaml(object);
}

/** What is recorded for a case that expects nothing yet. */
function whole({ outcome, effects, request }: Observation): JsonObject {
  const taken = effects.length === 0 ? {} : { effects: effects.map((effect) => effectShape({ ...effect })) };
  if (!outcome.allowed) return { verdict: 'denied', message: outcome.message, ...taken };
  const hasObject = outcome.after !== undefined && isObject(request.review.request);
  const isChanged = outcome.patch.length > 0;
  const object = hasObject ? (isChanged ? { object: outcome.after ?? null } : { changed: false }) : {};
  return { verdict: 'allowed', ...object, ...taken };
}

function expectsNothing(result: CaseResult): boolean {
  const expect = expectOf(result);
  return !isObject(expect) || Object.keys(expect).length === 0;
}

/** The expectations as they are written. */
function expectOf({ case: one }: CaseResult): Json | undefined {
  let at: Json | undefined = one.manifest.object;
  for (const segment of parseFieldPath(one.expectPath)) {
    at = Array.isArray(at) ? at[Number(segment)] : member(at, String(segment));
  }
  return at;
}

function member(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) ? value[name] : undefined;
}

function offsetOf(text: string, { line, column }: { line: number; column: number }): number {
  let start = 0;
  for (let at = 1; at < line; at++) start = text.indexOf('\n', start) + 1;
  return start + column - 1;
}
