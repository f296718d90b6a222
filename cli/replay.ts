// `sluice review --replay`: answers the reviews of a recording again and compares.

import { isObject, type Json, parseJson } from '../api/core/json.ts';
import { InputError } from '../component/errors.ts';
import { parseDocuments, readBytes } from '../component/manifests.ts';
import { printable } from '../component/printable.ts';
import type { Admission } from './admission.ts';
import { unifiedDiff } from './diff.ts';
import { EXIT, type Host } from './host.ts';
import { type ColorMode, type Colors, colorDiff, colorsFor, showWarning } from './output.ts';
import { type Exchange, Recorder, readRecording, settingsOf } from './recordings/recording.ts';
import { renderJson } from './render.ts';
import { describeObject } from './resources.ts';
import { Faults } from './suites/fields.ts';
import { moduleDigest } from './version.ts';

export type ReplayOptions = { replay: string; color: ColorMode };

/** Exits with 1 if an answer, a question or an effect differs from what was recorded. Throws InputError. */
export async function runReplay(host: Host, { replay: file, color }: ReplayOptions): Promise<number> {
  const [document, ...others] = await parseDocuments(await readBytes(file, { stdin: host.stdin }), file);
  if (document === undefined || others.length > 0) throw new InputError('expected one recording', { file });
  const faults = new Faults();
  const recording = readRecording(document, faults);
  faults.throwIfAny();
  const module = await moduleDigest(host.policyModule);
  if (module !== recording.module) {
    const text = `recorded with policy.wasm ${recording.module}, replayed with ${module}`;
    showWarning(host, text, colorsFor(host.stderr, color, host.environment));
  }
  const recorder = new Recorder();
  const admission = recorder.recorded(await host.loadAdmission(settingsOf(recording), { observer: recorder.observer }));
  const colors = colorsFor(host.stdout, color, host.environment);
  let differing = 0;
  for (const exchange of recording.exchanges) {
    const diff = replayed(admission, recorder, exchange, recording.nowMs);
    if (diff !== '') differing++;
    host.stdout.write(resultText(exchange, diff, colors));
  }
  const count = recording.exchanges.length;
  host.stderr.write(`${count} ${count === 1 ? 'answer' : 'answers'} replayed, ${differing} differ\n`);
  return differing === 0 ? EXIT.allowed : EXIT.denied;
}

/** The differences to what was recorded; '' if there are none, down to the last byte. */
function replayed(admission: Admission, recorder: Recorder, exchange: Exchange, nowMs: number): string {
  for (const object of exchange.objects) admission.apply(object);
  if (!admission.paths().includes(exchange.path)) return `${exchange.path} is not served with these feature gates\n`;
  admission.answer(exchange.path, Buffer.from(JSON.stringify(exchange.request)), nowMs);
  const found = recorder.found.at(-1);
  if (found === undefined) throw new Error('nothing was recorded');
  if (JSON.stringify(comparable(found)) === JSON.stringify(comparable(exchange))) return '';
  const shown = unifiedDiff(textOf(exchange), textOf(found), { before: 'recorded', after: 'replayed' });
  // Bytes that JSON reads alike, such as other escapes.
  return shown || unifiedDiff(exchange.answer, found.answer, { before: 'recorded', after: 'replayed' });
}

function comparable({ status, answer, facts, effects }: Exchange) {
  return { status, answer, facts, effects };
}

function textOf({ status, answer, facts, effects }: Exchange): string {
  const asked = facts as unknown as Json;
  const written = effects as unknown as Json;
  return `${renderJson({ status, answer: readable(answer), facts: asked, effects: written }, 2)}\n`;
}

/** The answer with its patch decoded. */
function readable(answer: string): Json {
  try {
    const review = parseJson(answer);
    const response = isObject(review) ? review.response : undefined;
    if (!isObject(review) || !isObject(response) || typeof response.patch !== 'string') return review;
    const patch = parseJson(Buffer.from(response.patch, 'base64').toString('utf8'));
    return { ...review, response: { ...response, patch } };
  } catch {
    return answer;
  }
}

function resultText({ path, request }: Exchange, diff: string, colors: Colors): string {
  const inner = isObject(request.request) ? request.request : {};
  const object = isObject(inner.object) ? inner.object : isObject(inner.oldObject) ? inner.oldObject : {};
  const subject = printable(`${path} ${describeObject(object)}`);
  return diff === ''
    ? `${subject}: ${colors.green('same')}\n`
    : `${subject}: ${colors.red('differs')}\n${colorDiff(diff, colors)}`;
}
