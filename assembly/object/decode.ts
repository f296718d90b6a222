// Values of the wrong type in an object that a request carries: found before anything is decided, and told in the words
// of the decoder that clients know (admission-overview.md 4).

import { Text } from '../json/text';
import { Kind, View } from '../json/view';
import { Writer } from '../json/writer';

/** Reads an object member by member; the first fault counts. Absent and null are right everywhere. */
export class Decoding {
  /** What is wrong; null while nothing is. */
  fault: Text | null = null;

  /** Is the value, as a whole, an object? `type` is what it should be. */
  isWhole(value: View, type: string): bool {
    if (!value.isSet || value.isObject) {
      return true;
    }
    const out = new Writer();
    out.ascii('json: cannot unmarshal ');
    writeKind(value, false, out);
    out.ascii(' into Go value of type ');
    out.ascii(type);
    this.fault = out.toText();
    return false;
  }

  /** Is the value an object? `holder` is the type of what holds it, `path` leads to it by names alone. */
  isObject(value: View, holder: string, path: string, type: string): bool {
    return this.isOf(Kind.Object, value, holder, path, type);
  }

  isArray(value: View, holder: string, path: string, type: string): bool {
    return this.isOf(Kind.Array, value, holder, path, type);
  }

  isString(value: View, holder: string, path: string, type: string = 'string'): bool {
    return this.isOf(Kind.String, value, holder, path, type);
  }

  isBool(value: View, holder: string, path: string): bool {
    return value.isTrue || this.isOf(Kind.False, value, holder, path, 'bool');
  }

  /** Is the value an array of objects? `type` is that of the items. */
  isArrayOfObjects(value: View, holder: string, path: string, type: string): bool {
    if (!value.isArray) {
      return this.isOf(Kind.Array, value, holder, path, type, '[]');
    }
    const wrong = value.firstBeside(Kind.Object);
    return !wrong.exists || this.isObject(wrong, holder, path, type);
  }

  isArrayOfStrings(value: View, holder: string, path: string): bool {
    if (!value.isArray) {
      return this.isArray(value, holder, path, '[]string');
    }
    const wrong = value.firstBeside(Kind.String);
    return !wrong.exists || this.isString(wrong, holder, path);
  }

  /** Is the value an object whose members are strings? */
  isStringMap(value: View, holder: string, path: string): bool {
    if (!this.isObject(value, holder, path, 'map[string]string')) {
      return false;
    }
    let isRight = true;
    for (let member = value.first(); member.exists && isRight; member = member.next()) {
      isRight = member.value.isNull || this.isString(member.value, holder, path);
    }
    return isRight;
  }

  /** Is the value an integer of 32 bits? */
  isInt32(value: View, holder: string, path: string): bool {
    const number = value.integer(i64.MAX_VALUE);
    if (value.isNumber && number >= i32.MIN_VALUE && number <= i32.MAX_VALUE) {
      return true;
    }
    return this.isOf(Kind.None, value, holder, path, 'int32');
  }

  isInt64(value: View, holder: string, path: string): bool {
    const isInteger = value.isNumber && (value.integer(0) != 0 || value.integer(1) == 0);
    return isInteger || this.isOf(Kind.None, value, holder, path, 'int64');
  }

  /** A fault in words of its own; gives false. */
  fail(fault: string): bool {
    this.fault = Text.of(fault);
    return false;
  }

  /** Are the members of an object's metadata right that policies read? */
  isMetadata(value: View, holder: string): bool {
    return (
      this.isObject(value, holder, 'metadata', 'v1.ObjectMeta') &&
      this.isString(value.get('name'), 'ObjectMeta', 'metadata.name') &&
      this.isString(value.get('generateName'), 'ObjectMeta', 'metadata.generateName') &&
      this.isString(value.get('namespace'), 'ObjectMeta', 'metadata.namespace') &&
      this.isString(value.get('deletionTimestamp'), 'ObjectMeta', 'metadata.deletionTimestamp') &&
      this.isStringMap(value.get('labels'), 'ObjectMeta', 'metadata.labels') &&
      this.isStringMap(value.get('annotations'), 'ObjectMeta', 'metadata.annotations') &&
      this.isArrayOfObjects(value.get('ownerReferences'), 'ObjectMeta', 'metadata.ownerReferences', 'v1.OwnerReference')
    );
  }

  private isOf(kind: Kind, value: View, holder: string, path: string, type: string, list: string = ''): bool {
    if (!value.isSet || value.kind == kind) {
      return true;
    }
    const out = new Writer();
    out.ascii('json: cannot unmarshal ');
    writeKind(value, kind == Kind.None, out);
    out.ascii(' into Go struct field ');
    out.ascii(holder);
    out.byte(0x2e);
    out.ascii(path);
    out.ascii(' of type ');
    out.ascii(list);
    out.ascii(type);
    this.fault = out.toText();
    return false;
  }
}

function writeKind(value: View, tellsNumber: bool, out: Writer): void {
  switch (value.kind) {
    case Kind.String:
      out.ascii('string');
      break;
    case Kind.Number:
      out.ascii('number');
      if (tellsNumber) {
        out.byte(0x20);
        out.text(value.raw());
      }
      break;
    case Kind.Array:
      out.ascii('array');
      break;
    case Kind.Object:
      out.ascii('object');
      break;
    default:
      out.ascii('bool');
  }
}
