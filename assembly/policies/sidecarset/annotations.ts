// The annotations that tie a pod to its SidecarSets, byte for byte (sidecarset.md 5.8, 9.1).

import {
  SIDECARSET_HASH,
  SIDECARSET_HASH_WITHOUT_IMAGE,
  SIDECARSET_INJECTED_LIST,
  SIDECARSET_VERSION_ALT_PREFIX,
  SIDECARSET_VERSION_PREFIX,
  SIDECARSET_WORKING_HOT_UPGRADE_CONTAINER,
} from '../../../api/names';
import { Draft } from '../../json/draft';
import { parse } from '../../json/parse';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { Escapes, Writer } from '../../json/writer';
import { Names } from '../../object/names';
import { writeTime } from '../../object/time';
import { Review } from '../../review';
import { upgradedNames } from './container';
import { contents, Entries, HashEntry, readEntries } from './entries';
import { Match } from './matching';
import { firstTwin, secondTwin } from './pair';
import { preparedContents, preparedContentsWithoutImage } from './prepared';

/** What the pod's annotations say before the injection. */
export class Recorded {
  readonly hashes: Entries;
  readonly hashesWithoutImage: Entries;

  /** Refuses the pod when its annotations cannot be read. */
  constructor(review: Review) {
    const annotations = review.object.get('metadata').get('annotations');
    this.hashes = readEntries(annotations, SIDECARSET_HASH, review);
    this.hashesWithoutImage = readEntries(annotations, SIDECARSET_HASH_WITHOUT_IMAGE, review);
  }
}

/** Writes the annotations of all sets that injected something. */
export function writeAnnotations(
  matches: Array<Match>,
  hotContainers: Array<Text>,
  recorded: Recorded,
  review: Review,
): void {
  const annotations = review.object.needObject('metadata').needObject('annotations');
  const time = new Writer(24);
  writeTime(review.now, time);
  const now = time.toText();
  for (let i = 0; i < matches.length; i++) {
    const match = matches[i];
    if (match.hasInjected) {
      recorded.hashes.set(new HashEntry(match.name, now, contentsOf(match)));
      recorded.hashesWithoutImage.set(new HashEntry(match.name, now, contentsWithoutImage(match)));
    }
  }
  annotations.putString(Text.of(SIDECARSET_HASH), recorded.hashes.toDraft());
  annotations.putString(Text.of(SIDECARSET_HASH_WITHOUT_IMAGE), recorded.hashesWithoutImage.toDraft());
  annotations.putText(Text.of(SIDECARSET_INJECTED_LIST), injectedList(annotations, matches));
  if (hotContainers.length > 0) {
    writeHotUpgrade(annotations, hotContainers);
  }
}

function contentsOf(match: Match): Text {
  return match.prepared.exists
    ? preparedContents(match.prepared)
    : contents(match.name, hashOf(match, SIDECARSET_HASH), upgradedNames(match.spec), match.revision);
}

function contentsWithoutImage(match: Match): Text {
  return match.prepared.exists
    ? preparedContentsWithoutImage(match.prepared)
    : contents(match.name, hashOf(match, SIDECARSET_HASH_WITHOUT_IMAGE), upgradedNames(match.spec), Text.empty());
}

function hashOf(match: Match, annotation: string): Text {
  return match.hashed.get('metadata').get('annotations').get(annotation).text();
}

/** Names of the sets that the pod lists as injected. */
export function injectedBefore(annotations: View): Names {
  const names = new Names();
  const list = annotations.get(SIDECARSET_INJECTED_LIST).text();
  let from = 0;
  while (!list.isEmpty && from <= list.length) {
    const comma = list.indexOf(0x2c, from);
    const end = comma < 0 ? list.length : comma;
    names.add(list.slice(from, end));
    from = end + 1;
  }
  return names;
}

/** Sorted, joined by commas: what was there and the sets injected now. */
function injectedList(annotations: View, matches: Array<Match>): Text {
  const names = injectedBefore(annotations);
  for (let i = 0; i < matches.length; i++) {
    if (matches[i].hasInjected) {
      names.add(matches[i].name);
    }
  }
  const sorted = names.sorted();
  const out = new Writer();
  for (let i = 0; i < sorted.length; i++) {
    if (i > 0) {
      out.byte(0x2c);
    }
    out.text(sorted[i]);
  }
  return out.toText();
}

/** Versions of each pair, and which container of it works. */
function writeHotUpgrade(annotations: Draft, containers: Array<Text>): void {
  const working = new Names();
  for (let i = 0; i < containers.length; i++) {
    const name = containers[i];
    const first = firstTwin(name);
    const second = secondTwin(name);
    putVersion(annotations, SIDECARSET_VERSION_PREFIX, first, '1');
    putVersion(annotations, SIDECARSET_VERSION_ALT_PREFIX, first, '0');
    putVersion(annotations, SIDECARSET_VERSION_PREFIX, second, '0');
    putVersion(annotations, SIDECARSET_VERSION_ALT_PREFIX, second, '1');
    working.add(name, Draft.string(first));
  }
  // Entries of other containers stay.
  const recorded = readWorking(annotations);
  for (let member = recorded.first(); member.exists; member = member.next()) {
    working.add(member.name, member.value);
  }
  const names = working.sorted();
  const out = new Writer();
  out.byte(0x7b);
  for (let i = 0; i < names.length; i++) {
    if (i > 0) {
      out.byte(0x2c);
    }
    out.quoted(names[i], Escapes.Html);
    out.byte(0x3a);
    out.quoted(working.find(names[i]).text(), Escapes.Html);
  }
  out.byte(0x7d);
  annotations.putText(Text.of(SIDECARSET_WORKING_HOT_UPGRADE_CONTAINER), out.toText());
}

function putVersion(annotations: Draft, prefix: string, container: Text, version: string): void {
  const key = new Writer();
  key.ascii(prefix);
  key.text(container);
  annotations.putText(key.toText(), Text.of(version));
}

/** The map of working containers; a text that is no map of strings counts as none. */
function readWorking(annotations: View): View {
  const map = parse(annotations.get(SIDECARSET_WORKING_HOT_UPGRADE_CONTAINER).text());
  for (let member = map.first(); member.exists; member = member.next()) {
    if (!map.isObject || (!member.value.isString && !member.value.isNull)) {
      return View.none();
    }
  }
  return map;
}
