// What a decision changes outside: the status of an object, to be written before the answer is given.

import { writeValue } from '../json/patch';
import { Text } from '../json/text';
import { View } from '../json/view';
import { Writer } from '../json/writer';

/** The new status of a stored object, which counts only if the object is still the one that was decided upon. */
export function statusEffect(object: View, status: View): Text {
  const metadata = object.get('metadata');
  const out = new Writer(1024);
  out.ascii('{"apiVersion":');
  writeValue(object.get('apiVersion'), out);
  out.ascii(',"kind":');
  writeValue(object.get('kind'), out);
  out.ascii(',"namespace":');
  out.quoted(metadata.get('namespace').text());
  out.ascii(',"name":');
  out.quoted(metadata.get('name').text());
  out.ascii(',"uid":');
  out.quoted(metadata.get('uid').text());
  out.ascii(',"resourceVersion":');
  out.quoted(metadata.get('resourceVersion').text());
  out.ascii(',"status":');
  writeValue(status, out);
  out.byte(0x7d);
  return out.toText();
}
