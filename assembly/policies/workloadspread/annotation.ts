// Which spread, subset and booking a pod was created by, as its annotation tells (workloadspread.md 3.6 and 3.7).

import { MATCHED_WORKLOADSPREAD } from '../../../api/names';
import { parse } from '../../json/parse';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { Escapes, Writer } from '../../json/writer';
import { memberOfAnyCase } from '../../object/any-case';

export class Matched {
  /** All empty when there is no annotation or it cannot be read. */
  constructor(
    readonly spread: Text,
    readonly subset: Text,
    /** Id of the booking of a pod that had no name yet. */
    readonly uid: Text,
  ) {}

  static of(pod: View): Matched {
    const text = pod.get('metadata').get('annotations').get(MATCHED_WORKLOADSPREAD).text();
    const value = text.isEmpty ? View.none() : parse(text);
    return new Matched(
      memberOfAnyCase(value, 'name').text(),
      memberOfAnyCase(value, 'subset').text(),
      memberOfAnyCase(value, 'uid').text(),
    );
  }

  toText(): Text {
    const out = new Writer();
    out.ascii('{"name":');
    out.quoted(this.spread, Escapes.Html);
    out.ascii(',"subset":');
    out.quoted(this.subset, Escapes.Html);
    if (!this.uid.isEmpty) {
      out.ascii(',"uid":');
      out.quoted(this.uid, Escapes.Html);
    }
    out.byte(0x7d);
    return out.toText();
  }
}
