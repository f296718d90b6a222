// The steps of the pod mutator over one draft, and of the pod validator, in their fixed order (admission-overview.md 6
// and 6b). A step skips itself; the first refusal ends the review. Explanations are given step by step, each about the pod
// as the step finds it.

import { Text } from '../json/text';
import { Review } from '../review';
import { explain as explainLaunchPriority } from './containerlaunchpriority/explain';
import { mutate as orderLaunches } from './containerlaunchpriority/launchpriority';
import { explain as explainLiveness } from './enhancedlivenessprobe/explain';
import { mutate as moveLivenessProbes } from './enhancedlivenessprobe/liveness';
import { Explanations } from './explanations';
import { explain as explainPersistentState } from './persistentpodstate/explain';
import { mutate as injectPersistentState } from './persistentpodstate/persistentpodstate';
import { podFault } from './pod';
import { explain as explainProbeMarkers } from './podprobemarker/explain';
import { mutate as handOverProbes } from './podprobemarker/podprobemarker';
import { mutate as injectReadinessGate } from './podreadiness';
import { explain as explainBudgets } from './podunavailablebudget/explain';
import { mutate as relateToBudget } from './podunavailablebudget/related';
import { validate as chargeBudget } from './podunavailablebudget/validate';
import { explain as explainSidecarSets } from './sidecarset/explain';
import { mutate as injectSidecars } from './sidecarset/sidecarset';
import { validate as bookDeletion } from './workloadspread/deletion';
import { explain as explainSpreads } from './workloadspread/explain';
import { mutate as placeInSubset } from './workloadspread/workloadspread';

const STEPS: StaticArray<(review: Review) => void> = [
  injectReadinessGate,
  placeInSubset,
  injectSidecars,
  orderLaunches,
  relateToBudget,
  injectPersistentState,
  moveLivenessProbes,
  handOverProbes,
];

/** Steps of the pod validator. */
const VALIDATIONS: StaticArray<(review: Review) => void> = [bookDeletion, chargeBudget];

/** Of each step. */
const EXPLANATIONS: StaticArray<(review: Review, out: Explanations) => void> = [
  explainNothing,
  explainSpreads,
  explainSidecarSets,
  explainLaunchPriority,
  explainBudgets,
  explainPersistentState,
  explainLiveness,
  explainProbeMarkers,
];

export function mutatePod(review: Review): void {
  checkPod(review);
  for (let i = 0; i < STEPS.length && !isAtEnd(review); i++) {
    STEPS[i](review);
  }
}

/** What a refused request would change is not written, whichever step refuses it. */
export function validatePod(review: Review): void {
  for (let i = 0; i < VALIDATIONS.length && !review.isRefused && !review.isAsking; i++) {
    VALIDATIONS[i](review);
  }
}

/** Why each policy acts or does not act on the pod; a step behind a refusal says nothing. */
export function explainPod(review: Review, out: Explanations): void {
  checkPod(review);
  for (let i = 0; i < STEPS.length && !isAtEnd(review); i++) {
    EXPLANATIONS[i](review, out);
    if (!review.isAsking) {
      STEPS[i](review);
    }
  }
}

function checkPod(review: Review): void {
  const fault: Text | null = review.object.isObject ? podFault(review.object) : null;
  if (fault !== null) {
    review.refuse(400, fault);
  }
}

function isAtEnd(review: Review): bool {
  return !review.object.isObject || review.isRefused || review.isAsking;
}

/** A step that every pod takes, and that no object asks for. */
function explainNothing(_review: Review, _out: Explanations): void {}
