// The workloads above a pod: its controller, and the controllers of that, as the host knows them
// (admission-overview.md 9.1).

import { APPS_GROUP } from '../../api/names';
import { Text } from '../json/text';
import { View } from '../json/view';
import { getQuestion, Knowledge } from '../object/fact';
import { controllerOf, groupOf } from '../object/pod';
import { Review } from '../review';

/** As many are followed upward: each may cost the host a look-up and the review a round. */
const OWNERS_MOST: i32 = 3;

/** Asks the host step by step; whoever walks has to stop when `isAsking`. */
export class Workloads {
  /** References to the workload that the pod belongs to and, once climbed to, to the controllers above it. */
  private readonly owners: Array<View> = [];
  /** The last of them, as far as it was fetched. */
  private object: View = View.none();
  private isAtTop: bool = false;

  constructor(private readonly review: Review) {
    const owner = controllerOf(review.object);
    const object = this.fetch(owner);
    if (object.isObject) {
      this.begin(owner, object);
    }
  }

  private begin(owner: View, object: View): void {
    this.owners.push(owner);
    this.object = object;
    // The pods of a Deployment are its own, not those of its ReplicaSets.
    const above = controllerOf(object);
    if (isOf(owner, 'apps', 'ReplicaSet') && above.get('kind').is('Deployment')) {
      const deployment = isOf(above, 'apps', 'Deployment') ? this.fetch(above) : View.none();
      if (deployment.isObject) {
        this.owners[0] = above;
        this.object = deployment;
      } else {
        this.isAtTop = true;
      }
    }
  }

  get isAsking(): bool {
    return this.review.isAsking;
  }

  /** The pod has no controller, or the host does not find it. */
  get isEmpty(): bool {
    return this.owners.length == 0;
  }

  /** The name of the workload that the pod belongs to; empty when there is none. */
  get name(): Text {
    return this.isEmpty ? Text.empty() : this.owners[0].get('name').text();
  }

  /** Is the workload that a `targetRef` names the pod's, or above it? The version does not matter. */
  contains(target: View): bool {
    let i = 0;
    do {
      for (; i < this.owners.length; i++) {
        if (isSame(this.owners[i], target)) {
          return true;
        }
      }
    } while (this.climb());
    return false;
  }

  /** Goes on to the controller of the last owner; false when there is none or the host has to be asked first. */
  private climb(): bool {
    const count = this.owners.length;
    if (count == 0 || count == OWNERS_MOST || this.isAtTop) {
      return false;
    }
    if (!this.object.exists) {
      this.object = this.fetch(this.owners[count - 1]);
    }
    const above = controllerOf(this.object);
    this.object = View.none();
    this.isAtTop = !above.exists && !this.isAsking;
    if (above.exists) {
      this.owners.push(above);
    }
    return above.exists;
  }

  /** What a reference names, unless something else has that name by now. */
  private fetch(owner: View): View {
    if (!owner.exists) {
      return owner;
    }
    const question = getQuestion(
      versionOf(owner),
      owner.get('kind').text(),
      this.review.namespace,
      owner.get('name').text(),
    );
    const fact = this.review.ask(question);
    if (fact.knowledge != Knowledge.Known) {
      return View.none();
    }
    // The pod's own reference is trusted.
    return this.owners.length == 0 || isSameUid(fact.answer, owner) ? fact.answer : View.none();
  }
}

/** Is the object the one that the reference means? Where a uid is not told nothing speaks against it. */
export function isSameUid(object: View, reference: View): bool {
  const uid = object.get('metadata').get('uid').text();
  const wanted = reference.get('uid').text();
  return uid.isEmpty || wanted.isEmpty || uid.equals(wanted);
}

/** Same group, kind and name: what `targetRef` and owner references have. */
export function isSame(a: View, b: View): bool {
  return (
    a.get('kind').text().equals(b.get('kind').text()) &&
    a.get('name').text().equals(b.get('name').text()) &&
    groupOf(a.get('apiVersion').text()).equals(groupOf(b.get('apiVersion').text()))
  );
}

/** Does the reference name an object of this group and kind? */
export function isOf(reference: View, group: string, kind: string): bool {
  return reference.get('kind').is(kind) && groupOf(reference.get('apiVersion').text()).is(group);
}

/** May the workload that a `targetRef` names stand above the pods of an owner? */
export function mayBeAbove(target: View, owner: View): bool {
  if (isSame(target, owner)) {
    return true;
  }
  if (isOf(target, 'apps', 'Deployment')) {
    return isOf(owner, 'apps', 'ReplicaSet');
  }
  return !hasOwnPods(target);
}

/** Of kinds that control their pods themselves, so that a workload of them is above no pods but its own. */
export function hasOwnPods(target: View): bool {
  return (
    isOf(target, 'apps', 'ReplicaSet') ||
    isOf(target, 'apps', 'StatefulSet') ||
    isOf(target, '', 'ReplicationController') ||
    isOf(target, APPS_GROUP, 'CloneSet') ||
    isOf(target, APPS_GROUP, 'StatefulSet')
  );
}

/** The version to ask for: of well-known kinds the one that every cluster serves. */
export function versionOf(owner: View): Text {
  const version = owner.get('apiVersion').text();
  const group = groupOf(version);
  if (group.is('apps')) {
    return Text.of('apps/v1');
  }
  return group.is(APPS_GROUP) ? Text.of('apps.kruise.io/v1beta1') : version;
}
