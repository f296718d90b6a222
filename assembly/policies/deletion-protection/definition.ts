// Deletion of CustomResourceDefinitions: with Cascading only while objects of them live (deletion-protection.md 5.2).

import { Gate, isOn } from '../../gates';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { Writer } from '../../json/writer';
import { Decoding } from '../../object/decode';
import { countQuestion, Knowledge } from '../../object/fact';
import { Review } from '../../review';
import {
  COUNT_MOST,
  isDecoded,
  isDeletion,
  Protection,
  protectionOf,
  refuseAlways,
  refuseCascading,
  uncounted,
} from './protection';

const GATE_OFF: string =
  'feature-gate DeletionProtectionForCRDCascadingGate is not enabled: enable it or change the label of the object to delete it';

/** Versions of the API of definitions other than these two are let pass. */
export function protectDefinition(review: Review): void {
  const version = review.request.get('kind').get('version');
  if (!isDeletion(review) || !(version.is('v1') || version.is('v1beta1'))) {
    return;
  }
  const decoding = new Decoding();
  decoding.isWhole(review.oldObject, 'CustomResourceDefinition') &&
    decoding.isMetadata(review.oldObject.get('metadata'), 'CustomResourceDefinition') &&
    isSpec(review.oldObject.get('spec'), decoding);
  if (!isDecoded(decoding, review)) {
    return;
  }
  const protection = protectionOf(review);
  if (protection == Protection.Always) {
    refuseAlways(review);
  } else if (protection == Protection.Cascading) {
    judgeObjects(review);
  }
}

function isSpec(spec: View, decoding: Decoding): bool {
  return (
    decoding.isObject(spec, 'CustomResourceDefinition', 'spec', 'CustomResourceDefinitionSpec') &&
    decoding.isString(spec.get('group'), 'CustomResourceDefinitionSpec', 'spec.group') &&
    decoding.isObject(
      spec.get('names'),
      'CustomResourceDefinitionSpec',
      'spec.names',
      'CustomResourceDefinitionNames',
    ) &&
    decoding.isArrayOfObjects(
      spec.get('versions'),
      'CustomResourceDefinitionSpec',
      'spec.versions',
      'CustomResourceDefinitionVersion',
    )
  );
}

function judgeObjects(review: Review): void {
  if (!isOn(Gate.DeletionProtectionForDefinitions)) {
    review.refuse(403, Text.of(GATE_OFF));
    return;
  }
  const spec = review.oldObject.get('spec');
  const version = listedVersion(spec.get('versions'));
  const group = spec.get('group').text();
  if (version.isEmpty) {
    review.refuse(403, unlisted(spec, version, Text.of('no version is served')));
    return;
  }
  const apiVersion = new Writer(group.length + version.length + 1);
  apiVersion.text(group);
  apiVersion.byte(0x2f);
  apiVersion.text(version);
  const kind = spec.get('names').get('kind').text();
  const fact = review.ask(countQuestion(apiVersion.toText(), kind, Text.empty(), 'live', COUNT_MOST));
  if (fact.knowledge == Knowledge.Asked) {
    return;
  }
  if (fact.count < 0) {
    review.refuse(403, unlisted(spec, version, uncounted(fact)));
  } else if (fact.count > 0) {
    refuseCascading('active CRs', fact.count, review);
  }
}

/** The version that objects are listed in: the one they are stored in, if it is served, else any that is. */
function listedVersion(versions: View): Text {
  let served = Text.empty();
  for (let version = versions.first(); version.exists; version = version.next()) {
    if (version.get('served').isTrue && (served.isEmpty || version.get('storage').isTrue)) {
      served = version.get('name').text();
    }
  }
  return served;
}

function unlisted(spec: View, version: Text, error: Text): Text {
  const out = new Writer();
  out.ascii('failed to list CRs of ');
  out.text(spec.get('group').text());
  out.byte(0x2f);
  out.text(version);
  out.ascii(', Kind=');
  out.text(spec.get('names').get('listKind').text());
  out.ascii(': ');
  out.text(error);
  return out.toText();
}
