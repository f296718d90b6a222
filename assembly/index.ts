// What the module exports, all of it; it imports nothing. The contract is docs/reference/abi.md.
//
// A call works on a text that the host has written to the place that `room` gave; what the call produces stands at
// `result`, `resultLength` bytes, until the next `room`.

import './json/stop';
import { setGates } from './gates';
import { faultText } from './json/fault';
import { PADDING, pad, scan } from './json/scan';
import { Text } from './json/text';
import { View } from './json/view';
import { Writer } from './json/writer';
import { checkExpression as expressionError } from './object/calculator';
import { Pattern } from './object/regex/pattern';
import { Explanations } from './policies/explanations';
import { keep, kindOf } from './policies/kinds';
import { explainPod } from './policies/pipeline';
import { isAvailable } from './policies/podunavailablebudget/available';
import { writeAnswer, writeRefusal } from './response';
import { Review } from './review';
import { setSystemNamespace } from './settings';
import { forgetFacts, keepFact } from './store/facts';
import { storeBytes } from './store/heap';
import { remove as removeStored, storeCount } from './store/store';
import { Stored } from './store/stored';
import { decide, envelopeError } from './webhooks';

/** What a call came to. */
const enum Status {
  /** Done: the result is the answer. */
  Done,
  /** The object is of no kind that the module keeps; nothing changed. */
  Ignored,
  /** The input cannot be used: the result tells why, as plain text. */
  Refused,
  /** The host is asked: the result is a JSON array of questions. */
  Asks,
}

/** Steps that a call may take, in any case and for each byte of input: a loop turn is a step. */
const STEPS: i32 = 20_000_000;
const STEPS_A_BYTE: i32 = 16;

/** Bytes of memory that a call may take, likewise: to touch a page costs more time than a thousand steps. */
const MEMORY: usize = 64 << 20;
const MEMORY_A_BYTE: usize = 27;

/** Bytes of facts that a review may be given. */
const FACTS_MOST: i32 = 24 << 20;

let input: usize = 0;
/** Bytes of the facts that are kept: their nodes take memory beside those of the call. */
let factBytes: i32 = 0;
let output: usize = 0;
let outputLength: i32 = 0;
let effectsAt: usize = 0;
let effectsBytes: i32 = 0;
let denialAt: usize = 0;
let denialBytes: i32 = 0;

/** Version of this contract. */
export function abi(): i32 {
  return 1;
}

/** Forgets the last call and gives the place for an input of so many bytes; 0 when that is more than is read. */
export function room(length: i32): usize {
  heap.reset();
  outputLength = 0;
  effectsBytes = 0;
  denialBytes = 0;
  if (length < 0 || length > 64 << 20) {
    return 0;
  }
  __allow(STEPS + length * STEPS_A_BYTE, MEMORY + <usize>(length + factBytes) * MEMORY_A_BYTE);
  input = heap.alloc(length + PADDING);
  pad(input + length);
  return input;
}

/** Where the result stands. */
export function result(): usize {
  return output;
}

export function resultLength(): i32 {
  return outputLength;
}

/** Settings: `{"gates":{"Name":true},"systemNamespace":"kruise-system"}`; what is left out is at its default. */
export function configure(length: i32): i32 {
  const settings = scan(input, length);
  if (!settings.isObject) {
    return refused(settings);
  }
  setGates(settings.get('gates'));
  setSystemNamespace(settings.get('systemNamespace').text());
  return Status.Done;
}

/** Keeps an object, as the API server stores it, in place of an older one. */
export function apply(length: i32): i32 {
  const object = scan(input, length);
  if (!object.isObject) {
    return refused(object);
  }
  const kind = kindOf(object);
  if (kind == Stored.None) {
    return Status.Ignored;
  }
  const error = keep(kind, object);
  return error === null ? Status.Done : refuse(error);
}

/** Forgets an object: the input is the object or just its apiVersion, kind, and metadata with name and namespace. */
export function remove(length: i32): i32 {
  const object = scan(input, length);
  if (!object.isObject) {
    return refused(object);
  }
  const metadata = object.get('metadata');
  const kind = kindOf(object);
  const isGone =
    kind != Stored.None && removeStored(kind, metadata.get('namespace').text(), metadata.get('name').text());
  return isGone ? Status.Done : Status.Ignored;
}

/** Answers an AdmissionReview: the result is the whole AdmissionReview with its response, whatever the input was. */
export function review(webhook: i32, length: i32, now: f64): i32 {
  const root = scan(input, length);
  // Room that is not written to costs nothing; to grow means to copy.
  const out = new Writer(8192);
  const error = root.exists ? envelopeError(root) : faultText();
  if (error !== null) {
    endFacts();
    writeRefusal(root, uidOf(root), 400, error, out);
    return answer(out);
  }
  const reviewed = new Review(root, <i64>now);
  decide(webhook, reviewed);
  endFacts();
  const questions = reviewed.questions;
  if (questions !== null) {
    return ask(questions);
  }
  writeAnswer(reviewed, out);
  const effects = reviewed.effects;
  if (effects !== null && (!reviewed.isRefused || reviewed.keepsEffects)) {
    const list = new Writer(1024);
    writeList(effects, list);
    effectsAt = list.toText().start;
    effectsBytes = list.length;
  }
  const denial = reviewed.denial;
  if (denial !== null) {
    denialAt = denial.start;
    denialBytes = denial.length;
  }
  return answer(out);
}

/** What must be written before the last answer may be given, as a JSON array: its address. */
export function effects(): usize {
  return effectsAt;
}

/** Its length; 0 when there is nothing to write. */
export function effectsLength(): i32 {
  return effectsBytes;
}

/** What is to be counted and logged of the last review, as a JSON object: its address. */
export function denial(): usize {
  return denialAt;
}

/** Its length; 0 when the review was not refused by a decision, or was a dry run. */
export function denialLength(): i32 {
  return denialBytes;
}

/**
 * Keeps an answer of the host, `{"question":…,"answer":…}` or `{"question":…,"error":"…"}`, for the next review. A host
 * that was asked gives all answers that it has for this review, and reviews again.
 */
export function fact(length: i32): i32 {
  if (factBytes + length > FACTS_MOST) {
    return refuse(Text.of('the facts of a review are longer than 24 MiB'));
  }
  const root = scan(input, length);
  if (!root.isObject || !root.get('question').isObject) {
    return root.isObject ? refuse(Text.of('question: expected the question as it was asked')) : refused(root);
  }
  keepFact(root);
  factBytes += length;
  __keep();
  return Status.Done;
}

/** Why policies act or do not act on the reviewed pod: the result is a JSON array. Asks as `review` does. */
export function explain(length: i32, now: f64): i32 {
  const root = scan(input, length);
  const error = root.exists ? envelopeError(root) : faultText();
  if (error !== null) {
    endFacts();
    return refuse(error);
  }
  const reviewed = new Review(root, <i64>now);
  const out = new Explanations(new Writer(1024));
  explainPod(reviewed, out);
  endFacts();
  const questions = reviewed.questions;
  if (questions !== null) {
    return ask(questions);
  }
  out.end();
  return answer(out.out);
}

/** Is the text JSON as reviews must be? If not, the result tells why. */
export function checkJson(length: i32): i32 {
  return scan(input, length).exists ? Status.Done : refuse(faultText());
}

/** Is the text a pattern that the module can match? If not, the result tells why. */
export function checkPattern(length: i32): i32 {
  const error = Pattern.compile(new Text(input, length)).error;
  return error === null ? Status.Done : refuse(error);
}

/** `{"pattern":…,"text":…}`: Done when the pattern is found in the text, Ignored when it is not. */
export function matchPattern(length: i32): i32 {
  const question = scan(input, length);
  const pattern = Pattern.compile(question.get('pattern').text());
  const error = pattern.error;
  if (error !== null) {
    return refuse(error);
  }
  return pattern.matches(question.get('text').text()) ? Status.Done : Status.Ignored;
}

/** Can the expression stand in the field of cpu (0) or memory (1)? If not, the result tells why. */
export function checkExpression(length: i32, isMemory: bool): i32 {
  const error = expressionError(new Text(input, length), isMemory ? 'memory' : 'cpu');
  return error === null ? Status.Done : refuse(error);
}

/** Done when the pod is ready and runs what it asks for, Ignored when not: such a pod is what budgets count. */
export function available(length: i32): i32 {
  const pod = scan(input, length);
  if (!pod.isObject) {
    return refused(pod);
  }
  return isAvailable(pod) ? Status.Done : Status.Ignored;
}

/** Objects in the store. */
export function objects(): u32 {
  return storeCount();
}

/** Bytes that they take. */
export function objectBytes(): usize {
  return storeBytes();
}

/** Facts hold for one review: the next `room` takes their memory back. */
function endFacts(): void {
  forgetFacts();
  factBytes = 0;
  __keepNothing();
}

/** The result is what the host is asked. */
function ask(questions: Array<Text>): i32 {
  const out = new Writer(256);
  writeList(questions, out);
  answer(out);
  return Status.Asks;
}

/** JSON texts as an array. */
function writeList(texts: Array<Text>, out: Writer): void {
  out.byte(0x5b);
  for (let i = 0; i < texts.length; i++) {
    if (i > 0) {
      out.byte(0x2c);
    }
    out.text(texts[i]);
  }
  out.byte(0x5d);
}

function uidOf(root: View): Text {
  return root.get('request').get('uid').text();
}

function answer(out: Writer): i32 {
  const text = out.toText();
  output = text.start;
  outputLength = text.length;
  return Status.Done;
}

function refuse(error: Text): i32 {
  output = error.start;
  outputLength = error.length;
  return Status.Refused;
}

function refused(root: View): i32 {
  return refuse(root.exists ? Text.of('expected a JSON object') : faultText());
}
