// Settings of the policy: `{"objects":[…],"gates":{…},"systemNamespace":"kruise-system","cluster":["SidecarSet",…]}`, all
// of them optional. They come with every call.

import { isGate, setGates } from '../gates';
import { parse } from '../json/parse';
import { Text } from '../json/text';
import { Kind, View } from '../json/view';
import { between, Writer } from '../json/writer';
import { setSystemNamespace } from '../settings';
import { readKind } from './cluster';
import { objectFault, ofObject } from './objects';
import { storedFault } from './stored';

/** The gates that decisions depend on and that are on by default (api/gates.ts), but for the one that needs to write. */
export const GATES_ON: string = '{"PodUnavailableBudgetDeleteGate":true}';

const NAMES: StaticArray<string> = ['objects', 'gates', 'systemNamespace', 'cluster'];

/** Puts gates and the namespace in force. */
export function configure(settings: View): void {
  const gates = settings.get('gates');
  setGates(gates.isObject ? gates : parse(Text.of(GATES_ON)));
  setSystemNamespace(settings.get('systemNamespace').text());
}

/** What is wrong with the settings, or null. */
export function settingsFault(settings: View): Text | null {
  if (settings.isNull) {
    return null;
  }
  if (!settings.isObject) {
    return Text.of('settings: expected an object');
  }
  for (let key = settings.first(); key.exists; key = key.next()) {
    if (!isKnown(key.name)) {
      return between('', key.name, ': there is no such setting');
    }
  }
  const faults: Array<Text | null> = [
    gatesFault(settings.get('gates')),
    namespaceFault(settings.get('systemNamespace')),
    clusterFault(settings.get('cluster')),
    objectsFault(settings.get('objects')),
  ];
  for (let i = 0; i < faults.length; i++) {
    if (faults[i] !== null) {
      return faults[i];
    }
  }
  return null;
}

/**
 * What would go unnoticed in settings, or null: gates that decide nothing, objects that were never admitted. Told when
 * settings are judged; reviews are decided all the same.
 */
export function settingsSlip(settings: View): Text | null {
  for (let gate = settings.get('gates').first(); gate.exists; gate = gate.next()) {
    if (!isGate(gate.name)) {
      return between('gates.', gate.name, ': no decision depends on a gate of this name');
    }
    if (!gate.value.isTrue && gate.value.kind != Kind.False) {
      return between('gates.', gate.name, ': expected true or false');
    }
  }
  let index = 0;
  for (let object = settings.get('objects').first(); object.exists; object = object.next()) {
    const fault = storedFault(object);
    if (fault !== null) {
      return ofObject(index, fault);
    }
    index++;
  }
  return null;
}

function isKnown(name: Text): bool {
  for (let i = 0; i < NAMES.length; i++) {
    if (name.is(NAMES[i])) {
      return true;
    }
  }
  return false;
}

function gatesFault(gates: View): Text | null {
  if (!gates.isSet) {
    return null;
  }
  if (!gates.isObject) {
    return Text.of('gates: expected an object such as {"ResourcesDeletionProtection":true}');
  }
  return gates.get('WorkloadSpread').isTrue
    ? Text.of('gates.WorkloadSpread: counts pods in the status of objects, which a Kubewarden policy cannot write')
    : null;
}

function namespaceFault(namespace: View): Text | null {
  const isGood = !namespace.isSet || (namespace.isString && setSystemNamespace(namespace.text()));
  return isGood ? null : Text.of('systemNamespace: expected the name of a namespace');
}

function clusterFault(kinds: View): Text | null {
  if (!kinds.isSet) {
    return null;
  }
  if (!kinds.isArray) {
    return Text.of('cluster: expected a list of the kinds that are read from the cluster');
  }
  for (let kind = kinds.first(); kind.exists; kind = kind.next()) {
    if (!kind.isString || readKind(kind.text()) < 0) {
      const out = new Writer(128);
      out.ascii('cluster: expected kinds that the policies keep, such as SidecarSet, got ');
      out.text(kind.raw());
      return out.toText();
    }
  }
  return null;
}

function objectsFault(objects: View): Text | null {
  if (!objects.isSet) {
    return null;
  }
  if (!objects.isArray) {
    return Text.of('objects: expected a list of objects as the API server stores them');
  }
  let index = 0;
  for (let object = objects.first(); object.exists; object = object.next()) {
    const fault = objectFault(object);
    if (fault !== null) {
      return ofObject(index, fault);
    }
    index++;
  }
  return null;
}
