// A recording of reviews (`sluice review --record`): all that the answers depend on, and the answers themselves, so that
// anybody can replay them.

import { type JsonObject, parseJson } from '../../api/core/json.ts';
import { fieldError, type Manifest } from '../../component/manifests.ts';
import type { Effect, FactAnswer, Question } from '../../evaluator/policies.ts';
import type { Observer } from '../../evaluator/webhooks.ts';
import packageFile from '../../package.json' with { type: 'json' };
import type { Admission } from '../admission.ts';
import type { Settings } from '../host.ts';
import { timeOf } from '../options.ts';
import { type Faults, Fields } from '../suites/fields.ts';

const RECORDING_VERSION = 'sluice.dev/v1alpha1';
const RECORDING_KIND = 'ReviewRecording';

/** What a policy asked about the cluster, and the answer. */
type Fact = { question: Question } & FactAnswer;

/** One body that was answered. */
export type Exchange = {
  path: string;
  /** Objects that were added since the exchange before. */
  objects: JsonObject[];
  /** The body; written as JSON.stringify does, it is the very bytes. */
  request: JsonObject;
  status: number;
  /** The body of the answer, as it went over the wire. */
  answer: string;
  facts: Fact[];
  effects: Effect[];
};

export type Recording = {
  /** The digest of the policy module. */
  module: string;
  nowMs: number;
  featureGates: ReadonlyMap<string, boolean>;
  systemNamespace: string;
  redacted: boolean;
  exchanges: readonly Exchange[];
};

/** Writes down what an evaluator is told and answers. */
export class Recorder {
  private readonly exchanges: Exchange[] = [];
  private objects: JsonObject[] = [];
  private facts: Fact[] = [];
  private effects: Effect[] = [];

  readonly observer: Observer = {
    asked: (question, answer) => void this.facts.push({ question, ...answer }),
    committed: (effects) => void this.effects.push(...effects),
  };

  /** The evaluator, listened to. It must have been made with the observer. */
  recorded(admission: Admission): Admission {
    return {
      get figures() {
        return admission.figures;
      },
      paths: () => admission.paths(),
      explain: (body, nowMs) => admission.explain(body, nowMs),
      apply: (object) => {
        admission.apply(object);
        this.objects.push(object);
      },
      answer: (path, body, nowMs) => {
        this.facts = [];
        this.effects = [];
        const request = parseJson(new TextDecoder().decode(body)) as JsonObject;
        const { status, body: answer } = admission.answer(path, body, nowMs);
        const { objects, facts, effects } = this;
        this.objects = [];
        // Copied: the module's memory is used again.
        const copy = Uint8Array.from(answer);
        const text = new TextDecoder().decode(copy);
        this.exchanges.push({ path, objects, request, status, answer: text, facts, effects });
        return { status, body: copy };
      },
    };
  }

  /** All exchanges so far. */
  get found(): readonly Exchange[] {
    return this.exchanges;
  }
}

/** The settings that an evaluator is made with to replay a recording. */
export function settingsOf({ featureGates, systemNamespace }: Recording): Settings {
  return { gates: featureGates, systemNamespace };
}

/** The document. */
export function documentOf(recording: Recording): JsonObject {
  const { module, nowMs, featureGates, systemNamespace, redacted, exchanges } = recording;
  return {
    apiVersion: RECORDING_VERSION,
    kind: RECORDING_KIND,
    sluice: packageFile.version,
    module,
    now: new Date(nowMs).toISOString(),
    featureGates: Object.fromEntries(featureGates),
    systemNamespace,
    redacted,
    exchanges: exchanges.map((exchange): JsonObject => {
      const { path, objects, request, status, answer } = exchange;
      const facts = exchange.facts as unknown as JsonObject[];
      const effects = exchange.effects as unknown as JsonObject[];
      return { path, objects, request, status, answer, facts, effects };
    }),
  };
}

/** The recording of a document; what is wrong goes to the faults. Throws InputError for another kind of object. */
export function readRecording(manifest: Manifest, faults: Faults): Recording {
  const { kind } = manifest.object;
  if (kind !== RECORDING_KIND) {
    const got = kind === undefined ? 'none' : JSON.stringify(kind);
    throw fieldError(manifest, 'kind', `expected ${RECORDING_KIND}, as "sluice review --record" writes it, got ${got}`);
  }
  const root = new Fields(manifest, faults);
  root.oneOf('apiVersion', [RECORDING_VERSION]);
  root.oneOf('kind', [RECORDING_KIND]);
  root.text('sluice');
  const now = root.requiredText('now');
  const nowMs = timeOf(now);
  if (nowMs === undefined && now !== '') root.fault('now', 'expected a time such as 2026-07-01T08:00:00Z');
  const gates = root.part('featureGates');
  const names = Object.keys(gates?.object ?? {});
  const recording = {
    module: root.requiredText('module'),
    nowMs: nowMs ?? 0,
    featureGates: new Map(names.map((name) => [name, gates?.boolean(name) ?? false])),
    systemNamespace: root.requiredText('systemNamespace'),
    redacted: root.boolean('redacted') ?? false,
    exchanges: root.parts('exchanges').map(readExchange),
  };
  if (root.json('exchanges') === undefined) root.fault('exchanges', 'required');
  root.end();
  return recording;
}

function readExchange(fields: Fields): Exchange {
  const request = fields.part('request')?.object;
  if (request === undefined) fields.fault('request', 'required');
  const objects = (name: string): JsonObject[] => fields.parts(name).map(({ object }) => object);
  const exchange = {
    path: fields.requiredText('path'),
    objects: objects('objects'),
    request: request ?? {},
    status: fields.count('status') ?? 200,
    answer: fields.requiredText('answer'),
    facts: objects('facts') as unknown as Fact[],
    effects: objects('effects') as unknown as Effect[],
  };
  fields.end();
  return exchange;
}
