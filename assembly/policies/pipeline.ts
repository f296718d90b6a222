// The steps of the pod mutator over one draft, in their fixed order (admission-overview.md 6). A step skips itself;
// the first refusal ends the review.

import { Review } from '../review';
import { mutate as injectReadinessGate } from './podreadiness';
import { mutate as injectSidecars } from './sidecarset/sidecarset';

const STEPS: StaticArray<(review: Review) => void> = [injectReadinessGate, injectSidecars];

export function mutatePod(review: Review): void {
  for (let i = 0; i < STEPS.length && review.object.isObject && !review.isRefused && !review.isAsking; i++) {
    STEPS[i](review);
  }
}
