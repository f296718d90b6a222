// The JSON map from SidecarSet to what of it a pod runs, as the hash annotations hold it (sidecarset.md 5.8, 5.4.2).

import { Draft } from '../../json/draft';
import { parse } from '../../json/parse';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { Escapes, Writer } from '../../json/writer';
import { memberOfAnyCase } from '../../object/any-case';
import { Names } from '../../object/names';
import { writeSyntaxFault } from '../../object/syntax';
import { NO_TIME, parseTime, writeTime } from '../../object/time';
import { Review } from '../../review';

export class HashEntry {
  constructor(
    /** Key in the map. */
    readonly key: Text,
    /** Time of the injection; empty is written as null. */
    readonly time: Text,
    /** All that stands behind the time, as `contents` gives it. */
    readonly contents: Text,
  ) {}

  /** Equal but for the time. */
  isSame(other: HashEntry): bool {
    return this.contents.equals(other.contents);
  }

  /** Writes the member as it stands in the string of the annotation. */
  write(out: Writer): void {
    const key = new Writer(64);
    key.quoted(this.key, Escapes.Html);
    out.escaped(key.toText());
    out.ascii(':{\\"updateTimestamp\\":');
    if (this.time.isEmpty) {
      out.ascii('null');
    } else {
      out.ascii('\\"');
      out.text(this.time);
      out.ascii('\\"');
    }
    out.byte(0x2c);
    out.text(this.contents);
  }
}

/**
 * What an entry says of a set beside the time of its injection, as it stands in the string of the annotation: without
 * `sidecars` null is written, without `revision` nothing.
 */
export function contents(set: Text, hash: Text, sidecars: Array<Text> | null, revision: Text): Text {
  const out = new Writer(256);
  out.ascii('"hash":');
  out.quoted(hash, Escapes.Html);
  out.ascii(',"sidecarSetName":');
  out.quoted(set, Escapes.Html);
  out.ascii(',"sidecarList":');
  if (sidecars === null) {
    out.ascii('null');
  } else {
    out.byte(0x5b);
    for (let i = 0; i < sidecars.length; i++) {
      if (i > 0) {
        out.byte(0x2c);
      }
      out.quoted(sidecars[i], Escapes.Html);
    }
    out.byte(0x5d);
  }
  if (!revision.isEmpty) {
    out.ascii(',"controllerRevision":');
    out.quoted(revision, Escapes.Html);
  }
  out.byte(0x7d);
  const escaped = new Writer(out.length << 1);
  escaped.escaped(out.toText());
  return escaped.toText();
}

/** Entries by key, written in its order. */
export class Entries {
  private readonly names: Names = new Names();
  private readonly entries: Array<HashEntry> = new Array<HashEntry>(0);

  /** Adds or replaces; an entry that says the same keeps its time, so that a second pass changes nothing. */
  set(entry: HashEntry): void {
    if (this.names.add(entry.key)) {
      this.entries.push(entry);
      return;
    }
    const place = this.names.indexOf(entry.key);
    if (!this.entries[place].isSame(entry) || this.entries[place].time.isEmpty) {
      this.entries[place] = entry;
    }
  }

  /** The string of the annotation. */
  toDraft(): Draft {
    // Mostly there is one.
    const sorted = this.entries.length < 2 ? this.entries : this.entries.slice(0).sort((a, b) => a.key.compare(b.key));
    const out = new Writer(1024);
    out.ascii('"{');
    for (let i = 0; i < sorted.length; i++) {
      if (i > 0) {
        out.byte(0x2c);
      }
      sorted[i].write(out);
    }
    out.ascii('}"');
    return Draft.quoted(out.toText());
  }
}

/** Reads the annotation of the reviewed pod; refuses the pod when it can be read in neither form. */
export function readEntries(annotations: View, annotation: string, review: Review): Entries {
  const entries = new Entries();
  const value = annotations.get(annotation);
  // An empty text records nothing.
  if (value.text().isEmpty) {
    return entries;
  }
  const map = parse(value.text());
  if (map.isNull) {
    return entries;
  }
  const isNew = map.isObject && isMapOfEntries(map);
  if (!isNew && !(map.isObject && isMapOfStrings(map))) {
    review.refuse(500, unreadable(annotation, value.text(), map, review));
    return entries;
  }
  for (let member = map.first(); member.exists; member = member.next()) {
    entries.set(isNew ? readEntry(member.name, member.value) : legacyEntry(member.name, member.value.text()));
  }
  return entries;
}

function readEntry(key: Text, value: View): HashEntry {
  const list = memberOfAnyCase(value, 'sidecarlist');
  let sidecars: Array<Text> | null = null;
  if (list.isArray) {
    const names: Array<Text> = [];
    for (let name = list.first(); name.exists; name = name.next()) {
      names.push(name.text());
    }
    sidecars = names;
  }
  const time = new Writer(24);
  if (memberOfAnyCase(value, 'updatetimestamp').isString) {
    writeTime(parseTime(memberOfAnyCase(value, 'updatetimestamp').text()), time);
  }
  const set = memberOfAnyCase(value, 'sidecarsetname').text();
  const revision = memberOfAnyCase(value, 'controllerrevision').text();
  return new HashEntry(key, time.toText(), contents(set, memberOfAnyCase(value, 'hash').text(), sidecars, revision));
}

/** The form of old releases: only the hash. */
function legacyEntry(key: Text, hash: Text): HashEntry {
  return new HashEntry(key, Text.empty(), contents(key, hash, null, Text.empty()));
}

function isMapOfEntries(map: View): bool {
  for (let member = map.first(); member.exists; member = member.next()) {
    const entry = member.value;
    if (entry.isNull) {
      continue;
    }
    if (
      !entry.isObject ||
      !isText(memberOfAnyCase(entry, 'hash')) ||
      !isText(memberOfAnyCase(entry, 'sidecarsetname'))
    ) {
      return false;
    }
    const time = memberOfAnyCase(entry, 'updatetimestamp');
    if (!isText(time) || (time.isString && parseTime(time.text()) == NO_TIME)) {
      return false;
    }
    const list = memberOfAnyCase(entry, 'sidecarlist');
    if (!isText(memberOfAnyCase(entry, 'controllerrevision')) || (list.isSet && !list.isArray)) {
      return false;
    }
    for (let name = list.first(); name.exists; name = name.next()) {
      if (!isText(name)) {
        return false;
      }
    }
  }
  return true;
}

function isMapOfStrings(map: View): bool {
  for (let member = map.first(); member.exists; member = member.next()) {
    if (!isText(member.value)) {
      return false;
    }
  }
  return true;
}

function isText(value: View): bool {
  return value.isString || !value.isSet;
}

function unreadable(annotation: string, text: Text, map: View, review: Review): Text {
  const out = new Writer();
  out.ascii('pod(');
  out.text(review.namespace);
  out.byte(0x2f);
  out.text(review.object.get('metadata').get('name').text());
  out.ascii(') invalid annotations[');
  out.ascii(annotation);
  out.ascii('] value ');
  out.text(text);
  out.ascii(', unmarshal failed: ');
  if (!map.exists) {
    writeSyntaxFault(text, out);
    return out.toText();
  }
  out.ascii('json: cannot unmarshal ');
  if (!map.isObject) {
    out.ascii(kindName(map));
    out.ascii(' into Go value of type map[string]string');
    return out.toText();
  }
  let member = map.first();
  while (isText(member.value)) {
    member = member.next();
  }
  out.ascii(kindName(member.value));
  out.ascii(' into Go value of type string');
  return out.toText();
}

function kindName(value: View): string {
  if (value.isObject) {
    return 'object';
  }
  if (value.isArray) {
    return 'array';
  }
  if (value.isString) {
    return 'string';
  }
  return value.isNumber ? 'number' : 'bool';
}
