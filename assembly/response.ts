// The answer to a review, as the bytes of an AdmissionReview (admission-overview.md 1).

import { writeBase64 } from './json/base64';
import { writePatch } from './json/patch';
import { Text } from './json/text';
import { View } from './json/view';
import { Escapes, Writer } from './json/writer';
import { Review } from './review';

/** The answer when the request is admitted as it is, with the draft's patch, or refused. */
export function writeAnswer(review: Review, out: Writer): void {
  if (review.isRefused) {
    begin(review.root, review.uid, false, out);
    writeStatus(review.code, review.message, review.isDenied, out);
  } else {
    begin(review.root, review.uid, true, out);
    const patch = new Writer(8192);
    if (review.object.isObject && writePatch(review.object, patch) > 0) {
      out.ascii(',"patchType":"JSONPatch","patch":"');
      writeBase64(patch.toText(), out);
      out.byte(0x22);
    }
    out.ascii(',"status":{"code":200}');
  }
  const audit = review.audit;
  if (audit !== null) {
    out.ascii(',"auditAnnotations":');
    out.text(audit);
  }
  writeWarnings(review.warnings, out);
  out.ascii('}}');
}

/** The answer when nothing could be decided; `root` may be `none` when nothing could be read. */
export function writeRefusal(root: View, uid: Text, code: i32, message: Text, out: Writer): void {
  begin(root, uid, false, out);
  writeStatus(code, message, false, out);
  out.ascii('}}');
}

function begin(root: View, uid: Text, allowed: bool, out: Writer): void {
  out.ascii('{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/');
  out.ascii(root.get('apiVersion').is('admission.k8s.io/v1beta1') ? 'v1beta1' : 'v1');
  out.ascii('","response":{"uid":');
  out.quoted(uid);
  out.ascii(allowed ? ',"allowed":true' : ',"allowed":false');
}

function writeStatus(code: i32, message: Text, isDenied: bool, out: Writer): void {
  out.ascii(',"status":{"code":');
  out.integer(code);
  if (isDenied) {
    out.ascii(',"reason":"Forbidden"');
  }
  out.ascii(',"message":');
  out.quoted(message, Escapes.Least);
  out.byte(0x7d);
}

function writeWarnings(warnings: Array<Text> | null, out: Writer): void {
  if (warnings === null) {
    return;
  }
  for (let i = 0; i < warnings.length; i++) {
    out.ascii(i == 0 ? ',"warnings":[' : ',');
    out.quoted(warnings[i]);
  }
  out.byte(0x5d);
}
