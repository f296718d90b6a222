// Counts denials, writes them to the protection log, and tells of pods that their budget keeps by Events.

import type { Metrics, Sample } from '../../component/metrics.ts';
import type { Denial } from '../../evaluator/denial.ts';
import { eventOf } from '../../kube/event-rows.ts';
import type { EventRecorder } from '../../kube/events.ts';
import { EVENTS } from '../events.ts';
import { METRICS } from '../metrics/rows.ts';
import type { ProtectionLog } from './protection-log.ts';

/** Sets of labels of a metric: users and objects have many names. What comes later is counted as `other`. */
const SETS_MOST = 1000;

/** As clients of the system that we replace know it. */
const PREVENTED_MESSAGE = 'openkruise pub prevents pod deletion';

const METRIC_OF: Readonly<Record<string, 'namespaceProtection' | 'definitionProtection'>> = {
  Namespace: 'namespaceProtection',
  CustomResourceDefinition: 'definitionProtection',
};
/** Their refusals are neither logged nor counted (operations 12). */
const UNCOUNTED: ReadonlySet<string> = new Set(['Service', 'Ingress']);

export class Denials {
  readonly #log: ProtectionLog | undefined;
  readonly #events: EventRecorder | undefined;
  readonly #counts = {
    budget: new LabelCounts(['kind_namespace_name', 'username']),
    namespaceProtection: new LabelCounts(['name', 'username']),
    definitionProtection: new LabelCounts(['name', 'username']),
    workloadProtection: new LabelCounts(['kind_namespace_name', 'username']),
  };

  constructor(metrics: Metrics, log: ProtectionLog | undefined, events: EventRecorder | undefined) {
    this.#log = log;
    this.#events = events;
    metrics.add(METRICS.budgetDenials, () => this.#counts.budget.samples);
    metrics.add(METRICS.namespaceProtection, () => this.#counts.namespaceProtection.samples);
    metrics.add(METRICS.definitionProtection, () => this.#counts.definitionProtection.samples);
    metrics.add(METRICS.workloadProtection, () => this.#counts.workloadProtection.samples);
  }

  record(denial: Denial): void {
    const { event, kind, namespace, name, username, pod } = denial;
    if (UNCOUNTED.has(kind)) return;
    this.#log?.write({ Event: event, Kind: kind, Namespace: namespace, Name: name, UserAgent: username });
    const whole = `${kind}_${namespace}_${name}`;
    const metric = METRIC_OF[kind];
    if (event === 'PodUnavailableBudget') this.#counts.budget.add(whole, username);
    else if (metric !== undefined) this.#counts[metric].add(name, username);
    else this.#counts.workloadProtection.add(whole, username);
    if (pod === undefined || pod.uid === '') return;
    const regarding = { apiVersion: 'v1', kind: 'Pod', metadata: { ...pod, resourceVersion: '' } };
    this.#events?.record(eventOf(EVENTS.deletionPrevented, regarding, PREVENTED_MESSAGE));
  }
}

class LabelCounts {
  readonly #labels: readonly [string, string];
  readonly #sets = new Map<string, Sample>();

  constructor(labels: readonly [string, string]) {
    this.#labels = labels;
  }

  get samples(): Iterable<Sample> {
    return this.#sets.values();
  }

  add(...values: readonly [string, string]): void {
    // A name of Kubernetes has no line break in it, and a user's comes last.
    const key = `${values[0]}\n${values[1]}`;
    const known = this.#sets.get(key);
    if (known !== undefined) known.value++;
    else if (this.#sets.size < SETS_MOST || values[0] === 'other') this.#sets.set(key, this.#sample(values));
    else this.add('other', 'other');
  }

  #sample([first, second]: readonly [string, string]): Sample {
    return { labels: { [this.#labels[0]]: first, [this.#labels[1]]: second }, value: 1 };
  }
}
