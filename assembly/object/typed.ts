// What a patch would make of a pod, held against the Go types of its members: whoever writes JSON by hand puts texts where
// numbers stand. Members that the types do not know are let be. Faults are told in the words of the Go decoder.

import { View } from '../json/view';
import { Decoding } from './decode';
import { isDirective, isInstruction } from './merge-directives';
import { STRUCTS } from './pod-types';
import { Quantity } from './quantity';
import { NO_TIME, parseTime } from './time';

const SEMICOLON: i32 = 0x3b;
const COLON: i32 = 0x3a;
const LESS: i32 = 0x3c;

/** Does the patch of a pod hold what its members can hold? If not, `decoding` has the first fault. */
export function isPodPatch(patch: View, decoding: Decoding): bool {
  return areMembers(patch, 0, '', decoding);
}

function areMembers(object: View, index: i32, path: string, decoding: Decoding): bool {
  const struct = STRUCTS[index];
  for (let member = object.first(); member.exists; member = member.next()) {
    const at = isDirective(member.name) ? -1 : typeAt(struct, member);
    if (at >= 0) {
      const name = struct.substring(at - 1 - member.name.length, at - 1);
      const type = new Type(struct, at, path.length == 0 ? name : `${path}.${name}`);
      if (!holds(type, member.value, decoding)) {
        return false;
      }
    }
  }
  return true;
}

/** Where the type of a member stands in the text of a struct; -1 for a member that it has not. */
function typeAt(struct: string, member: View): i32 {
  const name = member.name;
  for (let at = struct.indexOf(';'); at + 1 < struct.length; at = struct.indexOf(';', at + 1)) {
    let i = 0;
    while (i < name.length && struct.charCodeAt(at + 1 + i) == name.byteAt(i)) {
      i++;
    }
    if (i == name.length && struct.charCodeAt(at + 1 + i) == COLON) {
      return at + 2 + i;
    }
  }
  return -1;
}

function holds(type: Type, value: View, decoding: Decoding): bool {
  if (value.isNull) {
    return true;
  }
  const holder = type.holder;
  const path = type.path;
  switch (type.letter) {
    case 0x5b: // [
      return decoding.isArray(value, holder, path, type.name) && areItems(type.inner(), value, decoding);
    case 0x7b: // {
      return decoding.isObject(value, holder, path, type.name) && areValues(type.inner(), value, decoding);
    case 0x23: // #
      return decoding.isObject(value, holder, path, type.name) && areMembers(value, type.index, path, decoding);
    case 0x73: // s
      return decoding.isString(value, holder, path, type.name);
    case 0x62: // b
      return decoding.isBool(value, holder, path);
    case 0x69: // i
      return decoding.isInt32(value, holder, path);
    case 0x6c: // l
      return decoding.isInt64(value, holder, path);
    case 0x6e: // n
      return value.isString || decoding.isInt32(value, holder, path);
    case 0x71: // q
      return isQuantity(value, decoding);
    case 0x74: // t
      return decoding.isString(value, holder, path, type.name) && isTime(value, decoding);
    default:
      return true;
  }
}

function areItems(type: Type, list: View, decoding: Decoding): bool {
  for (let item = list.first(); item.exists; item = item.next()) {
    if (!isInstruction(item) && !holds(type, item, decoding)) {
      return false;
    }
  }
  return true;
}

function areValues(type: Type, map: View, decoding: Decoding): bool {
  for (let entry = map.first(); entry.exists; entry = entry.next()) {
    if (!isDirective(entry.name) && !holds(type, entry.value, decoding)) {
      return false;
    }
  }
  return true;
}

function isQuantity(value: View, decoding: Decoding): bool {
  const text = value.isString ? value.text() : value.raw();
  const isText = value.isString || value.isNumber;
  return (isText && Quantity.parse(text) !== null) || decoding.fail(Quantity.fault(text));
}

function isTime(value: View, decoding: Decoding): bool {
  return parseTime(value.text()) != NO_TIME || decoding.fail('a time must be written as in RFC 3339');
}

/** One type in the text of a struct, and where it stands in the pod. */
class Type {
  constructor(
    private readonly struct: string,
    private readonly at: i32,
    readonly path: string,
  ) {}

  get letter(): i32 {
    return this.struct.charCodeAt(this.at);
  }

  /** The struct that holds the member, without its package. */
  get holder(): string {
    return this.struct.substring(this.struct.indexOf('.') + 1, this.struct.indexOf(';'));
  }

  /** As Go writes it. */
  get name(): string {
    const after = this.at + 1;
    if (this.struct.charCodeAt(after) == LESS) {
      return this.struct.substring(after + 1, this.struct.indexOf('>', after));
    }
    switch (this.letter) {
      case 0x5b: // [
        return `[]${this.inner().name}`;
      case 0x7b: // {
        return `map[string]${this.inner().name}`;
      case 0x23: {
        // #
        const struct = STRUCTS[this.index];
        return struct.substring(0, struct.indexOf(';'));
      }
      case 0x71: // q
        return 'resource.Quantity';
      case 0x74: // t
        return 'v1.Time';
      default:
        return 'string';
    }
  }

  /** The type of what a list or map holds. */
  inner(): Type {
    let at = this.at + 1;
    if (this.struct.charCodeAt(at) == LESS) {
      at = this.struct.indexOf('>', at) + 1;
    }
    return new Type(this.struct, at, this.path);
  }

  /** Of the struct that it is. */
  get index(): i32 {
    let index = 0;
    for (let i = this.at + 1; this.struct.charCodeAt(i) != SEMICOLON; i++) {
      index = index * 10 + this.struct.charCodeAt(i) - 0x30;
    }
    return index;
  }
}
