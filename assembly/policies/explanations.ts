// What policies say about a pod when they are asked why: a JSON array, one object for each policy object or feature.

import { Text } from '../json/text';
import { Writer } from '../json/writer';

export class Explanations {
  private count: i32 = 0;

  constructor(readonly out: Writer) {
    out.byte(0x5b);
  }

  /** Begins the explanation of a policy object, or of a feature of the pod itself. */
  about(kind: string, namespace: Text, name: Text): Explanation {
    const out = this.out;
    if (this.count > 0) {
      out.byte(0x2c);
    }
    this.count++;
    out.ascii('{"kind":');
    out.quotedAscii(kind);
    if (!namespace.isEmpty) {
      out.ascii(',"namespace":');
      out.quoted(namespace);
    }
    out.ascii(',"name":');
    out.quoted(name);
    return new Explanation(out);
  }

  end(): void {
    this.out.byte(0x5d);
  }
}

/** Must be ended by `yes` or `no`, once. `reason` is one word for machines; `message` and `detail` are one sentence. */
export class Explanation {
  constructor(private readonly out: Writer) {}

  /** It acts on the pod. */
  yes(reason: string, message: string, detail: Text = Text.empty()): void {
    this.end(',"matched":true', reason, message, detail);
  }

  /** It does not act on the pod. */
  no(reason: string, message: string, detail: Text = Text.empty()): void {
    this.end(',"matched":false', reason, message, detail);
  }

  private end(matched: string, reason: string, message: string, detail: Text): void {
    const out = this.out;
    out.ascii(matched);
    out.ascii(',"reason":');
    out.quotedAscii(reason);
    out.ascii(',"message":"');
    out.ascii(message);
    out.escaped(detail);
    out.ascii('"}');
  }
}
