// Feature gates: the table, how the `--feature-gates` text is read, and which gates force others (operations 7).

type GateStage = 'alpha' | 'beta';
export type Gate = {
  readonly name: string;
  readonly default: boolean;
  readonly stage: GateStage;
  readonly doc: string;
};
/** Values of all gates, by name. */
export type Gates = ReadonlyMap<string, boolean>;

function alpha(name: string, doc: string): Gate {
  return { name, default: false, stage: 'alpha', doc };
}
function beta(name: string, byDefault: boolean, doc: string): Gate {
  return { name, default: byDefault, stage: 'beta', doc };
}

/** Every gate that exists, in the order of the reference page. */
export const gateTable: readonly Gate[] = [
  beta('PodWebhook', true, 'Serves the pod webhooks.'),
  beta('KruiseDaemon', true, 'Runs what needs the daemon on each node: container restarts, image pulls, pod probes.'),
  beta('DaemonWatchingPod', true, 'The daemon watches the pods of its node and reports their container metadata.'),
  alpha('CloneSetShortHash', 'The revision label of CloneSet pods is the bare hash.'),
  alpha('KruisePodReadinessGate', 'Every created pod gets the readiness gate KruisePodReady.'),
  alpha('PreDownloadImageForInPlaceUpdate', 'CloneSet and Advanced StatefulSet pull images ahead of in-place updates.'),
  alpha('PreDownloadImageForDaemonSetUpdate', 'Advanced DaemonSet pulls images ahead of updates.'),
  alpha('CloneSetPartitionRollback', 'CloneSet moves pods back to the current revision when the partition grows.'),
  beta('ResourcesDeletionProtection', false, 'The label policy.kruise.io/delete-protection is enforced.'),
  alpha('DeletionProtectionForCRDCascadingGate', 'The protection value Cascading is allowed on CRDs.'),
  beta('WorkloadSpread', true, 'Spreads the pods of a workload over subsets.'),
  beta('PodUnavailableBudgetDeleteGate', true, 'PodUnavailableBudget guards deletions and evictions of pods.'),
  alpha('PodUnavailableBudgetUpdateGate', 'PodUnavailableBudget guards in-place updates of pods.'),
  alpha('TemplateNoDefaults', 'Workload webhooks do not fill in defaults of pod templates.'),
  beta('InPlaceUpdateEnvFromMetadata', true, 'Metadata that feeds container environments is updated in place.'),
  beta('StatefulSetAutoDeletePVC', true, 'Advanced StatefulSet executes its claim retention policy.'),
  alpha('StatefulSetAutoResizePVCGate', 'Advanced StatefulSet grows its claims.'),
  alpha('StatefulSetStartOrdinal', 'Advanced StatefulSet honours spec.ordinals.start.'),
  beta('PodIndexLabel', true, 'Advanced StatefulSet pods get the pod index label.'),
  alpha('SidecarSetPatchPodMetadataDefaultsAllowed', 'SidecarSet may patch any pod annotation without a whitelist.'),
  alpha('SidecarTerminator', 'Stops sidecars of finished job pods.'),
  beta('PodProbeMarkerGate', true, 'Runs custom probes and marks pods by their result.'),
  alpha('EnablePodProbeMarkerOnServerless', 'Hands probes to virtual nodes through pod annotations.'),
  alpha('CloneSetEventHandlerOptimization', 'CloneSet ignores pod updates that do not matter to it.'),
  alpha('PreparingUpdateAsUpdate', 'Pods preparing their update count as updated when scaling.'),
  alpha('ImagePullJobGate', 'Runs ImagePullJob and ImageListPullJob.'),
  beta('ResourceDistributionGate', false, 'Runs ResourceDistribution.'),
  alpha('EnhancedLivenessProbe', 'Liveness probes of marked pods are run by the daemon.'),
  alpha('RecreatePodWhenChangeVCTInCloneSetGate', 'Changed claim templates prevent in-place updates of CloneSet.'),
  alpha('EnableExternalCerts', 'Webhook certificates are provided from outside.'),
  alpha('ForceDeleteTimeoutExpectationGate', 'CloneSet drops a scale expectation that stays unmet.'),
  alpha('InPlaceWorkloadVerticalScaling', 'Container resources of workloads are updated in place.'),
  alpha('InPlacePodVerticalScaling', 'PodUnavailableBudget tells resizes from other updates.'),
  alpha('EnableSortSidecarContainerByName', 'Injected sidecar containers are sorted by name.'),
  alpha('DefaultHostNetworkHostPortsInPodTemplates', 'Host ports of host-network templates are filled in.'),
  alpha('DaemonSetPruneIneligibleNodes', 'Advanced DaemonSet updates leave out nodes that no longer match.'),
];

/** If any of the gates `any` has the value `is`, all of `gates` become `become`; applied in this order. */
export type GateDependency = {
  readonly any: readonly string[];
  readonly is: boolean;
  readonly gates: readonly string[];
  readonly become: boolean;
};

/** What gates force on each other (operations 7.3). */
export const gateDependencies: readonly GateDependency[] = [
  {
    any: ['PodWebhook'],
    is: false,
    gates: [
      'KruisePodReadinessGate',
      'PodUnavailableBudgetDeleteGate',
      'PodUnavailableBudgetUpdateGate',
      'WorkloadSpread',
      'SidecarSetPatchPodMetadataDefaultsAllowed',
      'EnhancedLivenessProbe',
      'EnablePodProbeMarkerOnServerless',
    ],
    become: false,
  },
  {
    any: ['KruiseDaemon'],
    is: false,
    gates: [
      'PreDownloadImageForInPlaceUpdate',
      'DaemonWatchingPod',
      'InPlaceUpdateEnvFromMetadata',
      'PreDownloadImageForDaemonSetUpdate',
      'PodProbeMarkerGate',
      'SidecarTerminator',
      'ImagePullJobGate',
      'EnhancedLivenessProbe',
    ],
    become: false,
  },
  {
    any: ['PreDownloadImageForInPlaceUpdate', 'PreDownloadImageForDaemonSetUpdate'],
    is: true,
    gates: ['ImagePullJobGate'],
    become: true,
  },
  {
    any: ['ResourcesDeletionProtection'],
    is: false,
    gates: ['DeletionProtectionForCRDCascadingGate'],
    become: false,
  },
];

const byName: ReadonlyMap<string, Gate> = new Map(gateTable.map((gate) => [gate.name, gate]));
const groups: ReadonlyMap<string, GateStage> = new Map([
  ['AllAlpha', 'alpha'],
  ['AllBeta', 'beta'],
]);
const trueWords: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const falseWords: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

/** Thrown by {@link parseGates}; the message names the gate and what was expected. */
export class GateError extends Error {
  override name = 'GateError';
}

/**
 * Reads `A=true,B=false`; several texts joined by commas are one text, the last mention of a name wins. `AllAlpha` and
 * `AllBeta` stay in the result as they were given. Throws GateError for an unknown name or a value that is no boolean.
 */
export function parseGates(text: string): Gates {
  const values = new Map<string, boolean>();
  for (const part of text.split(',')) {
    if (part.trim() === '') continue;
    const equals = part.indexOf('=');
    const name = (equals < 0 ? part : part.slice(0, equals)).trim();
    if (equals < 0) throw new GateError(`feature gate ${JSON.stringify(name)}: expected NAME=true or NAME=false`);
    if (!byName.has(name) && !groups.has(name)) {
      throw new GateError(`unknown feature gate ${JSON.stringify(name)}${suggestion(name)}`);
    }
    const word = part.slice(equals + 1).trim();
    if (!trueWords.has(word) && !falseWords.has(word)) {
      throw new GateError(`feature gate ${name}: expected true or false, got ${JSON.stringify(word)}`);
    }
    values.set(name, trueWords.has(word));
  }
  return values;
}

/**
 * The values of all gates: defaults, then `AllAlpha`/`AllBeta`, then gates named one by one, then what gates force on
 * each other (operations 7.3), which wins over explicit values. `defaults` replaces single defaults.
 */
export function effectiveGates(overrides: Gates = new Map(), defaults: Gates = new Map()): Gates {
  const values = new Map<string, boolean>();
  for (const gate of gateTable) {
    const group = overrides.get(gate.stage === 'alpha' ? 'AllAlpha' : 'AllBeta');
    values.set(gate.name, overrides.get(gate.name) ?? group ?? defaults.get(gate.name) ?? gate.default);
  }
  applyDependencies(values);
  return values;
}

/** True if the gate is on. Throws for a name that is not in the table: that is a bug of the caller. */
export function isEnabled(gates: Gates, name: string): boolean {
  const value = gates.get(name);
  if (value === undefined) throw new Error(`no such feature gate: ${name}`);
  return value;
}

function applyDependencies(values: Map<string, boolean>): void {
  for (const { any, is, gates, become } of gateDependencies) {
    if (any.some((name) => values.get(name) === is)) for (const name of gates) values.set(name, become);
  }
}

function suggestion(name: string): string {
  const wanted = name.toLowerCase();
  const close = gateTable.find(
    (gate) => gate.name.toLowerCase() === wanted || `${gate.name}gate`.toLowerCase() === wanted,
  );
  const found = close ?? gateTable.find((gate) => gate.name.toLowerCase() === `${wanted}gate`);
  return found === undefined ? '' : `; did you mean ${found.name}?`;
}
