// Which revision of a SidecarSet is injected (sidecarset.md 5.7, 8.4).

import { SIDECARSET_CUSTOM_VERSION, SIDECARSET_NAME } from '../../../api/names';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { between } from '../../json/writer';
import { draw } from '../../object/draw';
import { Selection, selects } from '../../object/selector';
import { Review } from '../../review';
import { systemNamespace } from '../../settings';
import { entryOf, index, nextUnder, under } from '../../store/index';
import { find } from '../../store/store';
import { Entry, Stored } from '../../store/stored';
import { Match, Subject } from './matching';

const REVISION_SEED: u32 = 0x7feb352d;

/** Puts a ControllerRevision under the name of its SidecarSet. */
export function indexRevision(entry: Entry): bool {
  const owner = entry.root.get('metadata').get('labels').get(SIDECARSET_NAME).text();
  return owner.isEmpty || index(entry, owner.hash(REVISION_SEED));
}

/** Settles what of the set is injected; refuses the pod when a revision that it needs is not there. */
export function chooseRevision(match: Match, subject: Subject, review: Review): void {
  const wanted = match.set.get('spec').get('injectionStrategy').get('revision');
  const name = wanted.get('revisionName').text();
  const version = wanted.get('customVersion').text();
  if (name.isEmpty && version.isEmpty) {
    return;
  }
  const revision = name.isEmpty
    ? newestOfVersion(match.name, version)
    : find(Stored.ControllerRevision, systemNamespace(), name);
  if (!revision.exists) {
    // Compatibility: a version that no revision has is told by the name of the set.
    review.refuse(500, between('ControllerRevision.apps "', name.isEmpty ? match.name : name, '" not found'));
    return;
  }
  if (!usesRevision(match, wanted, subject, review)) {
    return;
  }
  match.spec = revision.get('data').get('spec');
  match.prepared = View.none();
  match.revision = revision.get('metadata').get('name').text();
  match.hashed = revision;
}

/** Does the pod get the old revision, or the set as it is now? */
function usesRevision(match: Match, wanted: View, subject: Subject, review: Review): bool {
  const strategy = match.set.get('spec').get('updateStrategy');
  if (strategy.get('paused').isTrue || !wanted.get('policy').is('Partial')) {
    return true;
  }
  const selector = strategy.get('selector');
  if (selector.isSet) {
    const selection = selects(selector, subject.labels);
    if (selection == Selection.Invalid) {
      review.refuse(
        500,
        between('spec.updateStrategy.selector of SidecarSet ', match.name, ' is not a label selector'),
      );
      return true;
    }
    if (selection == Selection.No) {
      return true;
    }
  }
  const partition = strategy.get('partition');
  if (!partition.isString) {
    return false;
  }
  const percent = percentage(partition.text());
  if (percent < 0) {
    review.refuse(
      500,
      between('spec.updateStrategy.partition of SidecarSet ', match.name, ' is neither a number nor a percentage'),
    );
    return true;
  }
  return draw(match.name, review.uid, 100) < percent;
}

/** Of `30%`: 30; -1 for what is no percentage. */
function percentage(text: Text): i32 {
  if (text.length < 2 || text.length > 9 || text.byteAt(text.length - 1) != 0x25) {
    return -1;
  }
  let value = 0;
  for (let i = 0; i < text.length - 1; i++) {
    const digit = <i32>text.byteAt(i) - 0x30;
    if (digit < 0 || digit > 9) {
      return -1;
    }
    value = value * 10 + digit;
  }
  return value;
}

/** The revision of the set that is last by number, creation time and name among those labelled with the version. */
function newestOfVersion(set: Text, version: Text): View {
  let newest = View.none();
  const term = set.hash(REVISION_SEED);
  for (let link = under(term); link != 0; link = nextUnder(link)) {
    const entry = entryOf(link);
    if (entry.kind == Stored.ControllerRevision && isOfVersion(entry.root, set, version)) {
      if (!newest.exists || isOlder(newest, entry.root)) {
        newest = entry.root;
      }
    }
  }
  return newest;
}

function isOfVersion(revision: View, set: Text, version: Text): bool {
  const metadata = revision.get('metadata');
  const labels = metadata.get('labels');
  return (
    labels.get(SIDECARSET_NAME).text().equals(set) &&
    labels.get(SIDECARSET_CUSTOM_VERSION).text().equals(version) &&
    metadata.get('namespace').text().equals(systemNamespace())
  );
}

function isOlder(a: View, b: View): bool {
  const numberA = a.get('revision').integer(0);
  const numberB = b.get('revision').integer(0);
  if (numberA != numberB) {
    return numberA < numberB;
  }
  const createdA = a.get('metadata').get('creationTimestamp').text();
  const order = createdA.compare(b.get('metadata').get('creationTimestamp').text());
  return order != 0
    ? order < 0
    : a.get('metadata').get('name').text().compare(b.get('metadata').get('name').text()) < 0;
}
