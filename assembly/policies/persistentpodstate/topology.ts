// What a record and the wanted topology make together: labels that a node must have, and terms that it should meet
// (persistentpodstate.md 2, steps 5 and 6).

import { Draft } from '../../json/draft';
import { Text } from '../../json/text';
import { View } from '../../json/view';

/** Weights beyond these bounds would make the API server refuse the pod. */
const WEIGHT_LEAST: i64 = 1;
const WEIGHT_MOST: i64 = 100;

/** The members of the record that are required, as keys of `labels`. */
export function requiredLabels(state: View, labels: View): Array<View> {
  const found: Array<View> = [];
  const required = state.get('spec').get('requiredPersistentTopology');
  for (let key = keysOf(required).first(); key.exists; key = key.next()) {
    const label = labels.findKey(key.text());
    if (label.exists && label.value.isString) {
      found.push(label);
    }
  }
  return found;
}

/** One term for each preferred item; items that no label was recorded for are left out. */
export function preferredTerms(state: View, labels: View): Array<Draft> {
  const terms: Array<Draft> = [];
  const items = state.get('spec').get('preferredPersistentTopology');
  for (let item = items.first(); item.exists; item = item.next()) {
    const weight = item.get('weight').integer(0);
    const expressions = expressionsOf(keysOf(item.get('preference')), labels);
    if (!expressions.isEmpty && weight >= WEIGHT_LEAST && weight <= WEIGHT_MOST) {
      terms.push(termOf(item.get('weight'), expressions));
    }
  }
  return terms;
}

function termOf(weight: View, expressions: Draft): Draft {
  const preference = Draft.object();
  preference.put(Text.of('matchExpressions'), expressions);
  const term = Draft.object();
  term.put(Text.of('weight'), Draft.copy(weight));
  term.put(Text.of('preference'), preference);
  return term;
}

function expressionsOf(keys: View, labels: View): Draft {
  const expressions = Draft.array();
  for (let key = keys.first(); key.exists; key = key.next()) {
    const label = labels.find(key.text());
    if (label.isString) {
      const values = Draft.array();
      values.append(Draft.string(label.text()));
      const expression = Draft.object();
      expression.put(Text.of('key'), Draft.string(key.text()));
      expression.put(Text.of('operator'), Draft.ascii('In'));
      expression.put(Text.of('values'), values);
      expressions.append(expression);
    }
  }
  return expressions;
}

/** `keys`, in v1alpha1 `nodeTopologyKeys`. */
function keysOf(topology: View): View {
  const keys = topology.get('keys');
  return keys.isSet ? keys : topology.get('nodeTopologyKeys');
}
