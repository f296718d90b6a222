// Strategic merge patches of pods: maps are merged, lists whose items have a key are merged item by item, other lists
// are replaced (workloadspread.md 3.7). The same rules as api/core/strategic-merge.ts; one case table runs against both.

import { Draft } from '../json/draft';
import { Text } from '../json/text';
import { sameValue, View } from '../json/view';
import { between } from '../json/writer';
import {
  DELETE_PREFIX,
  DIRECTIVE,
  isDirective,
  isInstruction,
  keyText,
  listFault,
  missingKey,
  ORDER_PREFIX,
  RETAIN_KEYS,
  unknownDirective,
  withoutDirectives,
} from './merge-directives';
import { itemShape, memberShape, mergeKey, PRIMITIVE, Shape } from './merge-shapes';
import { MergedList } from './merged-list';
import { Names } from './names';

/** Merges one patch into one draft. */
export class StrategicMerge {
  /** Why the patch cannot be applied, in the words of the Go implementation; null while it can. */
  fault: Text | null = null;

  /** Applies the patch to the object, in place as far as it goes; gives the result. Look at `fault` afterwards. */
  merge(shape: Shape, object: Draft, patch: View): Draft {
    if (!patch.isObject) {
      return this.fail(Text.of('invalid JSON document'), object);
    }
    return this.mergeMap(shape, object, patch);
  }

  private fail(fault: Text, object: Draft): Draft {
    if (this.fault === null) {
      this.fault = fault;
    }
    return object;
  }

  private mergeMap(shape: Shape, object: Draft, patch: View): Draft {
    const directive = patch.get(DIRECTIVE);
    if (directive.exists) {
      if (directive.is('replace')) {
        return withoutDirectives(patch);
      }
      return directive.is('delete') ? Draft.object() : this.fail(unknownDirective(patch), object);
    }
    const keys = patch.get(RETAIN_KEYS);
    if (keys.exists && !retain(object, patch, keys)) {
      return this.fail(Text.of('invalid patch format of retainKeys'), object);
    }
    for (let member = patch.first(); member.exists; member = member.next()) {
      if (member.name.startsWith(DELETE_PREFIX)) {
        removePrimitives(object, suffix(member.name, DELETE_PREFIX), member.value);
      }
    }
    this.mergeMembers(shape, object, patch);
    for (let member = patch.first(); member.exists; member = member.next()) {
      if (member.name.startsWith(ORDER_PREFIX)) {
        setOrder(shape, object, patch, member);
      }
    }
    return object;
  }

  private mergeMembers(shape: Shape, object: Draft, patch: View): void {
    const own = new Names();
    for (let key = object.first(); key.exists; key = key.next()) {
      own.add(key.name, key);
    }
    let last = object.last();
    for (let member = patch.first(); member.exists && this.fault === null; member = member.next()) {
      if (isDirective(member.name)) {
        continue;
      }
      const key = own.find(member.name);
      if (!key.exists) {
        if (!member.value.isNull) {
          last = object.putBehind(last, member.name, withoutDirectives(member.value));
        }
      } else if (member.value.isNull) {
        object.removeItem(key);
      } else {
        const merged = this.mergeMember(shape, patch, key.value, member);
        if (merged != key.value && !sameValue(merged, key.value)) {
          object.putAt(key, merged);
        }
      }
    }
  }

  /** Gives the value itself when it was merged in place. */
  private mergeMember(shape: Shape, patch: View, own: View, member: View): Draft {
    const value = member.value;
    if (own.isObject && value.isObject) {
      return this.mergeMap(memberShape(shape, member.name), Draft.of(own), value);
    }
    const key = mergeKey(shape, member.name);
    if (!own.isArray || !value.isArray || key === null) {
      return withoutDirectives(value);
    }
    const given = patch.find(between(ORDER_PREFIX, member.name));
    return key == PRIMITIVE
      ? mergePrimitives(Draft.of(own), value, given)
      : this.mergeItems(itemShape(shape, member.name), key, Draft.of(own), new Pair(value, given));
  }

  /** Items with `$patch: delete` go, one with `$patch: replace` drops all that are not in the patch. */
  private mergeItems(shape: Shape, key: string, own: Draft, patch: Pair): Draft {
    const value = patch.value;
    const hasOrder = patch.order.isArray;
    const fault = listFault(own, value, key, hasOrder ? patch.order : View.none());
    if (fault !== null) {
      return this.fail(fault, own);
    }
    const list = new MergedList(own, key);
    let isReplaced = false;
    for (let item = value.first(); item.exists; item = item.next()) {
      const directive = item.get(DIRECTIVE);
      isReplaced = isReplaced || directive.is('replace');
      if (directive.is('delete')) {
        if (!item.get(key).exists) {
          return this.fail(missingKey(item, key), own);
        }
        list.remove(keyText(item, key));
      }
    }
    if (isReplaced) {
      return withoutDirectives(value);
    }
    for (let item = value.first(); item.exists && this.fault === null; item = item.next()) {
      if (isInstruction(item)) {
        continue;
      }
      if (!item.get(key).exists) {
        return this.fail(missingKey(item, key), own);
      }
      const known = list.find(keyText(item, key));
      if (known.isObject) {
        const merged = this.mergeMap(shape, Draft.of(known), item);
        if (merged != known) {
          list.replace(keyText(item, key), merged);
        }
      } else {
        list.add(keyText(item, key), withoutDirectives(item));
      }
    }
    return list.inOrder(hasOrder ? patch.order : value);
  }
}

/** `$retainKeys` lists what may stay of the object; false when the patch itself has more. */
function retain(object: Draft, patch: View, keys: View): bool {
  if (!keys.isArray) {
    return false;
  }
  const names = new Names();
  for (let key = keys.first(); key.exists; key = key.next()) {
    names.add(key.text());
  }
  for (let member = patch.first(); member.exists; member = member.next()) {
    if (!isDirective(member.name) && !names.has(member.name)) {
      return false;
    }
  }
  for (let member = object.first(); member.exists; member = member.next()) {
    if (!names.has(member.name)) {
      object.removeItem(member);
    }
  }
  return true;
}

function removePrimitives(object: Draft, name: Text, deleted: View): void {
  const own = object.find(name);
  if (!own.isArray || !deleted.isArray) {
    return;
  }
  const keys = new Names();
  for (let item = deleted.first(); item.exists; item = item.next()) {
    keys.add(keyText(item, PRIMITIVE));
  }
  for (let item = own.first(); item.exists; item = item.next()) {
    if (keys.has(keyText(item, PRIMITIVE))) {
      Draft.of(own).removeItem(item);
    }
  }
}

/** `$setElementOrder` may stand without a patch of its list. */
function setOrder(shape: Shape, object: Draft, patch: View, directive: View): void {
  const name = suffix(directive.name, ORDER_PREFIX);
  const own = object.find(name);
  const key = mergeKey(shape, name);
  if (key === null || !own.isArray || !directive.value.isArray || patch.findKey(name).exists) {
    return;
  }
  const ordered = new MergedList(Draft.of(own), key).inOrder(directive.value);
  if (ordered != own) {
    object.put(name, ordered);
  }
}

function mergePrimitives(own: Draft, value: View, order: View): Draft {
  const list = new MergedList(own, PRIMITIVE);
  for (let item = value.first(); item.exists; item = item.next()) {
    if (!list.had(keyText(item, PRIMITIVE))) {
      list.add(keyText(item, PRIMITIVE), Draft.copy(item));
    }
  }
  return list.inOrder(order.isArray ? order : value);
}

function suffix(text: Text, prefix: string): Text {
  return text.slice(prefix.length, text.length);
}

/** The list of a patch, and the order that the patch gives to it. */
class Pair {
  constructor(
    readonly value: View,
    readonly order: View,
  ) {}
}
