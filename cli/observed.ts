// A cluster in memory that tells what decisions write to it, and can be put back to what it was.

import type { Manifest } from '../component/manifests.ts';
import type { Effect } from '../evaluator/policies.ts';
import type { GivenAnswers } from '../evaluator/webhooks.ts';
import type { Host } from './host.ts';
import { readGates, type State, stateOf } from './state.ts';

export type Observed = {
  state: State;
  /** What decisions have written since the list was emptied. */
  effects: Effect[];
};

export type ObservedOptions = {
  featureGates: string;
  systemNamespace: string;
  /** What is answered in place of the objects. */
  given?: GivenAnswers;
  /** Another policy module than the one that was built. */
  module?: Uint8Array<ArrayBuffer>;
};

/** A cluster with these objects. Throws InputError with file, line and field. */
export async function observedCluster(
  host: Host,
  { featureGates, systemNamespace, given, module }: ObservedOptions,
  objects: readonly Manifest[],
): Promise<Observed> {
  const effects: Effect[] = [];
  const observer = { asked: () => undefined, committed: (written: readonly Effect[]) => void effects.push(...written) };
  const settings = { gates: readGates(featureGates), systemNamespace };
  const more = { ...(given !== undefined && { given }), ...(module !== undefined && { module }) };
  const admission = await host.loadAdmission(settings, { observer, ...more });
  return { state: stateOf(admission, objects), effects };
}

/** Takes back what decisions have written: the objects are as they were given. */
export function giveBack({ state, effects }: Observed): void {
  for (const { apiVersion, kind, namespace, name } of effects) {
    const given = state.find({ apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } });
    if (given !== undefined) state.admission.apply(given);
  }
  effects.length = 0;
}
