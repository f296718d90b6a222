// A host of the command in memory, and an evaluator that answers by simple rules.

import { isObject, type Json, type JsonObject, parseJson } from '../../api/core/json.ts';
import type { Operation } from '../../api/core/patch.ts';
import type { Admission, Explanation } from '../../cli/admission.ts';
import type { Host, KindAdmission } from '../../cli/host.ts';
import { runCommand } from '../../cli/program.ts';
import { InputError } from '../../component/errors.ts';

/** What a stand-in webhook answers. */
type Verdict = {
  allowed?: boolean;
  patch?: readonly Operation[];
  code?: number;
  message?: string;
  warnings?: readonly string[];
};

/** A webhook by path: from the request, and the objects applied so far, to its verdict. */
export type Rules = Record<string, (request: JsonObject, objects: readonly JsonObject[]) => Verdict>;

export type StandIn = {
  rules?: Rules;
  stdin?: string;
  environment?: Record<string, string>;
  terminal?: boolean;
  explanations?: readonly Explanation[];
  /** Makes another evaluator than the stand-in. */
  loadAdmission?: Host['loadAdmission'];
  loadKindAdmission?: Host['loadKindAdmission'];
  policyModule?: URL;
  /** The cluster; without it there is none. */
  connect?: Host['connect'];
  /** Objects of this name are refused by `apply`, with this field. */
  refused?: { name: string; field: string };
};

export type Result = {
  code: number;
  stdout: string;
  stderr: string;
  /** The requests that the webhooks saw, with their paths. */
  requests: { path: string; request: JsonObject }[];
  objects: JsonObject[];
  gates: ReadonlyMap<string, boolean> | undefined;
  times: number[];
};

/** Runs a command line against a stand-in. */
export async function run(given: readonly string[], standIn: StandIn = {}): Promise<Result> {
  const result = emptyResult();
  result.code = await runCommand(standInHost(standIn, result), given);
  return result;
}

export function emptyResult(): Result {
  return { code: -1, stdout: '', stderr: '', requests: [], objects: [], gates: undefined, times: [] };
}

/** The stand-in itself; what the command does with it is written into the result. */
export function standInHost(standIn: StandIn, result: Result): Host {
  let ticks = 0;
  return {
    environment: standIn.environment ?? {},
    stdin: streamOf(standIn.stdin ?? ''),
    stdout: sink(standIn, (text) => {
      result.stdout += text;
    }),
    stderr: sink(standIn, (text) => {
      result.stderr += text;
    }),
    now: () => Date.parse('2026-07-01T08:00:00Z'),
    monotonic: () => ++ticks,
    heapBytes: () => ticks * 1000,
    nodeVersion: 'v26.0.0',
    platform: 'linux-x64',
    policyModule: standIn.policyModule ?? new URL('file:///nowhere/policy.wasm'),
    loadAdmission: async (options, more) => {
      result.gates = options.gates;
      return standIn.loadAdmission?.(options, more) ?? admissionOf(standIn, result);
    },
    loadKindAdmission: async (options) => {
      result.gates = options.gates;
      return standIn.loadKindAdmission?.(options) ?? { apply: () => undefined, admit: allowing };
    },
    connect: standIn.connect ?? (() => Promise.reject(new Error('no cluster here'))),
    services: {
      gateway: {
        flags: async () => ({
          objects: { placeholder: 'FILE|DIR', summary: 'Objects.', default: undefined, absent: [], read: () => [] },
          'log-level': {
            placeholder: 'info|debug',
            summary: "The log's level.",
            default: 'info',
            absent: '',
            read: () => '',
          },
          quiet: { placeholder: '', summary: 'Be quiet.', default: undefined, absent: false, read: () => true },
        }),
        run: async (rest) => {
          result.stdout += `gateway ${rest.join(' ')}\n`;
          return 0;
        },
      },
      reconcilers: {
        flags: async () => ({}),
        run: async (rest) => {
          result.stdout += `reconcilers ${rest.join(' ')}\n`;
          return 0;
        },
      },
    },
  };
}

const allowing: KindAdmission['admit'] = (_kind, object) => ({ allowed: true, object, warnings: [] });

function admissionOf(standIn: StandIn, result: Result): Admission {
  const rules = standIn.rules ?? {};
  return {
    apply: (object) => {
      const metadata = isObject(object.metadata) ? object.metadata : {};
      if (standIn.refused !== undefined && metadata.name === standIn.refused.name) {
        throw new InputError('expected text, got a number', { field: standIn.refused.field });
      }
      result.objects.push(object);
    },
    paths: () => Object.keys(rules),
    answer: (path, body, nowMs) => {
      const review = parseJson(Buffer.from(body).toString()) as JsonObject;
      const request = review.request as JsonObject;
      result.requests.push({ path, request });
      result.times.push(nowMs);
      const verdict = rules[path]?.(request, result.objects) ?? {};
      return { status: 200, body: Buffer.from(JSON.stringify(answerOf(review, request, verdict))) };
    },
    explain: () => [...(standIn.explanations ?? [])],
    figures: { memoryBytes: 0 },
  };
}

function answerOf(review: JsonObject, request: JsonObject, verdict: Verdict): Json {
  if (review.kind === 'ConversionReview') {
    const result =
      verdict.allowed === false ? { status: 'Failed', message: verdict.message ?? '' } : { status: 'Success' };
    return {
      ...review,
      request: null,
      response: { uid: request.uid ?? '', convertedObjects: request.objects ?? [], result },
    };
  }
  const { allowed = true, patch, code = allowed ? 200 : 403, message, warnings } = verdict;
  return {
    kind: 'AdmissionReview',
    apiVersion: review.apiVersion ?? null,
    response: {
      uid: request.uid ?? '',
      allowed,
      status: { code, ...(message === undefined ? {} : { message }) },
      ...(patch === undefined
        ? {}
        : { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }),
      ...(warnings === undefined ? {} : { warnings: [...warnings] }),
    },
  };
}

function sink(standIn: StandIn, write: (text: string) => void): Host['stdout'] {
  return { write, isTerminal: standIn.terminal === true, columns: undefined };
}

async function* streamOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
