// Which subset of a spread a new pod goes to (workloadspread.md 3.5): decided from the spread as it is stored, without
// writing anything.

import { Draft } from '../../json/draft';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { Writer } from '../../json/writer';
import { named } from '../../object/pod';
import { Review } from '../../review';
import { Matched } from './annotation';
import { CustomWorkloads } from './custom-workloads';
import { Booking, isSchedulable, Ledger, missingOf, UNLIMITED } from './ledger';
import { versionOfPod } from './version';

/** A subset without limit, where ordinals are counted. */
const ALL: i64 = i32.MAX_VALUE;

export class Choice {
  /** The subset's name; none when all are full. */
  hasSubset: bool = false;
  subset: Text = Text.empty();
  /** Id of the booking of a pod without a name. */
  uid: Text = Text.empty();
  /** The status to be written; null when nothing is booked. */
  status: Draft | null = null;
  /** Why no subset can be chosen. */
  fault: Text | null = null;

  private take(subset: Text): Choice {
    this.hasSubset = true;
    this.subset = subset;
    return this;
  }

  /** Whoever reads the choice has to stop when the review is asking then. */
  static of(spread: View, pod: View, kinds: CustomWorkloads, review: Review): Choice {
    const choice = new Choice();
    const only = onlySubset(spread);
    if (only.exists) {
      return choice.take(only.get('name').text());
    }
    if (isByOrdinal(spread)) {
      const subset = subsetOfOrdinal(spread, ordinalOf(pod.get('metadata').get('name').text()));
      return subset.exists ? choice.take(subset.get('name').text()) : choice;
    }
    choice.fromLedger(new Ledger(spread, versionOfPod(pod), kinds, review), spread, pod, review);
    return choice;
  }

  private fromLedger(ledger: Ledger, spread: View, pod: View, review: Review): void {
    this.fault = ledger.fault;
    const name = pod.get('metadata').get('name').text();
    const before = Matched.of(pod);
    // A pod that is reviewed again keeps its booking: by its name, or by the id that the first review gave to it.
    const isOurs = before.spread.equals(spread.get('metadata').get('name').text());
    const earlier = name.isEmpty && isOurs ? before.uid : Text.empty();
    const id = name.isEmpty ? earlier : name;
    const booked = id.isEmpty ? View.none() : ledger.booked(id);
    if (booked.exists) {
      this.uid = earlier;
      this.take(booked.get('name').text());
      return;
    }
    const free = ledger.free();
    if (!free.exists) {
      return;
    }
    this.take(free.get('name').text());
    if (missingOf(free) != UNLIMITED) {
      this.uid = name.isEmpty ? uuidOf(review.uid) : name;
      this.status = ledger.book(free, Booking.Creation, this.uid);
      this.uid = name.isEmpty ? this.uid : Text.empty();
    }
  }
}

/** The one subset of a spread that has no other and no limit: nothing is counted there. */
export function onlySubset(spread: View): View {
  const subsets = spread.get('spec').get('subsets');
  const first = subsets.first();
  return subsets.count() == 1 && !first.get('maxReplicas').isSet ? first : View.none();
}

/** Pods of StatefulSets go by their ordinals: nothing is counted either. */
export function isByOrdinal(spread: View): bool {
  return spread.get('spec').get('targetRef').get('kind').is('StatefulSet');
}

function subsetOfOrdinal(spread: View, ordinal: i64): View {
  const statuses = spread.get('status').get('subsetStatuses');
  let threshold: i64 = 0;
  for (let subset = spread.get('spec').get('subsets').first(); subset.exists; subset = subset.next()) {
    if (!isSchedulable(named(statuses, subset.get('name').text()))) {
      continue;
    }
    const max = subset.get('maxReplicas');
    threshold += max.isSet ? max.integer(0) : ALL;
    if (ordinal < threshold) {
      return subset;
    }
  }
  return View.none();
}

/** The number behind the last dash of a name; -1 where there is none that has 32 bits. */
function ordinalOf(name: Text): i64 {
  let at = name.length;
  let value: i64 = 0;
  let weight: i64 = 1;
  while (at > 0 && name.byteAt(at - 1) != 0x2d) {
    at--;
    const digit = <i64>name.byteAt(at) - 0x30;
    if (digit < 0 || digit > 9 || (digit > 0 && weight > ALL)) {
      return -1;
    }
    value += digit * weight;
    weight = min(weight * 10, ALL * 10);
  }
  return at == 0 || at == name.length || value > ALL ? -1 : value;
}

/** A UUID of version 4, drawn from the uid of the review, so that any replica draws the same. */
function uuidOf(review: Text): Text {
  const out = new Writer(40);
  for (let i = 0; i < 32; i++) {
    if (i == 8 || i == 12 || i == 16 || i == 20) {
      out.byte(0x2d);
    }
    let digit = (review.hash(0x9e3779b9 * (<u32>(i >> 3) + 1)) >> ((<u32>(i & 7)) << 2)) & 15;
    if (i == 12) {
      digit = 4;
    } else if (i == 16) {
      digit = (digit & 3) | 8;
    }
    out.byte(<u8>(digit < 10 ? 0x30 + digit : 0x57 + digit));
  }
  return out.toText();
}
