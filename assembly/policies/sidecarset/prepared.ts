// What a SidecarSet brings into every pod alike, worked out once, for the first pod that it matches: sets that match none
// take no memory for it (docs/decisions/0012). It is a JSON document beside the set, the array of init containers,
// containers, volumes and the texts of its hash entries. A container that depends on the pod is null there. Behind the last
// container stands a zero, so that each ends where the next item begins.

import { SIDECARSET_HASH, SIDECARSET_HASH_WITHOUT_IMAGE } from '../../../api/names';
import { parse } from '../../json/parse';
import { writeValue } from '../../json/patch';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { Writer } from '../../json/writer';
import { prepare } from '../../store/store';
import { Entry } from '../../store/stored';
import { mountedVolumes } from './attach';
import { forEveryPod, upgradedNames } from './container';
import { contents } from './entries';

/** For longer sets it is not worth the memory: all is made for each pod. */
const SPEC_MOST: i32 = 1 << 16;

/** Puts what was worked out beside the set. */
export function prepareSidecarSet(entry: Entry): void {
  entry.isPrepared = true;
  const spec = entry.root.get('spec');
  if (spec.raw().length > SPEC_MOST) {
    return;
  }
  const out = new Writer(1024);
  out.byte(0x5b);
  writeContainers(spec.get('initContainers'), true, out);
  out.byte(0x2c);
  writeContainers(spec.get('containers'), false, out);
  out.byte(0x2c);
  writeVolumes(mountedVolumes(spec), out);
  writeContents(entry.root, out);
  out.byte(0x5d);
  const root = parse(out.toText());
  if (root.exists) {
    prepare(entry, root);
  }
}

/** Of each container of the set what `forEveryPod` gave, or null; of no document `none`. */
export function preparedContainers(prepared: View, isInit: bool): View {
  return isInit ? prepared.first() : prepared.first().next();
}

/** The volumes of the set that its containers mount. */
export function preparedVolumes(prepared: View): View {
  return prepared.first().next().next();
}

/** What the set's entry in the annotation of hashes says, as `contents` gives it. */
export function preparedContents(prepared: View): Text {
  return preparedVolumes(prepared).next().inside();
}

/** The same in the annotation of hashes without images. */
export function preparedContentsWithoutImage(prepared: View): Text {
  return preparedVolumes(prepared).next().next().inside();
}

function writeContainers(list: View, isInit: bool, out: Writer): void {
  out.byte(0x5b);
  for (let source = list.first(); source.exists; source = source.next()) {
    const container = forEveryPod(source, isInit);
    if (container === null) {
      out.ascii('null');
    } else {
      writeValue(container, out);
    }
    out.byte(0x2c);
  }
  out.ascii('0]');
}

function writeVolumes(volumes: Array<View>, out: Writer): void {
  out.byte(0x5b);
  for (let i = 0; i < volumes.length; i++) {
    if (i > 0) {
      out.byte(0x2c);
    }
    writeValue(volumes[i], out);
  }
  out.byte(0x5d);
}

function writeContents(set: View, out: Writer): void {
  const name = set.get('metadata').get('name').text();
  const annotations = set.get('metadata').get('annotations');
  const sidecars = upgradedNames(set.get('spec'));
  const revision = set.get('status').get('latestRevision').text();
  // The contents are escaped, so between quotes they are strings.
  out.ascii(',"');
  out.text(contents(name, annotations.get(SIDECARSET_HASH).text(), sidecars, revision));
  out.ascii('","');
  out.text(contents(name, annotations.get(SIDECARSET_HASH_WITHOUT_IMAGE).text(), sidecars, Text.empty()));
  out.byte(0x22);
}
