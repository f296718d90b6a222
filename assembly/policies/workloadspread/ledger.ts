// The ledger of one version in the status of a spread: how many more pods fit in each subset, and which are on their
// way in and out (workloadspread.md 1.3 and 3.5). Reads in place; booking makes a new status.

import { Draft } from '../../json/draft';
import { parse } from '../../json/parse';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { between, Writer } from '../../json/writer';
import { writeTime } from '../../object/time';
import { Review } from '../../review';
import { CustomWorkloads } from './custom-workloads';
import { Replicas } from './replicas';

/** `missingReplicas` of a subset without limit. */
export const UNLIMITED: i64 = -1;

const NAME: string = 'name';
const MISSING: string = 'missingReplicas';
const LEDGERS: string = 'versionedSubsetStatuses';

export const enum Booking {
  Creation,
  Deletion,
}

export class Ledger {
  /** Subsets in the order in which they are filled; none when there is a fault, and while the host is asked. */
  entries: View;
  /** Why a new ledger cannot be made. */
  fault: Text | null = null;
  private isFresh: bool = false;

  constructor(
    private readonly spread: View,
    private readonly version: Text,
    private readonly kinds: CustomWorkloads,
    private readonly review: Review,
  ) {
    this.entries = spread.get('status').get(LEDGERS).find(version);
    if (this.entries.isEmpty) {
      this.isFresh = true;
      this.entries = this.fresh();
    }
  }

  /** The subset in which a creation or deletion is booked under this id, or `none`. */
  booked(id: Text): View {
    for (let entry = this.entries.first(); entry.exists; entry = entry.next()) {
      if (entry.get('creatingPods').findKey(id).exists || entry.get('deletingPods').findKey(id).exists) {
        return entry;
      }
    }
    return View.none();
  }

  /** The first subset that has room and where pods can be scheduled, or `none`. */
  free(): View {
    for (let entry = this.entries.first(); entry.exists; entry = entry.next()) {
      const missing = missingOf(entry);
      if ((missing > 0 || missing == UNLIMITED) && isSchedulable(entry)) {
        return entry;
      }
    }
    return View.none();
  }

  named(subset: Text): View {
    for (let entry = this.entries.first(); entry.exists; entry = entry.next()) {
      if (entry.get(NAME).text().equals(subset)) {
        return entry;
      }
    }
    return View.none();
  }

  /** The whole new status with one more booking in one of the subsets. */
  book(entry: View, booking: Booking, id: Text): Draft {
    const old = this.spread.get('status');
    const status = old.isObject ? Draft.copy(old) : Draft.object();
    const ledgers = status.needObject(LEDGERS);
    if (this.isFresh) {
      ledgers.put(this.version, Draft.copy(this.entries));
    }
    let changed = Draft.of(ledgers.find(this.version)).first();
    for (let at = this.entries.first(); at != entry; at = at.next()) {
      changed = changed.next();
    }
    const subset = Draft.of(changed);
    const time = new Writer(24);
    writeTime(this.review.now, time);
    const isCreation = booking == Booking.Creation;
    subset.needObject(isCreation ? 'creatingPods' : 'deletingPods').put(id, Draft.string(time.toText()));
    subset.put(Text.of(MISSING), numberOf(missingOf(entry) + (isCreation ? -1 : 1)));
    return status;
  }

  /** As the spec has it: percentages are of the replicas that the workload has now. */
  private fresh(): View {
    const subsets = this.spread.get('spec').get('subsets');
    let replicas = new Replicas();
    if (hasPercentage(subsets)) {
      replicas = Replicas.of(this.spread, this.kinds, this.review);
      this.fault = replicas.fault;
      if (this.review.isAsking || this.fault !== null) {
        return View.none();
      }
    }
    const out = new Writer(512);
    out.byte(0x5b);
    for (let subset = subsets.first(); subset.exists && this.fault === null; subset = subset.next()) {
      if (subset != subsets.first()) {
        out.byte(0x2c);
      }
      out.ascii('{"name":');
      out.quoted(subset.get(NAME).text());
      out.ascii(',"replicas":0,"missingReplicas":');
      out.integer(this.limitOf(subset, replicas.count));
      out.byte(0x7d);
    }
    out.byte(0x5d);
    return this.fault === null ? parse(out.toText()) : View.none();
  }

  /** `maxReplicas` as a number of pods: percentages are rounded up. */
  private limitOf(subset: View, replicas: i64): i64 {
    const max = subset.get('maxReplicas');
    if (!max.isSet) {
      return UNLIMITED;
    }
    if (max.isNumber) {
      return max.integer(0);
    }
    const text = max.text();
    const percent = text.endsWith('%') ? digitsOf(text.slice(0, text.length - 1)) : -1;
    if (percent < 0) {
      this.fault = between('maxReplicas of a subset is neither an integer nor a percentage: "', text, '"');
      return 0;
    }
    return (percent * replicas + 99) / 100;
  }
}

/** How many more pods fit; `UNLIMITED` without a limit. */
export function missingOf(entry: View): i64 {
  return entry.get(MISSING).integer(0);
}

/** Does no condition say that pods of the subset cannot be scheduled? */
export function isSchedulable(subset: View): bool {
  for (let condition = subset.get('conditions').first(); condition.exists; condition = condition.next()) {
    if (condition.get('type').is('Schedulable')) {
      return !condition.get('status').is('False');
    }
  }
  return true;
}

function hasPercentage(subsets: View): bool {
  for (let subset = subsets.first(); subset.exists; subset = subset.next()) {
    if (subset.get('maxReplicas').isString) {
      return true;
    }
  }
  return false;
}

/** A decimal number of at most nine digits, as Go reads it: behind a sign, and behind zeros. Otherwise -1. */
function digitsOf(text: Text): i64 {
  const isNegative = text.startsWith('-');
  const from = isNegative || text.startsWith('+') ? 1 : 0;
  let value: i64 = text.length == from ? -1 : 0;
  for (let i = from; i < text.length && value >= 0; i++) {
    const digit = <i64>text.byteAt(i) - 0x30;
    value = digit < 0 || digit > 9 || value > 99_999_999 ? -1 : value * 10 + digit;
  }
  return isNegative && value > 0 ? -1 : value;
}

function numberOf(value: i64): Draft {
  const out = new Writer(24);
  out.integer(value);
  return Draft.copy(parse(out.toText()));
}
