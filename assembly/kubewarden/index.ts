// policy-kubewarden.wasm: the policies as a waPC guest, the contract of Kubewarden's policies. Settings carry the policy
// objects; nothing can be written, so budgets only advise (docs/reference/embedding.md).

import '../json/stop';
import { faultText } from '../json/fault';
import { scan } from '../json/scan';
import { Text } from '../json/text';
import { View } from '../json/view';
import { Writer } from '../json/writer';
import { Review } from '../review';
import { forgetFacts } from '../store/facts';
import { decide, envelopeError } from '../webhooks';
import { timeOf } from './clock';
import { answerQuestion, gatherFromCluster } from './cluster';
import { Call, fail, respond } from './host';
import { Gathered, holdObjects } from './objects';
import { configure, settingsFault, settingsSlip } from './settings';
import { writeRejection, writeVerdict } from './verdict';
import { webhookOf } from './webhook';

/** As in the plain module (assembly/index.ts). */
const STEPS: i32 = 20_000_000;
const STEPS_A_BYTE: i32 = 16;
/** Rounds of questions that a review may take. */
const ROUNDS_MOST: i32 = 4;

/** 1 when the call was understood; the answer has been handed to the host by then. */
export function __guest_call(operationLength: i32, payloadLength: i32): i32 {
  heap.reset();
  __allow(<i32>min<i64>(<i64>STEPS + <i64>payloadLength * STEPS_A_BYTE, i32.MAX_VALUE));
  const call = new Call(operationLength, payloadLength);
  const out = new Writer(4096);
  if (call.operation.is('protocol_version')) {
    out.quotedAscii('v1');
    return respond(out);
  }
  const isSettings = call.operation.is('validate_settings');
  if (!isSettings && !call.operation.is('validate')) {
    return fail(Text.of('expected protocol_version, validate_settings or validate'));
  }
  const payload = scan(call.payload.start, call.payload.length);
  if (isSettings) {
    writeSettingsVerdict(payload.exists ? faultOf(payload) : faultText(), out);
  } else if (payload.exists) {
    validate(payload, out);
  } else {
    writeRejection(400, faultText(), out);
  }
  return respond(out);
}

function faultOf(settings: View): Text | null {
  const fault = settingsFault(settings);
  return fault === null ? settingsSlip(settings) : fault;
}

function writeSettingsVerdict(fault: Text | null, out: Writer): void {
  if (fault === null) {
    out.ascii('{"valid":true}');
    return;
  }
  out.ascii('{"valid":false,"message":');
  out.quoted(fault);
  out.byte(0x7d);
}

function validate(root: View, out: Writer): void {
  const settings = root.get('settings');
  let error: Text | null = settings.exists ? settingsFault(settings) : null;
  if (error === null) {
    error = envelopeError(root);
  }
  if (error !== null) {
    writeRejection(400, error, out);
    return;
  }
  const webhook = webhookOf(root.get('request'));
  if (webhook < 0) {
    out.ascii('{"accepted":true}');
    return;
  }
  configure(settings);
  error = hold(settings);
  if (error !== null) {
    writeRejection(500, error, out);
    return;
  }
  const review = decided(webhook, root, settings.get('cluster').isArray);
  if (review.isAsking) {
    writeRejection(500, Text.of('the policies asked more than 4 times for facts'), out);
  } else {
    writeVerdict(review, out);
  }
}

/** Makes the store what the settings say. */
function hold(settings: View): Text | null {
  const objects = new Gathered();
  for (let object = settings.get('objects').first(); object.exists; object = object.next()) {
    objects.add(object, Text.empty(), Text.empty());
  }
  const error = gatherFromCluster(settings.get('cluster'), objects);
  return error === null ? holdObjects(objects) : error;
}

/** A review is begun anew when its questions have been answered: what it has edited must not stay. */
function decided(webhook: i32, root: View, isAllowed: bool): Review {
  const text = root.raw();
  let asked: Text[] = [];
  let review = new Review(root, timeOf(root.get('request')));
  decide(webhook, review);
  for (let round = 0; round < ROUNDS_MOST; round++) {
    const questions = review.questions;
    if (questions === null) {
      break;
    }
    asked = asked.concat(questions);
    for (let i = 0; i < asked.length; i++) {
      answerQuestion(asked[i], isAllowed);
    }
    review = new Review(scan(text.start, text.length), review.now);
    decide(webhook, review);
    forgetFacts();
  }
  return review;
}
