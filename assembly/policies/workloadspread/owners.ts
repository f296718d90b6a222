// The controllers above a pod, one after the other, as far as they have to be known to find out whether a spread's
// target is among them (workloadspread.md 3.3).

import { Text } from '../../json/text';
import { View } from '../../json/view';
import { Writer } from '../../json/writer';
import { getQuestion, Knowledge } from '../../object/fact';
import { controllerOf, groupOf } from '../../object/pod';
import { Review } from '../../review';
import { isSame, versionOf } from '../workload';
import { CustomWorkloads } from './custom-workloads';

/** As many controllers are looked up: each may cost a round of questions. */
const FETCHES_MOST: i32 = 3;

export const enum Ownership {
  No,
  Yes,
  /** The host is asked first. */
  Asked,
  /** A controller on the way does not exist: `missing` says which. */
  Missing,
  /** The host cannot tell. */
  Unknown,
}

export class Owners {
  /** What does not exist, in words. */
  missing: Text = Text.empty();
  private readonly chain: Array<View> = [];
  private fetches: i32 = 0;
  /** Why the chain does not go on; `Yes` while it may. */
  private end: Ownership = Ownership.Yes;

  constructor(
    private readonly review: Review,
    private readonly kinds: CustomWorkloads,
    owner: View,
  ) {
    this.chain.push(owner);
  }

  /** Does the pod belong to what a `targetRef` names? Versions and uids do not matter. */
  under(target: View): Ownership {
    if (!isApiVersion(target.get('apiVersion').text())) {
      return Ownership.Unknown;
    }
    for (let i = 0; i < this.chain.length || this.climb(); i++) {
      if (isSame(this.chain[i], target)) {
        return Ownership.Yes;
      }
    }
    return this.end;
  }

  /** Adds the controller of the last owner; false when there is none, with `end` saying why. */
  private climb(): bool {
    if (this.end != Ownership.Yes) {
      return false;
    }
    const owner = this.chain[this.chain.length - 1];
    this.end = Ownership.No;
    if (this.fetches == FETCHES_MOST || !this.kinds.isKnown(owner)) {
      return false;
    }
    this.fetches++;
    const name = owner.get('name').text();
    const question = getQuestion(versionOf(owner), owner.get('kind').text(), this.review.namespace, name);
    const fact = this.review.ask(question);
    if (fact.knowledge != Knowledge.Known) {
      this.end = fact.knowledge == Knowledge.Asked ? Ownership.Asked : Ownership.Unknown;
      return false;
    }
    if (!fact.answer.isObject) {
      this.end = Ownership.Missing;
      this.missing = notFound(owner);
      return false;
    }
    const above = controllerOf(fact.answer);
    if (above.exists) {
      this.end = isApiVersion(above.get('apiVersion').text()) ? Ownership.Yes : Ownership.Unknown;
      if (this.end == Ownership.Yes) {
        this.chain.push(above);
      }
    }
    return above.exists && this.end == Ownership.Yes;
  }
}

/** `version` or `group/version`. */
export function isApiVersion(text: Text): bool {
  const slash = text.indexOf(0x2f);
  return slash < 0 || text.indexOf(0x2f, slash + 1) < 0;
}

/** `ReplicaSet.apps "web-1" not found`, as the API server says it. */
export function notFound(reference: View): Text {
  const group = groupOf(reference.get('apiVersion').text());
  const out = new Writer();
  out.text(reference.get('kind').text());
  if (!group.isEmpty) {
    out.byte(0x2e);
    out.text(group);
  }
  out.ascii(' "');
  out.text(reference.get('name').text());
  out.ascii('" not found');
  return out.toText();
}
