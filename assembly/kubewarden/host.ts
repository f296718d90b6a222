// The waPC host as the policy sees it: what it asks of the cluster, in Kubewarden's words, and what it answers with.

import { PADDING } from '../json/scan';
import { Text } from '../json/text';
import { Writer } from '../json/writer';
import {
  __guest_error,
  __guest_request,
  __guest_response,
  __host_call,
  __host_error,
  __host_error_len,
  __host_response,
  __host_response_len,
} from './wapc';

/** Turns of loops and bytes of memory for each byte that the host hands in, as in the plain module. */
const STEPS_A_BYTE: i32 = 16;

/** A call: the name of what is wanted, and the input. */
export class Call {
  readonly operation: Text;
  readonly payload: Text;

  constructor(operationLength: i32, payloadLength: i32) {
    this.operation = new Text(heap.alloc(operationLength), operationLength);
    this.payload = padded(payloadLength);
    __guest_request(this.operation.start, this.payload.start);
  }
}

export class Response {
  constructor(
    readonly isGood: bool,
    /** The response, or the error. */
    readonly text: Text,
  ) {}
}

/** One question about the cluster; `operation` is one of Kubewarden's `kubernetes` capabilities. */
export function askKubernetes(operation: string, payload: Text): Response {
  const binding = Text.of('kubewarden');
  const namespace = Text.of('kubernetes');
  const name = Text.of(operation);
  const isGood = __host_call(
    binding.start,
    binding.length,
    namespace.start,
    namespace.length,
    name.start,
    name.length,
    payload.start,
    payload.length,
  );
  const text = padded(isGood != 0 ? __host_response_len() : __host_error_len());
  if (isGood != 0) {
    __host_response(text.start);
  } else {
    __host_error(text.start);
  }
  __allow(min<i64>(<i64>__left() + <i64>text.length * STEPS_A_BYTE, i32.MAX_VALUE) as i32);
  return new Response(isGood != 0, text);
}

/** The answer to the call, and what `__guest_call` then gives. */
export function respond(out: Writer): i32 {
  const text = out.toText();
  __guest_response(text.start, text.length);
  return 1;
}

/** The call could not be understood. */
export function fail(message: Text): i32 {
  __guest_error(message.start, message.length);
  return 0;
}

function padded(length: i32): Text {
  const place = heap.alloc(length + PADDING);
  memory.fill(place + length, 0, PADDING);
  return new Text(place, length);
}
