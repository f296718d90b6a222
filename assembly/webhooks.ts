// The webhooks that the module answers, and what a review must have to be answered.

import { Text } from './json/text';
import { View } from './json/view';
import { protectDefinition } from './policies/deletion-protection/definition';
import { protectNamespace } from './policies/deletion-protection/namespace';
import { protectIngress, protectService } from './policies/deletion-protection/plain';
import {
  protectCloneSet,
  protectDeployment,
  protectKruiseStatefulSet,
  protectReplicaSet,
  protectStatefulSet,
  protectUnitedDeployment,
} from './policies/deletion-protection/workload';
import { mutatePod, validatePod } from './policies/pipeline';
import { Review } from './review';

/** By number (docs/reference/abi.md): what is new comes at the end. */
const WEBHOOKS: StaticArray<(review: Review) => void> = [
  mutatePod,
  protectNamespace,
  protectDefinition,
  protectDeployment,
  protectReplicaSet,
  protectStatefulSet,
  protectService,
  protectIngress,
  protectCloneSet,
  protectKruiseStatefulSet,
  protectUnitedDeployment,
  validatePod,
];

export function decide(webhook: i32, review: Review): void {
  if (webhook >= 0 && webhook < WEBHOOKS.length) {
    WEBHOOKS[webhook](review);
  } else {
    review.refuse(500, Text.of('this webhook is not one that the module answers'));
  }
}

/** Why this is no review that can be answered, or null. */
export function envelopeError(root: View): Text | null {
  const request = root.get('request');
  if (!root.isObject || !request.isObject) {
    return Text.of('request: expected the request of an AdmissionReview');
  }
  if (request.get('uid').text().isEmpty) {
    return Text.of('request.uid: expected the uid of the review');
  }
  const operation = request.get('operation');
  if (operation.text().isEmpty) {
    return Text.of('request.operation: expected CREATE, UPDATE, DELETE or CONNECT');
  }
  if (!operation.is('DELETE') && !request.get('object').isObject) {
    return Text.of('request.object: expected the object under review');
  }
  return null;
}
