// How many replicas the workload of a spread has: what percentages are of (workloadspread.md 3.5.1).

import { Text } from '../../json/text';
import { View } from '../../json/view';
import { between } from '../../json/writer';
import { getQuestion, Knowledge } from '../../object/fact';
import { Review } from '../../review';
import { isOf, versionOf } from '../workload';
import { CustomWorkloads, isBuiltIn } from './custom-workloads';

export class Replicas {
  count: i64 = 0;
  /** Why they cannot be found out. */
  fault: Text | null = null;

  /** Whoever reads the result has to stop when the review is asking then. */
  static of(spread: View, kinds: CustomWorkloads, review: Review): Replicas {
    const replicas = new Replicas();
    const target = spread.get('spec').get('targetRef');
    const fact = review.ask(
      getQuestion(versionOf(target), target.get('kind').text(), review.namespace, target.get('name').text()),
    );
    if (fact.knowledge == Knowledge.Failed) {
      replicas.fault = fact.error;
    } else if (fact.knowledge == Knowledge.Known && fact.answer.isObject) {
      replicas.read(fact.answer, spread, kinds);
    }
    return replicas;
  }

  private read(workload: View, spread: View, kinds: CustomWorkloads): void {
    const paths = spread.get('spec').get('targetFilter').get('replicasPathList');
    const target = spread.get('spec').get('targetRef');
    if (!paths.isEmpty) {
      for (let path = paths.first(); path.exists && this.fault === null; path = path.next()) {
        this.add(workload, path.text());
      }
    } else if (isBuiltIn(target)) {
      const spec = workload.get('spec');
      this.count = spec.get(isOf(target, 'batch', 'Job') ? 'parallelism' : 'replicas').integer(1);
    } else {
      this.add(workload, kinds.replicasPath(target));
      if (this.fault !== null) {
        this.fault = null;
        this.count = 0;
      }
    }
  }

  /** The integer at a path: names of members, and indexes of arrays, between dots. An empty path leads to 0. */
  private add(workload: View, path: Text): void {
    if (path.isEmpty) {
      return;
    }
    let at = workload;
    let from = 0;
    while (from <= path.length && at.exists) {
      const dot = path.indexOf(0x2e, from);
      const to = dot < 0 ? path.length : dot;
      at = step(at, path.slice(from, to));
      from = to + 1;
    }
    if (!at.isNumber || at.integer(i64.MIN_VALUE) == i64.MIN_VALUE) {
      this.fault = between('the workload has no integer at the path "', path, '"');
      return;
    }
    this.count += at.integer(0);
  }
}

function step(value: View, segment: Text): View {
  if (!value.isArray) {
    return value.find(segment);
  }
  let index = 0;
  for (let i = 0; i < segment.length; i++) {
    const digit = <i32>segment.byteAt(i) - 0x30;
    if (digit < 0 || digit > 9 || index > 99_999_999) {
      return View.none();
    }
    index = index * 10 + digit;
  }
  let item = segment.isEmpty ? View.none() : value.first();
  for (; item.exists && index > 0; index--) {
    item = item.next();
  }
  return item;
}
