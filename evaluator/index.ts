// What the npm package gives as `sluice/evaluator`: the decisions of all webhooks without a server or a cluster. The types
// of the kinds stand beside it (scripts/kind-types.ts).

export type { Json, JsonObject } from '../api/core/json.ts';
export { effectiveGates, type Gates, parseGates } from '../api/gates.ts';
export { InputError } from '../component/errors.ts';
export type { Answer } from './envelope.ts';
export type { FactText } from './fact.ts';
export {
  type Cluster,
  type Effect,
  type Explanation,
  type FactAnswer,
  type Facts,
  type ObjectReference,
  Policies,
  type PolicySettings,
  type Question,
} from './policies.ts';
export { Webhooks } from './webhooks.ts';
