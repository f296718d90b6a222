// Label selectors (admission-overview.md 10.7): what they select, and which terms they need.

import { Text } from '../json/text';
import { View } from '../json/view';

export const enum Selection {
  No,
  Yes,
  /** The selector itself is wrong: an unknown operator, or values where none may or must stand. */
  Invalid,
}

const enum Operator {
  In,
  NotIn,
  Exists,
  DoesNotExist,
  Unknown,
}

/** A selector that is absent or null selects nothing; an empty one selects everything. */
export function selects(selector: View, labels: View): Selection {
  if (!selector.isSet) {
    return Selection.No;
  }
  let all = true;
  for (let label = selector.get('matchLabels').first(); label.exists; label = label.next()) {
    const value = labels.find(label.name);
    all = all && value.isString && value.text().equals(label.value.text());
  }
  for (let expression = selector.get('matchExpressions').first(); expression.exists; expression = expression.next()) {
    const operator = operatorOf(expression);
    const values = expression.get('values');
    if (!isWellFormed(operator, values)) {
      return Selection.Invalid;
    }
    all = all && holds(operator, values, labels.find(expression.get('key').text()));
  }
  return all ? Selection.Yes : Selection.No;
}

/** No labels and no expressions, or no selector at all. */
export function isEmptySelector(selector: View): bool {
  return selector.get('matchLabels').isEmpty && selector.get('matchExpressions').isEmpty;
}

/** Does every requirement of the selector stand on this key? */
export function needsOnly(selector: View, key: string): bool {
  for (let label = selector.get('matchLabels').first(); label.exists; label = label.next()) {
    if (!label.name.is(key)) {
      return false;
    }
  }
  for (let expression = selector.get('matchExpressions').first(); expression.exists; expression = expression.next()) {
    if (!expression.get('key').is(key)) {
      return false;
    }
  }
  return true;
}

/** The one value that `In` or matchLabels allow for a key, or `none`: the first expression on the key counts. */
export function pinnedValues(selector: View, key: string): View {
  const label = selector.get('matchLabels').get(key);
  if (label.exists) {
    return label;
  }
  for (let expression = selector.get('matchExpressions').first(); expression.exists; expression = expression.next()) {
    if (expression.get('key').is(key) && expression.get('operator').is('In')) {
      return expression.get('values');
    }
  }
  return View.none();
}

/** Collects, requirement by requirement, the terms of which one at least must be among the labels. */
export class Needs {
  /** Hashed terms of the requirement at hand. */
  readonly terms: Array<u32> = [];
  private label: View;
  private expression: View;

  constructor(
    selector: View,
    private readonly seed: u32,
  ) {
    this.label = selector.get('matchLabels').first();
    this.expression = selector.get('matchExpressions').first();
  }

  /** Moves on to the next requirement that needs a term; false when there is none. */
  next(): bool {
    this.terms.length = 0;
    if (this.label.exists) {
      this.terms.push(valueTerm(keyTerm(this.label.name, this.seed), this.label.value.text()));
      this.label = this.label.next();
      return true;
    }
    while (this.expression.exists) {
      const expression = this.expression;
      this.expression = expression.next();
      const operator = operatorOf(expression);
      const key = keyTerm(expression.get('key').text(), this.seed);
      if (operator == Operator.Exists) {
        this.terms.push(key);
        return true;
      }
      if (operator == Operator.In) {
        for (let value = expression.get('values').first(); value.exists; value = value.next()) {
          this.terms.push(valueTerm(key, value.text()));
        }
        return true;
      }
    }
    return false;
  }
}

/** The term of a label's key. */
export function keyTerm(key: Text, seed: u32): u32 {
  return key.hash(seed);
}

/** The term of a label's key with its value. */
export function valueTerm(keyTerm: u32, value: Text): u32 {
  return value.hash((keyTerm ^ 0x3d) * 16777619);
}

function operatorOf(expression: View): Operator {
  const operator = expression.get('operator');
  if (operator.is('In')) {
    return Operator.In;
  }
  if (operator.is('NotIn')) {
    return Operator.NotIn;
  }
  if (operator.is('Exists')) {
    return Operator.Exists;
  }
  return operator.is('DoesNotExist') ? Operator.DoesNotExist : Operator.Unknown;
}

function isWellFormed(operator: Operator, values: View): bool {
  switch (operator) {
    case Operator.In:
    case Operator.NotIn:
      return !values.isEmpty;
    case Operator.Exists:
    case Operator.DoesNotExist:
      return values.isEmpty;
    default:
      return false;
  }
}

function holds(operator: Operator, values: View, label: View): bool {
  switch (operator) {
    case Operator.In:
      return label.isString && isAmong(values, label.text());
    case Operator.NotIn:
      return !label.isString || !isAmong(values, label.text());
    case Operator.Exists:
      return label.exists;
    default:
      return !label.exists;
  }
}

function isAmong(values: View, text: Text): bool {
  for (let value = values.first(); value.exists; value = value.next()) {
    if (value.text().equals(text)) {
      return true;
    }
  }
  return false;
}
