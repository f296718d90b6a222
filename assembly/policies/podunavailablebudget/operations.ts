// What a budget protects its pods from (podunavailablebudget.md 1.6).

import { PUB_PROTECT_OPERATIONS } from '../../../api/names';
import { Gate, isOn } from '../../gates';
import { Text } from '../../json/text';
import { View } from '../../json/view';

/** What is done to a pod. */
export const enum Action {
  Update,
  /** Resources change and nothing else. */
  Resize,
  /** The same by way of the sub-resource, which nobody meant who did not name it. */
  ResizeCall,
  Delete,
  Evict,
}

/** Does the budget protect from it? Whoever protects from updates does from resizes, unless the gate tells them apart. */
export function isProtected(budget: View, action: Action): bool {
  switch (action) {
    case Action.Update:
      return isListed(budget, 'UPDATE');
    case Action.Resize:
      return isListed(budget, 'RESIZE') || (!isOn(Gate.InPlacePodVerticalScaling) && isListed(budget, 'UPDATE'));
    case Action.ResizeCall:
      return isListed(budget, 'RESIZE');
    case Action.Delete:
      return isListed(budget, 'DELETE');
    default:
      return isListed(budget, 'EVICT');
  }
}

/** Is the word among the operations of the budget, which are all but RESIZE when it says nothing? */
function isListed(budget: View, word: string): bool {
  const operations = budget.get('spec').get('protectOperations');
  if (!operations.isEmpty) {
    return hasItem(operations, word);
  }
  const list = budget.get('metadata').get('annotations').get(PUB_PROTECT_OPERATIONS).text();
  return hasWords(list) ? hasWord(list, word) : word != 'RESIZE';
}

function hasItem(list: View, word: string): bool {
  for (let item = list.first(); item.exists; item = item.next()) {
    if (item.is(word)) {
      return true;
    }
  }
  return false;
}

/** Is there anything but commas? */
function hasWords(list: Text): bool {
  for (let i = 0; i < list.length; i++) {
    if (list.byteAt(i) != 0x2c) {
      return true;
    }
  }
  return false;
}

/** Blanks belong to the words. */
function hasWord(list: Text, word: string): bool {
  let from = 0;
  while (from < list.length) {
    const comma = list.indexOf(0x2c, from);
    const to = comma < 0 ? list.length : comma;
    if (list.slice(from, to).is(word)) {
      return true;
    }
    from = to + 1;
  }
  return false;
}
