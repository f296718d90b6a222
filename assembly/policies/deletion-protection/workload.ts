// Deletion of workloads: with Cascading only while they want pods (deletion-protection.md 5).

import { Text } from '../../json/text';
import { between } from '../../json/writer';
import { Decoding } from '../../object/decode';
import { Review } from '../../review';
import { isDecoded, isDeletion, Protection, protectionOf, refuseAlways, refuseCascading } from './protection';

export function protectDeployment(review: Review): void {
  protectBuiltIn('Deployment', 'DeploymentSpec', review);
}

export function protectReplicaSet(review: Review): void {
  protectBuiltIn('ReplicaSet', 'ReplicaSetSpec', review);
}

export function protectStatefulSet(review: Review): void {
  protectBuiltIn('StatefulSet', 'StatefulSetSpec', review);
}

export function protectCloneSet(review: Review): void {
  if (isDeletion(review) && hasKnownVersion(review)) {
    judge('CloneSet', 'CloneSetSpec', review);
  }
}

/** Every version is read alike. */
export function protectKruiseStatefulSet(review: Review): void {
  if (isDeletion(review)) {
    judge('StatefulSet', 'StatefulSetSpec', review);
  }
}

export function protectUnitedDeployment(review: Review): void {
  if (isDeletion(review) && hasKnownVersion(review)) {
    judge('UnitedDeployment', 'UnitedDeploymentSpec', review);
  }
}

/** A request about another kind than the path is for is allowed. */
function protectBuiltIn(kind: string, spec: string, review: Review): void {
  if (isDeletion(review) && review.request.get('kind').get('kind').is(kind)) {
    judge(kind, spec, review);
  }
}

function judge(kind: string, spec: string, review: Review): void {
  const replicas = review.oldObject.get('spec').get('replicas');
  const decoding = new Decoding();
  decoding.isWhole(review.oldObject, kind) &&
    decoding.isMetadata(review.oldObject.get('metadata'), kind) &&
    decoding.isObject(review.oldObject.get('spec'), kind, 'spec', spec) &&
    decoding.isInt32(replicas, spec, 'spec.replicas');
  if (!isDecoded(decoding, review)) {
    return;
  }
  const protection = protectionOf(review);
  if (protection == Protection.Always) {
    refuseAlways(review);
  } else if (protection == Protection.Cascading && replicas.integer(0) > 0) {
    refuseCascading('replicas', replicas.integer(0), review);
  }
}

function hasKnownVersion(review: Review): bool {
  const version: Text = review.request.get('resource').get('version').text();
  if (version.is('v1alpha1') || version.is('v1beta1')) {
    return true;
  }
  review.refuse(400, between('unsupported version: ', version));
  return false;
}
