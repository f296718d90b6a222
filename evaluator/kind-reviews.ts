// Admission of the kinds themselves: defaulting as a patch, validation as a verdict (admission-overview 4, 5).

import { TOO_LARGE } from '../api/core/decode.ts';
import { protectionWarning } from '../api/core/deletion-protection.ts';
import { diff } from '../api/core/diff.ts';
import { aggregate, type FieldError } from '../api/core/field-error.ts';
import { isObject, type Json, type JsonObject } from '../api/core/json.ts';
import { DecodeFault, type Kind, type ValidationContext } from '../api/kinds/kind.ts';
import type { WebhookEntry } from '../api/webhooks.ts';
import { type Answer, type Envelope, readEnvelope, unreadable, type Verdict, writeVerdict } from './envelope.ts';
import { withoutOversized } from './lengths.ts';
import type { Policies } from './policies.ts';
import { refusal } from './refusal.ts';

/** A review of an object of a kind, at one of the kind's two paths. */
export type KindReview = {
  kind: Kind;
  request: JsonObject;
  context: ValidationContext;
  /** Unix time in milliseconds. */
  now: number;
};

/** Gives the verdict by what holds in a context. */
export type Judge = (context: ValidationContext) => Verdict;

/** What is asked of a kind, and how: `deletion` is there where deletions are decided by the policies. */
type KindQuestion<A> = {
  kind: Kind;
  type: WebhookEntry['type'];
  now: number;
  deletion: (() => A) | undefined;
  /** Has the request judged. */
  judged(envelope: Envelope, judge: Judge): A;
};

/** Answers a body at one of a kind's two paths. A rule that fails costs this request alone. */
export function answerKind<A>(body: Uint8Array, policies: Policies, question: KindQuestion<A>): A | Answer {
  const fault = policies.checkJson(body);
  if (fault !== undefined) return unreadable(400, fault);
  const rest = withoutOversized(body, REQUEST_DEPTH);
  if (rest !== undefined) return { status: 200, body: refusal(rest, 413, TOO_LARGE) };
  const envelope = readEnvelope(body);
  if (typeof envelope === 'string') return unreadable(400, envelope);
  const { request } = envelope;
  const { kind, type, now, deletion, judged } = question;
  if (deletion !== undefined && request.operation === 'DELETE') return deletion();
  const decide = type === 'mutating' ? mutateKind : validateKind;
  try {
    return judged(envelope, (context) => decide({ kind, request, context, now }));
  } catch (error) {
    return writeVerdict(envelope, panicVerdict(error));
  }
}

/** The verdict when a rule failed. */
export function panicVerdict(error: unknown): Verdict {
  return refused(500, `panic: ${error instanceof Error ? error.message : String(error)}`);
}

/** Objects stand in the request, which stands in the review. */
const REQUEST_DEPTH = 2;

/** What Kubernetes' decoder says of an object that is not there. */
const NO_CONTENT = 'there is no content to decode';

/** Defaults and hashes, as the difference to the object that was sent. */
export function mutateKind({ kind, request, context, now }: KindReview): Verdict {
  const gate = kind.admit === undefined || !isOfItself(request) ? undefined : missingGate(kind, context);
  if (gate !== undefined) return refused(403, gate);
  if (!isWrite(request)) return { allowed: true };
  const version = versionOf(request);
  const object = request.object ?? null;
  if (!isObject(object)) return refused(400, NO_CONTENT);
  const old = request.operation === 'UPDATE' && isObject(request.oldObject) ? { old: request.oldObject } : {};
  const namespace = typeof request.namespace === 'string' ? request.namespace : '';
  try {
    const admitted =
      kind.admit === undefined
        ? kind.applyDefaults(object, version, { gates: context.gates, now, ...old })
        : kind.admit(object, version, { ...context, ...old, namespace });
    return Array.isArray(admitted) ? refusedBy(kind, admitted) : { allowed: true, patch: diff(object, admitted) };
  } catch (error) {
    if (error instanceof DecodeFault) return undecoded(error.goText);
    throw error;
  }
}

/** All rules of the kind; refusals carry every field error. */
export function validateKind({ kind, request, context }: KindReview): Verdict {
  if (!isOfItself(request)) return { allowed: true };
  const gate = gateRefusal(kind, context);
  if (gate !== undefined && !kind.decodesBeforeGates) return gate;
  if (!isWrite(request) && !kind.decodesAlways) return { allowed: true };
  const version = versionOf(request);
  const old = request.operation === 'UPDATE' ? (request.oldObject ?? null) : undefined;
  const sent = decodeSent(kind, request.object ?? null, version);
  const sentOld = old === undefined ? undefined : decodeSent(kind, old, version);
  if (typeof sent === 'string') return undecoded(sent);
  if (typeof sentOld === 'string') return undecoded(sentOld);
  if (gate !== undefined) return gate;
  if (!isWrite(request)) return { allowed: true };
  const unconverted = kind.conversionFault?.(sent, version);
  if (unconverted !== undefined) return refused(400, unconverted);
  const wanted = kind.validatesAsSent ? version : kind.storage;
  const inVersion = (decoded: JsonObject): JsonObject =>
    version === wanted ? decoded : kind.convertDecoded(decoded, wanted);
  const stored = inVersion(sent);
  const storedOld = sentOld === undefined ? undefined : inVersion(sentOld);
  const errors = kind.validate(stored, storedOld, context);
  if (errors.length > 0) return refusedBy(kind, errors);
  const warnings = [
    ...(kind.warnings?.(stored, storedOld, context) ?? []),
    ...protectionWarnings(kind, stored, context),
  ];
  return { allowed: true, message: 'allowed to be admitted', warnings };
}

/** A label that looks like a protection and is none. */
function protectionWarnings(kind: Kind, object: JsonObject, context: ValidationContext): string[] {
  const warning = kind.isDeletionProtected && isProtecting(context) ? protectionWarning(object) : undefined;
  return warning === undefined ? [] : [warning];
}

function isProtecting({ gates }: ValidationContext): boolean {
  return gates.get('ResourcesDeletionProtection') === true;
}

/** Only creations and updates of the object itself are defaulted and validated. */
function isWrite(request: JsonObject): boolean {
  return isOfItself(request) && (request.operation === 'CREATE' || request.operation === 'UPDATE');
}

function isOfItself({ subResource = null }: JsonObject): boolean {
  return subResource === null || subResource === '';
}

/** The version in which the object was sent. */
function versionOf(request: JsonObject): string {
  const { resource } = request;
  return isObject(resource) && typeof resource.version === 'string' ? resource.version : '';
}

/** The typed form of an object that was sent, which says its version and kind; a text tells why there is none. */
function decodeSent(kind: Kind, sent: Json, version: string): JsonObject | string {
  if (!isObject(sent)) return NO_CONTENT;
  const { object, goErrors } = kind.decode(sent, version);
  return goErrors[0] ?? { ...object, apiVersion: `${kind.group}/${version}`, kind: kind.kind };
}

function gateRefusal(kind: Kind, context: ValidationContext): Verdict | undefined {
  const gate = missingGate(kind, context);
  if (gate !== undefined) return refused(403, gate);
  const anyGate = missingAnyGate(kind, context);
  return anyGate === undefined ? undefined : refused(kind.errorCode, anyGate);
}

function missingGate(kind: Kind, { gates }: ValidationContext): string | undefined {
  const missing = kind.gates.find((gate) => gates.get(gate) !== true);
  return missing === undefined ? undefined : `feature-gate ${missing} is not enabled`;
}

function missingAnyGate(kind: Kind, { gates }: ValidationContext): string | undefined {
  const { anyGate } = kind;
  if (anyGate.length === 0 || anyGate.some((gate) => gates.get(gate) === true)) return undefined;
  return `feature-gates ${anyGate.join(' and ')} are not enabled`;
}

/** A plain sentence of kind Forbidden is a denial, whatever code the kind has for its field errors. */
function refusedBy(kind: Kind, errors: readonly FieldError[]): Verdict {
  const isDenial = errors.some((error) => error.kind === 'Forbidden' && error.text !== undefined);
  const message = aggregate(errors);
  if (isDenial) return { allowed: false, code: 403, reason: 'Forbidden', message, errors };
  return { allowed: false, code: kind.errorCode, message, errors };
}

function undecoded(why: string): Verdict {
  return refused(why === TOO_LARGE ? 413 : 400, why);
}

function refused(code: number, message: string): Verdict {
  return { allowed: false, code, message };
}
