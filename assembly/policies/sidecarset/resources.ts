// Resources of a sidecar computed from those of the pod's own containers (sidecarset.md 6.2).

import { Draft } from '../../json/draft';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { Writer } from '../../json/writer';
import { evaluate } from '../../object/calculator';
import { Names } from '../../object/names';
import { isRestartable } from '../../object/pod';
import { Quantity } from '../../object/quantity';
import { Pattern } from '../../object/regex/pattern';
import { Patterns } from '../../object/regex/patterns';
import { Review } from '../../review';
import { Match } from './matching';
import { firstTwin, isHotUpgraded, secondTwin } from './pair';

/** The containers that a pattern names. */
class Found {
  constructor(
    readonly pattern: Text,
    readonly targets: Array<View>,
  ) {}
}

export class Resources {
  private names: Names | null = null;
  private readonly patterns: Patterns = new Patterns();
  private readonly found: Array<Found> = [];

  constructor(
    private readonly matches: Array<Match>,
    readonly review: Review,
  ) {}

  /** The `resources` that the container's policy gives it; refuses the pod when it cannot be followed. */
  compute(policy: View): Draft {
    const result = Draft.object();
    const pattern = policy.get('targetContainersNameRegex').text();
    const targets = this.targetsOf(pattern);
    if (this.review.isRefused) {
      return result;
    }
    if (targets.length == 0) {
      this.refuse('no containers match the regex pattern "', pattern, '"', Text.empty());
      return result;
    }
    const isSum = policy.get('targetContainersMode').is('sum');
    const expressions = policy.get('resourcesExpr');
    this.fill(result, 'limits', expressions, targets, isSum);
    this.fill(result, 'requests', expressions, targets, isSum);
    return result;
  }

  // Sets often have one pattern for all of their containers.
  private targetsOf(pattern: Text): Array<View> {
    for (let i = 0; i < this.found.length; i++) {
      if (this.found[i].pattern.equals(pattern)) {
        return this.found[i].targets;
      }
    }
    const targets = this.targets(pattern);
    this.found.push(new Found(pattern, targets));
    return targets;
  }

  /** Native sidecars and regular containers of the pod that the pattern names and no set of this injection brings. */
  private targets(text: Text): Array<View> {
    const found: Array<View> = [];
    const pattern = this.patterns.compile(text);
    if (pattern === null) {
      this.refuseAsCostly(text);
      return found;
    }
    if (pattern.error !== null) {
      return found;
    }
    const spec = this.review.object.get('spec');
    for (let item = spec.get('initContainers').first(); item.exists; item = item.next()) {
      if (isRestartable(item) && this.isTarget(item, pattern)) {
        found.push(item);
      }
    }
    for (let item = spec.get('containers').first(); item.exists; item = item.next()) {
      if (this.isTarget(item, pattern)) {
        found.push(item);
      }
    }
    return found;
  }

  private isTarget(container: View, pattern: Pattern): bool {
    const name = container.get('name').text();
    if (this.review.isRefused || this.brought().has(name)) {
      return false;
    }
    if (!pattern.canMatch(name)) {
      this.refuseAsCostly(pattern.text);
      return false;
    }
    return pattern.matches(name);
  }

  private refuseAsCostly(pattern: Text): void {
    this.refuse(
      'matching the containers of the pod with the regex pattern "',
      pattern,
      '" takes too long',
      Text.empty(),
    );
  }

  /** Names of all containers that the sets of this injection describe or bring: an earlier pass may have brought them. */
  private brought(): Names {
    let names = this.names;
    if (names === null) {
      names = new Names();
      for (let i = 0; i < this.matches.length; i++) {
        addBrought(names, this.matches[i].spec.get('containers'), false);
        addBrought(names, this.matches[i].spec.get('initContainers'), true);
      }
      this.names = names;
    }
    return names;
  }

  private fill(into: Draft, side: string, expressions: View, targets: Array<View>, isSum: bool): void {
    const values = Draft.object();
    this.evaluate(values, side, 'cpu', expressions, targets, isSum);
    this.evaluate(values, side, 'memory', expressions, targets, isSum);
    if (!values.isEmpty) {
      into.put(Text.of(side), values);
    }
  }

  private evaluate(
    into: Draft,
    side: string,
    resource: string,
    expressions: View,
    targets: Array<View>,
    isSum: bool,
  ): void {
    const expression = expressions.get(side).get(resource).text();
    if (expression.isEmpty || this.review.isRefused) {
      return;
    }
    const aggregate = aggregateOf(targets, side, resource, isSum);
    if (aggregate === null) {
      return;
    }
    const calculation = evaluate(expression, aggregate);
    const quantity = calculation.quantity;
    if (quantity !== null) {
      into.put(Text.of(resource), Draft.string(quantity.toText()));
      return;
    }
    const subject = new Writer();
    subject.ascii('failed to evaluate ');
    subject.ascii(resource == 'cpu' ? 'CPU ' : 'memory ');
    subject.ascii(side);
    subject.ascii(' expression: failed to parse expression "');
    subject.text(expression);
    subject.ascii('": ');
    const error = calculation.error;
    this.refuse('', subject.toText(), '', error === null ? Text.empty() : error);
  }

  private refuse(before: string, text: Text, behind: string, end: Text): void {
    const out = new Writer();
    out.ascii(before);
    out.text(text);
    out.ascii(behind);
    out.text(end);
    this.review.refuse(500, out.toText());
  }
}

/** Adds the names of the containers, and those of the pairs that stand for them. */
function addBrought(names: Names, containers: View, isInit: bool): void {
  for (let container = containers.first(); container.exists; container = container.next()) {
    const name = container.get('name').text();
    names.add(name);
    if (isHotUpgraded(container, isInit)) {
      names.add(firstTwin(name));
      names.add(secondTwin(name));
    }
  }
}

/** Sum or greatest of what the targets have; null for a limit that one of them lacks. */
function aggregateOf(targets: Array<View>, side: string, resource: string, isSum: bool): Quantity | null {
  let total = Quantity.zero();
  for (let i = 0; i < targets.length; i++) {
    const value = targets[i].get('resources').get(side).get(resource);
    if (!value.isSet) {
      if (side == 'limits') {
        return null;
      }
      continue;
    }
    const quantity = Quantity.parse(value.isString ? value.text() : value.raw());
    if (quantity === null) {
      continue;
    }
    total = isSum ? total.add(quantity) : quantity.compare(total) > 0 ? quantity : total;
  }
  return total;
}
