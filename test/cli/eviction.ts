// An eviction that takes a unit: a review that asks for a fact and has an effect.

import type { WriteFile } from './files.ts';

const BUDGET = `apiVersion: policy.kruise.io/v1beta1
kind: PodUnavailableBudget
metadata: {name: web, namespace: shop, uid: u, resourceVersion: "7", generation: 1}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}
status: {observedGeneration: 1, unavailableAllowed: 1, currentAvailable: 2, desiredAvailable: 1, totalReplicas: 2}
---
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: shop, labels: {app: web}, annotations: {kruise.io/related-pub: web}}
spec: {containers: [{name: app, image: a, env: [{name: TOKEN, value: hunter2}]}]}
status: {phase: Running, conditions: [{type: Ready, status: "True"}]}
`;
const EVICTION = 'apiVersion: policy/v1\nkind: Eviction\nmetadata: {name: web-0, namespace: shop}\n';

/** Writes the eviction, and the budget with its pod. */
export function writeEviction(write: WriteFile): { budget: string; eviction: string } {
  return { budget: write('budget.yaml', BUDGET), eviction: write('eviction.yaml', EVICTION) };
}
