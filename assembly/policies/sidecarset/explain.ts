// Why a SidecarSet is or is not injected into a pod, set by set, in words and as machine words.

import { Text } from '../../json/text';
import { View } from '../../json/view';
import { Writer } from '../../json/writer';
import { isActive } from '../../object/pod';
import { Operation, Review } from '../../review';
import { eachEntry, Visitor } from '../../store/store';
import { Entry, Stored } from '../../store/stored';
import { canaryBase, Match, Miss, missOf, Subject } from './matching';
import { chooseRevision } from './revision';

/** Writes one JSON object a set: `{kind, name, matched, reason, message, revision?}`, separated by commas. */
export function explain(review: Review, out: Writer): void {
  const sets = new Sets();
  eachEntry(sets);
  const subject = new Subject(review);
  const bases: Array<Match> = [];
  for (let i = 0; i < sets.found.length; i++) {
    const set = sets.found[i];
    if (missOf(set, subject) == Miss.None && !canaryBase(set).isEmpty) {
      bases.push(new Match(set, false));
    }
  }
  for (let i = 0; i < sets.found.length; i++) {
    if (i > 0) {
      out.byte(0x2c);
    }
    explainSet(sets.found[i], subject, bases, review, out);
  }
}

function explainSet(set: View, subject: Subject, canaries: Array<Match>, review: Review, out: Writer): void {
  const name = set.get('metadata').get('name').text();
  const miss = missOf(set, subject);
  if (review.operation != Operation.Create || !review.isAboutPods) {
    write(out, name, false, 'NotAPodCreation', 'sidecars are injected only when a pod is created');
  } else if (!isActive(review.object)) {
    write(out, name, false, 'PodNotActive', 'the pod is finished or being deleted');
  } else if (miss != Miss.None) {
    explainMiss(set, miss, subject, out, name);
  } else {
    for (let i = 0; i < canaries.length; i++) {
      if (canaryBase(canaries[i].set).equals(name)) {
        write(
          out,
          name,
          false,
          'ReplacedByCanary',
          'a canary of this set matches the pod and takes its place: ',
          canaries[i].name,
        );
        return;
      }
    }
    const match = new Match(set, false);
    const trial = new Review(review.root, review.now);
    chooseRevision(match, subject, trial);
    if (trial.isRefused) {
      write(out, name, false, 'RevisionUnavailable', 'the pod is refused: ', trial.message);
    } else if (match.spec != set.get('spec')) {
      write(out, name, true, 'InjectedRevision', 'the pod gets an older revision of the set: ', match.revision);
    } else {
      write(out, name, true, 'Injected', 'the pod gets the set as it is now');
    }
  }
}

function explainMiss(set: View, miss: Miss, subject: Subject, out: Writer, name: Text): void {
  const spec = set.get('spec');
  switch (miss) {
    case Miss.Paused:
      write(out, name, false, 'Paused', 'spec.injectionStrategy.paused is true');
      break;
    case Miss.NoSelector:
      write(out, name, false, 'NoSelector', 'spec.selector is empty, which selects no pod');
      break;
    case Miss.NamespaceUnknown:
      write(
        out,
        name,
        false,
        'NamespaceUnknown',
        'spec.namespaceSelector asks for labels, and there is no Namespace ',
        subject.namespace,
      );
      break;
    case Miss.NamespaceMismatch:
      write(
        out,
        name,
        false,
        'NamespaceMismatch',
        spec.get('namespace').text().isEmpty
          ? 'spec.namespaceSelector does not select the namespace '
          : 'spec.namespace is not the namespace ',
        subject.namespace,
      );
      break;
    case Miss.NamespaceSelectorInvalid:
      write(out, name, false, 'NamespaceSelectorInvalid', 'spec.namespaceSelector is not a label selector');
      break;
    case Miss.SelectorInvalid:
      write(out, name, false, 'SelectorInvalid', 'spec.selector is not a label selector');
      break;
    default:
      write(out, name, false, 'SelectorMismatch', 'spec.selector does not select the labels of the pod');
  }
}

function write(
  out: Writer,
  name: Text,
  matched: bool,
  reason: string,
  message: string,
  detail: Text = Text.empty(),
): void {
  out.ascii('{"kind":"SidecarSet","name":');
  out.quoted(name);
  out.ascii(matched ? ',"matched":true' : ',"matched":false');
  out.ascii(',"reason":');
  out.quotedAscii(reason);
  out.ascii(',"message":"');
  out.ascii(message);
  out.escaped(detail);
  out.ascii('"}');
}

/** All SidecarSets of the store, by name. */
class Sets extends Visitor {
  readonly found: Array<View> = [];

  visit(entry: Entry): void {
    if (entry.kind == Stored.SidecarSet) {
      let at = this.found.length;
      this.found.push(entry.root);
      const name = entry.root.get('metadata').get('name').text();
      while (at > 0 && this.found[at - 1].get('metadata').get('name').text().compare(name) > 0) {
        this.found[at] = this.found[at - 1];
        at--;
      }
      this.found[at] = entry.root;
    }
  }
}
