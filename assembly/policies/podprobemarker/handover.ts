// What is written on a pod of the probes of its markers: each condition and each probe of a container once
// (podprobemarker.md 6.1, steps 2 to 5).

import { POD_PROBE } from '../../../api/names';
import { parse } from '../../json/parse';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { Escapes, Writer } from '../../json/writer';
import { isRestartable, named } from '../../object/pod';
import { writeProbe } from '../../object/probe';
import { nameOf } from '../namespaced';

export class Handover {
  private readonly taken: Array<Probe> = [];

  /** Takes first what an earlier pass took, so that it stays as it is, then the rest in the order of the markers. */
  constructor(markers: Array<View>, pod: View) {
    const offered = offeredBy(markers, pod);
    const before = parse(pod.get('metadata').get('annotations').get(POD_PROBE).text());
    if (before.isArray) {
      for (let item = before.first(); item.exists; item = item.next()) {
        const same = sameAmong(offered, new Probe(item, Text.empty()));
        if (same !== null) {
          this.take(same);
        }
      }
    }
    for (let i = 0; i < offered.length; i++) {
      this.take(offered[i]);
    }
  }

  get isEmpty(): bool {
    return this.taken.length == 0;
  }

  /** Is a probe of this marker among what is handed over? */
  has(marker: View): bool {
    for (let i = 0; i < this.taken.length; i++) {
      if (this.taken[i].marker.equals(nameOf(marker))) {
        return true;
      }
    }
    return false;
  }

  /** The probes as a JSON array. */
  probes(): Text {
    const out = new Writer(512);
    out.byte(0x5b);
    for (let i = 0; i < this.taken.length; i++) {
      if (i > 0) {
        out.byte(0x2c);
      }
      out.text(this.taken[i].text);
    }
    out.byte(0x5d);
    return out.toText();
  }

  /** Names of the markers that contribute, sorted, joined by commas. */
  names(): Text {
    const names: Array<Text> = [];
    for (let i = 0; i < this.taken.length; i++) {
      names.push(this.taken[i].marker);
    }
    names.sort((left, right) => left.compare(right));
    const out = new Writer();
    for (let i = 0; i < names.length; i++) {
      if (i == 0 || !names[i].equals(names[i - 1])) {
        if (i > 0) {
          out.byte(0x2c);
        }
        out.text(names[i]);
      }
    }
    return out.toText();
  }

  private take(probe: Probe): void {
    for (let i = 0; i < this.taken.length; i++) {
      if (this.taken[i].excludes(probe)) {
        return;
      }
    }
    this.taken.push(probe);
  }
}

/** A probe of a marker, without what is done about its result. */
class Probe {
  readonly name: Text;
  readonly container: Text;
  readonly condition: Text;
  /** As JSON. */
  readonly text: Text;

  constructor(
    view: View,
    /** The name of its marker. */
    readonly marker: Text,
  ) {
    this.name = view.get('name').text();
    this.container = view.get('containerName').text();
    this.condition = view.get('podConditionType').text();
    this.text = textOf(view);
  }

  /** May the other not stand beside this one? */
  excludes(other: Probe): bool {
    return (
      this.condition.equals(other.condition) || (this.name.equals(other.name) && this.container.equals(other.container))
    );
  }
}

function textOf(probe: View): Text {
  const out = new Writer();
  out.ascii('{"name":');
  out.quoted(probe.get('name').text(), Escapes.Html);
  out.ascii(',"containerName":');
  out.quoted(probe.get('containerName').text(), Escapes.Html);
  out.ascii(',"probe":');
  writeProbe(probe.get('probe'), out);
  out.ascii(',"podConditionType":');
  out.quoted(probe.get('podConditionType').text(), Escapes.Html);
  out.byte(0x7d);
  return out.toText();
}

/** The probes that have a condition to write and a container to run in. */
function offeredBy(markers: Array<View>, pod: View): Array<Probe> {
  const offered: Array<Probe> = [];
  for (let i = 0; i < markers.length; i++) {
    const probes = markers[i].get('spec').get('probes');
    for (let probe = probes.first(); probe.exists; probe = probe.next()) {
      const hasCondition = !probe.get('podConditionType').text().isEmpty;
      if (hasCondition && isCandidate(pod.get('spec'), probe.get('containerName').text())) {
        offered.push(new Probe(probe, nameOf(markers[i])));
      }
    }
  }
  return offered;
}

/** A container of the pod that goes on running. */
function isCandidate(spec: View, container: Text): bool {
  return named(spec.get('containers'), container).exists || isRestartable(named(spec.get('initContainers'), container));
}

function sameAmong(offered: Array<Probe>, wanted: Probe): Probe | null {
  for (let i = 0; i < offered.length; i++) {
    if (offered[i].text.equals(wanted.text)) {
      return offered[i];
    }
  }
  return null;
}
