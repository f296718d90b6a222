// The answer in Kubewarden's words: the whole object as it is to be, instead of a patch.

import { parse } from '../json/parse';
import { writePatch, writeValue } from '../json/patch';
import { Text } from '../json/text';
import { Writer } from '../json/writer';
import { Operation, Review } from '../review';

/** What is decided, and what could not be done because nothing can be written. */
export function writeVerdict(review: Review, out: Writer): void {
  if (review.isRefused) {
    writeRejection(review.code, review.message, out);
    out.truncate(out.length - 1);
  } else {
    out.ascii('{"accepted":true');
    const mutates = review.operation != Operation.Delete && review.object.isObject;
    if (mutates && writePatch(review.object, new Writer(1024)) > 0) {
      out.ascii(',"mutated_object":');
      writeValue(review.object, out);
    }
    warnOfEffects(review);
  }
  const audit = review.audit;
  if (audit !== null) {
    out.ascii(',"audit_annotations":');
    out.text(audit);
  }
  const warnings = review.warnings;
  if (warnings !== null) {
    out.ascii(',"warnings":[');
    for (let i = 0; i < warnings.length; i++) {
      if (i > 0) {
        out.byte(0x2c);
      }
      out.quoted(warnings[i]);
    }
    out.byte(0x5d);
  }
  out.byte(0x7d);
}

export function writeRejection(code: i32, message: Text, out: Writer): void {
  out.ascii('{"accepted":false,"code":');
  out.integer(code);
  out.ascii(',"message":');
  out.quoted(message);
  out.byte(0x7d);
}

/** Kubewarden lets policies read only: what would have to be written is said instead. */
function warnOfEffects(review: Review): void {
  const effects = review.effects;
  if (effects === null) {
    return;
  }
  for (let i = 0; i < effects.length; i++) {
    const effect = parse(effects[i]);
    const out = new Writer(200);
    out.text(effect.get('kind').text());
    out.byte(0x20);
    out.text(effect.get('namespace').text());
    out.byte(0x2f);
    out.text(effect.get('name').text());
    out.ascii(': advice only, no unit was taken: a Kubewarden policy cannot write its status');
    review.warn(out.toText());
  }
}
