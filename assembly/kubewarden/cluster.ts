// What the policy reads from the cluster, where the settings ask for it: objects of its kinds, and facts. The host reads
// for it, within the rights of the policy (contextAwareResources in metadata.yml).

import { KRUISE_CONFIGURATION, SIDECARSET_NAME } from '../../api/names';
import { parse } from '../json/parse';
import { Text } from '../json/text';
import { View } from '../json/view';
import { Writer } from '../json/writer';
import { systemNamespace } from '../settings';
import { keepFact } from '../store/facts';
import { askKubernetes, Response } from './host';
import { Gathered } from './objects';

/** Kinds that may be read, and the versions in which they are. */
const KINDS: StaticArray<string> = [
  'SidecarSet',
  'PodUnavailableBudget',
  'PodProbeMarker',
  'PersistentPodState',
  'Namespace',
  'ControllerRevision',
  'ConfigMap',
];
const VERSIONS: StaticArray<string> = [
  'apps.kruise.io/v1beta1',
  'policy.kruise.io/v1beta1',
  'apps.kruise.io/v1alpha1',
  'apps.kruise.io/v1beta1',
  'v1',
  'apps/v1',
  'v1',
];

/** Place in the table, or -1. */
export function readKind(name: Text): i32 {
  for (let i = 0; i < KINDS.length; i++) {
    if (name.is(KINDS[i])) {
      return i;
    }
  }
  return -1;
}

/** The version in which a kind of the table is stored; an empty text for others. */
export function storedVersion(kind: Text): string {
  const index = readKind(kind);
  return index < 0 ? '' : VERSIONS[index];
}

/** Adds the objects of these kinds; an error when they cannot be read. */
export function gatherFromCluster(kinds: View, objects: Gathered): Text | null {
  for (let kind = kinds.first(); kind.exists; kind = kind.next()) {
    const error = gatherKind(readKind(kind.text()), objects);
    if (error !== null) {
      return error;
    }
  }
  return null;
}

function gatherKind(index: i32, objects: Gathered): Text | null {
  const kind = Text.of(KINDS[index]);
  const apiVersion = Text.of(VERSIONS[index]);
  const isOne = kind.is('ConfigMap');
  const response = isOne
    ? askKubernetes('get_resource', getPayload(apiVersion, kind, systemNamespace(), Text.of(KRUISE_CONFIGURATION)))
    : askKubernetes('list_resources_all', listPayload(apiVersion, kind, Text.empty(), selectorOf(kind)));
  if (isOne && isNotFound(response)) {
    return null;
  }
  const answer = response.isGood ? parse(response.text) : View.none();
  if (!answer.isObject) {
    const out = new Writer(256);
    out.ascii('cannot read objects of kind ');
    out.text(kind);
    out.ascii(': ');
    out.text(response.text);
    return out.toText();
  }
  if (isOne) {
    objects.add(answer, apiVersion, kind);
    return null;
  }
  for (let object = answer.get('items').first(); object.exists; object = object.next()) {
    objects.add(object, apiVersion, kind);
  }
  return null;
}

/** Of revisions only those of SidecarSets count. */
function selectorOf(kind: Text): Text {
  return kind.is('ControllerRevision') ? Text.of(SIDECARSET_NAME) : Text.empty();
}

/** Answers what the policies ask. Without the setting nobody can. */
export function answerQuestion(question: Text, isAllowed: bool): void {
  const out = new Writer(1024);
  out.ascii('{"question":');
  out.text(question);
  out.byte(0x2c);
  if (isAllowed) {
    const asked = parse(question);
    if (asked.get('get').isObject) {
      answerGet(asked.get('get'), out);
    } else {
      answerCount(asked.get('count'), out);
    }
  } else {
    writeError(Text.of('the setting cluster is not there, so the cluster is not asked'), out);
  }
  out.byte(0x7d);
  keepFact(parse(out.toText()));
}

function answerGet(asked: View, out: Writer): void {
  const apiVersion = asked.get('apiVersion').text();
  const payload = getPayload(
    apiVersion,
    asked.get('kind').text(),
    asked.get('namespace').text(),
    asked.get('name').text(),
  );
  const response = askKubernetes('get_resource', payload);
  const isMissing = isNotFound(response);
  if (!isMissing && (!response.isGood || !parse(response.text).exists)) {
    writeError(response.text, out);
    return;
  }
  out.ascii('"answer":');
  if (isMissing) {
    out.ascii('null');
  } else {
    out.text(response.text);
  }
}

function answerCount(asked: View, out: Writer): void {
  const namespace = asked.get('namespace').text();
  const payload = listPayload(asked.get('apiVersion').text(), asked.get('kind').text(), namespace, Text.empty());
  const response = askKubernetes(namespace.isEmpty ? 'list_resources_all' : 'list_resources_by_namespace', payload);
  const list = response.isGood ? parse(response.text) : View.none();
  if (!list.isObject) {
    writeError(response.text, out);
    return;
  }
  const limit = asked.get('limit').integer(0);
  const names = new Writer(256);
  let count: i64 = 0;
  for (let object = list.get('items').first(); object.exists && count < limit; object = object.next()) {
    if (counts(object, asked.get('where').text())) {
      if (count > 0) {
        names.byte(0x2c);
      }
      names.quoted(object.get('metadata').get('name').text());
      count++;
    }
  }
  out.ascii('"answer":{"count":');
  out.integer(count);
  out.ascii(',"names":[');
  out.text(names.toText());
  out.ascii(']}');
}

/** The words of count questions (docs/reference/abi.md). */
function counts(object: View, where: Text): bool {
  if (object.get('metadata').get('deletionTimestamp').isSet) {
    return false;
  }
  const phase = object.get('status').get('phase');
  if (where.is('active')) {
    return !phase.is('Succeeded') && !phase.is('Failed');
  }
  return where.is('live') || phase.is('Bound');
}

function isNotFound(response: Response): bool {
  const text = response.text;
  return !response.isGood && (contains(text, 'NotFound') || contains(text, 'not found'));
}

function contains(text: Text, word: string): bool {
  for (let i = 0; i + word.length <= text.length; i++) {
    if (text.slice(i, i + word.length).is(word)) {
      return true;
    }
  }
  return false;
}

function writeError(error: Text, out: Writer): void {
  out.ascii('"error":');
  out.quoted(error);
}

function getPayload(apiVersion: Text, kind: Text, namespace: Text, name: Text): Text {
  const out = new Writer(160);
  writeKind(apiVersion, kind, namespace, out);
  out.ascii(',"name":');
  out.quoted(name);
  // A decision about what is there now needs to know what is there now.
  out.ascii(',"disable_cache":true}');
  return out.toText();
}

function listPayload(apiVersion: Text, kind: Text, namespace: Text, labelSelector: Text): Text {
  const out = new Writer(160);
  writeKind(apiVersion, kind, namespace, out);
  if (!labelSelector.isEmpty) {
    out.ascii(',"label_selector":');
    out.quoted(labelSelector);
  }
  out.byte(0x7d);
  return out.toText();
}

function writeKind(apiVersion: Text, kind: Text, namespace: Text, out: Writer): void {
  out.ascii('{"api_version":');
  out.quoted(apiVersion);
  out.ascii(',"kind":');
  out.quoted(kind);
  if (!namespace.isEmpty) {
    out.ascii(',"namespace":');
    out.quoted(namespace);
  }
}
