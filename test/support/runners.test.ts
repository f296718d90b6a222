// The runner must carry questions and answers faithfully: proven with a stand-in that replays recorded answers.
import { describe, expect, test } from 'vitest';
import { isObject, type Json, type JsonObject, parseJson } from '../../api/core/json.ts';
import { type Exchange, readVerdict } from './answer.ts';
import { areas, type Case, compareCase, loadArea } from './corpus.ts';
import { coveredCases, leftOut } from './coverage.ts';
import { runnerOver, type Transport } from './runners.ts';

const NOW = Date.parse('2026-07-02T08:00:00Z');
const request: JsonObject = { uid: 'u-1', object: { kind: 'Pod', spec: { containers: [{ name: 'app' }] } } };

function review(response: JsonObject, more: JsonObject = {}): Uint8Array {
  return bytes({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: 'u-1', ...response },
    ...more,
  });
}

function bytes(value: Json): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

function patch(...operations: JsonObject[]): JsonObject {
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') };
}

describe('an answer', () => {
  test('carries the patched object', () => {
    const add = { op: 'add', path: '/spec/containers/0', value: { name: 'agent' } };
    const verdict = readVerdict(request, review({ allowed: true, ...patch(add) }));
    expect(verdict.object).toEqual({ kind: 'Pod', spec: { containers: [{ name: 'agent' }, { name: 'app' }] } });
    expect(request.object).toEqual({ kind: 'Pod', spec: { containers: [{ name: 'app' }] } });
  });

  test('without patch leaves the object as it was', () => {
    expect(readVerdict(request, review({ allowed: true }))).toEqual({
      allowed: true,
      operations: [],
      object: request.object,
    });
  });

  test('that refuses has code and message, and no object', () => {
    const status = { code: 403, reason: 'Forbidden', message: 'no', details: { causes: [{ field: 'a' }] } };
    expect(readVerdict(request, review({ allowed: false, status }))).toEqual({
      allowed: false,
      code: 403,
      reason: 'Forbidden',
      message: 'no',
      causes: [{ field: 'a' }],
      operations: [],
    });
  });

  test.each<[string, Uint8Array]>([
    ['is no JSON', new TextEncoder().encode('{')],
    ['is not UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
    ['has no response', bytes({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' })],
    ['has another uid', review({ uid: 'u-2', allowed: true })],
    ['has another version', review({ allowed: true }, { apiVersion: 'admission.k8s.io/v1beta1' })],
    ['has no verdict', review({})],
    ['refuses with a patch', review({ allowed: false, ...patch({ op: 'remove', path: '/spec' }) })],
    ['has an empty patch', review({ allowed: true, ...patch() })],
    ['has a patch of no type', review({ allowed: true, patch: 'W10=' })],
    ['replaces everything', review({ allowed: true, ...patch({ op: 'replace', path: '', value: {} }) })],
    ['uses another operation', review({ allowed: true, ...patch({ op: 'copy', path: '/a', from: '/spec' }) })],
    ['removes what is not there', review({ allowed: true, ...patch({ op: 'remove', path: '/spec/volumes' }) })],
    ['adds behind the end', review({ allowed: true, ...patch({ op: 'add', path: '/spec/containers/2', value: {} }) })],
  ])('that %s is an error', (_what, body) => {
    expect(() => readVerdict(request, body)).toThrow();
  });
});

/** Answers every review of a case as recorded. */
class Replay implements Transport {
  question: Case | undefined;
  held: readonly JsonObject[] = [];
  asked: string[] = [];

  hold(objects: readonly JsonObject[]): void {
    this.held = objects;
  }

  now(): number {
    return NOW;
  }

  ask(path: string, body: Uint8Array): Exchange {
    this.asked.push(path);
    const { expect: recorded } = this.question as Case;
    const asked = parseJson(new TextDecoder().decode(body)) as JsonObject;
    const { uid } = asked.request as JsonObject;
    const { allowed, code, message, object } = recorded;
    const response = allowed
      ? { uid, allowed, ...replacing(((asked.request as JsonObject).object ?? {}) as JsonObject, object) }
      : { uid, allowed, status: { code, message } };
    return {
      status: 200,
      body: bytes({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response } as JsonObject),
    };
  }
}

function replacing(before: JsonObject, after: JsonObject | undefined): JsonObject {
  if (after === undefined) return {};
  const text = JSON.stringify(after).replaceAll('<time>', '2026-07-02T08:00:00Z');
  const members = Object.entries(parseJson(text) as JsonObject);
  const removed = Object.keys(before).filter((name) => !members.some(([kept]) => kept === name));
  return patch(
    ...removed.map((name) => ({ op: 'remove', path: `/${name}` })),
    ...members.map(([name, value]) => ({ op: 'add', path: `/${name}`, value })),
  );
}

describe('a runner', () => {
  test('asks at the path of the case, with its objects in the cluster', async () => {
    const replay = new Replay();
    const run = runnerOver(replay);
    const differences: string[] = [];
    for (const question of ['sidecarset', 'imagepullsecrets'].flatMap(loadArea)) {
      replay.question = question;
      const comparison = compareCase(question, await run(question));
      if (comparison.differences.length > 0) differences.push(question.name);
      expect(replay.held).toBe(question.objects);
      expect(replay.asked.at(-1)).toBe(question.path);
    }
    expect(differences).toEqual([]);
  });

  test('reports an exchange that failed', async () => {
    const question = loadArea('sidecarset')[0] as Case;
    const failing = {
      hold: () => {},
      now: () => NOW,
      ask: () => ({ status: 404, body: new TextEncoder().encode('nothing here') }),
    };
    const result = await runnerOver(failing)(question);
    expect(compareCase(question, result).differences).toEqual([
      { pointer: '/http', expected: '200', got: '"404: nothing here"' },
    ]);
  });

  test('creates through the API server with mutation, then validation, and stores in the storage version', async () => {
    const question = loadArea('sidecarsets').find((one) => one.name === 'sidecarset-api-create-b') as Case;
    const asked: string[] = [];
    const transport: Transport = {
      hold: () => {},
      now: () => NOW,
      ask: (path, body) => {
        const { request: sent } = parseJson(new TextDecoder().decode(body)) as { request: JsonObject };
        asked.push(path === '/convert' ? `convert to ${sent.desiredAPIVersion}` : `${sent.operation} ${path}`);
        if (path === '/convert') {
          const object = (sent.objects as JsonObject[])[0];
          const converted = { ...object, apiVersion: sent.desiredAPIVersion ?? null };
          const response = { uid: sent.uid ?? null, result: { status: 'Success' }, convertedObjects: [converted] };
          return {
            status: 200,
            body: bytes({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response }),
          };
        }
        const label = patch({ op: 'add', path: '/metadata/labels/seen', value: 'yes' });
        const response = { uid: sent.uid ?? null, allowed: true, ...(path.startsWith('/mutate') ? label : {}) };
        return { status: 200, body: bytes({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }) };
      },
    };
    const result = await runnerOver(transport)(question);
    expect(asked).toEqual([
      'CREATE /mutate-apps-kruise-io-sidecarset',
      'CREATE /validate-apps-kruise-io-sidecarset',
      'convert to apps.kruise.io/v1beta1',
      'convert to apps.kruise.io/v1alpha1',
    ]);
    const metadata = result.object?.metadata;
    expect(isObject(metadata) && metadata.generation).toBe(1);
    expect(isObject(metadata) && isObject(metadata.labels) && metadata.labels.seen).toBe('yes');
  });
});

test('every area of the corpus is asked, or said to be left out', () => {
  const asked = new Set(coveredCases('module').map((question) => question.area));
  const line = leftOut('module') ?? '';
  for (const area of areas()) expect([area, asked.has(area) || line.includes(` ${area} `)]).toEqual([area, true]);
});
