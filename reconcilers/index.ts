// The controllers of the program. A new one is a line here.

import { type Gates, isEnabled } from '../api/gates.ts';
import type { Policies } from '../evaluator/policies.ts';
import { containerLaunchPriority } from './containerlaunchpriority/controller.ts';
import type { Controller } from './loop/controller.ts';
import { persistentPodState } from './persistentpodstate/controller.ts';
import { podReadiness } from './podreadiness/controller.ts';
import { podUnavailableBudget } from './podunavailablebudget/controller.ts';
import { resourceDistribution } from './resourcedistribution/controller.ts';
import { sidecarSetController } from './sidecarset/controller.ts';
import { workloadSpread } from './workloadspread/controller.ts';

/** What controllers are made from, besides what they read. */
export type Settings = {
  readonly gates: Gates;
  /** Where the program and what it keeps for itself is. */
  readonly systemNamespace: string;
  /** Rules that admission and controllers share. */
  readonly policies: Policies;
  /** The API server's, as `v1.36.0`. */
  readonly serverVersion: string;
};

/** Makes a controller, or none when a gate has it switched off (operations 14). */
export type MakeController = (settings: Settings) => Controller<unknown> | undefined;

export const controllers: readonly MakeController[] = [
  () => podReadiness,
  () => containerLaunchPriority,
  ({ systemNamespace }) => persistentPodState(systemNamespace),
  sidecarSetController,
  ({ gates, policies }) => {
    const isGuarding = ['PodUnavailableBudgetDeleteGate', 'PodUnavailableBudgetUpdateGate'].some((gate) =>
      isEnabled(gates, gate),
    );
    return isGuarding ? podUnavailableBudget(policies) : undefined;
  },
  ({ gates, systemNamespace }) => (isEnabled(gates, 'WorkloadSpread') ? workloadSpread(systemNamespace) : undefined),
  ({ gates }) => (isEnabled(gates, 'ResourceDistributionGate') ? resourceDistribution : undefined),
];
