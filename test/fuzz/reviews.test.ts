// Reviews and policy objects damaged in every way that is easy to enumerate, given to the real module: it never traps,
// its answer is always an AdmissionReview with the review's uid, and nothing is allowed that could not be read.

import fc from 'fast-check';
import { applyPatch, type Operation } from 'rfc6902';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../api/core/json.ts';
import { effectiveGates } from '../../api/gates.ts';
import { InputError } from '../../component/errors.ts';
import { Policies } from '../../evaluator/policies.ts';
import { pod } from '../support/builders/pod.ts';
import { bytesOf } from '../support/module.ts';
import { refusal } from '../support/strict-json.ts';
import { oddText } from './odd-json.ts';
import { mutants, reviewOf, richObjects, richPod } from './review-subjects.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const decoder = new TextDecoder('utf-8', { fatal: true });

let policies: Policies;

beforeEach(async () => {
  policies = await Policies.load();
  policies.configure({ gates: effectiveGates(new Map()), systemNamespace: 'kruise-system' });
  for (const object of richObjects()) policies.apply(bytesOf(JSON.stringify(object)));
});

type Answer = { uid: string; allowed: boolean; patch?: string; status: { code: number; message?: string } };

/** The response, after what holds for every answer has been checked. */
function ask(body: Uint8Array): Answer {
  const text = decoder.decode(policies.review('/mutate-pod', body, NOW));
  const answer = JSON.parse(text) as { kind: string; apiVersion: string; response: Answer };
  if (policies.traps > 0) throw new Error('the module trapped');
  if (answer.kind !== 'AdmissionReview' || !/^admission\.k8s\.io\/v1(beta1)?$/u.test(answer.apiVersion)) {
    throw new Error(`no AdmissionReview: ${text}`);
  }
  return answer.response;
}

/** Compares the answer with what another reader makes of the body. */
function check(body: Uint8Array): Answer {
  const answer = ask(body);
  const why = refusal(body);
  if (why !== undefined) {
    if (answer.allowed) throw new Error(`allowed, and it is ${why}`);
    expect(answer.status.code).toBe(400);
    return answer;
  }
  const request = (JSON.parse(decoder.decode(body)) as { request?: { uid?: Json; object?: Json } } | null)?.request;
  if (typeof request?.uid === 'string') expect(answer.uid).toBe(request.uid);
  else expect(answer.allowed).toBe(false);
  if (answer.patch !== undefined) {
    const operations = JSON.parse(Buffer.from(answer.patch, 'base64').toString()) as Operation[];
    const problems = applyPatch(request?.object, operations).filter((problem) => problem !== null);
    expect(problems).toEqual([]);
  }
  return answer;
}

/** A review with little in it that is injected into all the same. */
const SMALL = bytesOf(
  '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u-1\\n\u00e9","operation":"CREATE",' +
    '"resource":{"group":"","version":"v1","resource":"pods"},"namespace":"shop","object":{"metadata":{"name":"p",' +
    '"labels":{"app":"web"},"annotations":{"a\\/b":"\\ud83d\\ude00"}},"spec":{"containers":[{"name":"app","x":-1.5e3}]}}}}',
);

/** Bytes that mean something to a reader of JSON, UTF-8 or of the names above. */
const TELLING = [
  ...[...'"\\{}[]:,-.0eun \n\0\x1f'].map((one) => one.charCodeAt(0)),
  ...[0x7f, 0x80, 0xbf, 0xc0, 0xc3, 0xe2, 0xed, 0xf0, 0xff],
];

describe('a review of which one byte', () => {
  it('is replaced by any other is answered, and refused if it cannot be read', () => {
    const body = SMALL.slice();
    let allowed = 0;
    for (let at = 0; at < body.length; at++) {
      const own = SMALL[at] ?? 0;
      for (let byte = 0; byte < 256; byte++) {
        body[at] = byte;
        if (ask(body).allowed) {
          // Only an allowed one could be wrong; the other readers are slow.
          check(body);
          allowed++;
        }
      }
      body[at] = own;
    }
    expect(allowed).toBeGreaterThan(10_000);
  });

  it('is replaced by one that matters is answered as another reader demands', () => {
    const body = SMALL.slice();
    for (let at = 0; at < body.length; at++) {
      const own = SMALL[at] ?? 0;
      for (const byte of TELLING) {
        body[at] = byte;
        check(body);
      }
      body[at] = own;
    }
  });

  it('is left out, or one put in, is answered as another reader demands', () => {
    for (let at = 0; at < SMALL.length; at++) {
      check(Uint8Array.of(...SMALL.subarray(0, at), ...SMALL.subarray(at + 1)));
      for (const byte of TELLING) check(Uint8Array.of(...SMALL.subarray(0, at), byte, ...SMALL.subarray(at)));
    }
  });

  it('and all behind it are missing is refused', () => {
    for (let at = 0; at < SMALL.length; at++) expect(check(SMALL.subarray(0, at)).allowed).toBe(false);
  });
});

describe('a review of which a value', () => {
  it('is missing, stands twice, or is of another type is answered, with a patch that can be applied', () => {
    let count = 0;
    for (const mutant of mutants(reviewOf(richPod()))) {
      check(bytesOf(JSON.stringify(mutant)));
      count++;
    }
    expect(count).toBeGreaterThan(1000);
  });

  it('is any JSON at all is answered', () => {
    fc.assert(
      fc.property(oddText, oddText, (metadata, spec) => {
        const text = JSON.stringify(reviewOf('OBJECT')).replace('"OBJECT"', `{"metadata":${metadata},"spec":${spec}}`);
        check(bytesOf(text));
        check(bytesOf(metadata));
      }),
      { numRuns: 1500 },
    );
  });

  it('was a key of another is refused when the key then stands twice', () => {
    const text = JSON.stringify(reviewOf(pod()));
    for (const [, name] of text.matchAll(/"(\w+)":/gu)) {
      const twice = text.replace(
        `"${name}":`,
        `"${name}":0,"\\u00${name?.charCodeAt(0).toString(16)}${name?.slice(1)}":`,
      );
      const answer = check(bytesOf(twice));
      expect(answer).toMatchObject({ allowed: false, status: { code: 400 } });
      expect(answer.status.message).toContain(`${name}: this key stands twice in its object`);
    }
  });
});

describe('a policy object of which', () => {
  /** Applies what can be applied, and reviews a pod after it. */
  function applied(text: string | Uint8Array): void {
    try {
      policies.apply(bytesOf(text));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return;
    }
    check(SMALL);
  }

  function restore(object: JsonObject): void {
    policies.apply(bytesOf(JSON.stringify(object)));
  }

  it('a value is missing or of another type does not stop a review', () => {
    for (const object of richObjects()) {
      for (const mutant of mutants(object)) applied(JSON.stringify(mutant));
      restore(object);
    }
  });

  it('a byte is replaced is refused or kept, and does not stop a review', () => {
    for (const object of richObjects()) {
      const body = bytesOf(JSON.stringify(object));
      for (let at = 0; at < body.length; at++) {
        const own = body[at] ?? 0;
        body[at] = TELLING[(at * 7) % TELLING.length] ?? 0;
        applied(body);
        body[at] = own;
      }
      restore(object);
    }
  });

  it('the end is missing is refused, and the older one stays', () => {
    const before = ask(SMALL);
    const [object = {}] = richObjects();
    const body = bytesOf(JSON.stringify(object));
    for (let at = 0; at < body.length; at += 3) {
      expect(() => policies.apply(body.subarray(0, at))).toThrow(InputError);
    }
    expect(ask(SMALL)).toEqual(before);
  });
});

describe('the length of a review', () => {
  const MOST = 7 * 1024 * 1024;

  function padded(length: number): Uint8Array {
    const body = new Uint8Array(length).fill(0x20);
    body.set(SMALL);
    return body;
  }

  it('may be 7 MiB, and no byte more', () => {
    expect(check(padded(MOST))).toMatchObject({ allowed: true, uid: 'u-1\n\u00e9' });
    const answer = ask(padded(MOST + 1));
    expect(answer.allowed).toBe(false);
    expect([400, 413]).toContain(answer.status.code);
    expect(check(SMALL)).toMatchObject({ allowed: true });
  });

  it('may be anything in any order without a trap', () => {
    for (const length of [1e6, 5e6, 1e5, MOST, 1000, 3e6, 2e6, MOST, 6e6]) check(padded(length));
  });

  it('may be beyond all measure without a trap', () => {
    expect(ask(new Uint8Array(70 << 20))).toMatchObject({ allowed: false });
    expect(check(SMALL)).toMatchObject({ allowed: true });
  });
});
