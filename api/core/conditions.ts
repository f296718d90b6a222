// Conditions of objects (meta/v1), members in Go's order.
import { always, choice, int64, optional, required, type Static, struct, text, time } from './schema.ts';

const reasonPattern = '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$';
const typePattern =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$';

export const Condition = struct('v1.Condition', {
  type: required(text(), 'What the condition is about.', { openApi: { maxLength: 316, pattern: typePattern } }),
  status: required(choice('v1.ConditionStatus', 'True', 'False', 'Unknown'), 'Whether it holds.'),
  observedGeneration: optional(int64(), 'Generation that the condition is about.', { openApi: { minimum: 0 } }),
  lastTransitionTime: always(time(), 'When the status last changed.', { required: true }),
  reason: required(text(), 'A word for the reason of the last change.', {
    openApi: { maxLength: 1024, minLength: 1, pattern: reasonPattern },
  }),
  message: required(text(), 'A sentence about the last change.', { openApi: { maxLength: 32768 } }),
});
export type Condition = Static<typeof Condition>;

/** Keywords of a list with one condition of each type. */
export const conditionList = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] };
