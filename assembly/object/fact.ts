// Questions about the cluster that a policy puts to the host, and what came back.

import { Text } from '../json/text';
import { View } from '../json/view';
import { Writer } from '../json/writer';

export const enum Knowledge {
  /** The host has to be asked: the policy returns and is called again. */
  Asked,
  /** There is an answer; for an object that does not exist it is null. */
  Known,
  /** The host could not find out. */
  Failed,
}

/** A count that is not known. */
export const NO_COUNT: i64 = -1;

export class Fact {
  constructor(
    readonly knowledge: Knowledge,
    /** The object, or the answer to a list question. */
    readonly answer: View,
    /** Why the host failed. */
    readonly error: Text,
  ) {}

  /** The answer to a count question; `NO_COUNT` while it is asked, when the host failed, and for what is no count. */
  get count(): i64 {
    return this.knowledge == Knowledge.Known ? this.answer.get('count').integer(NO_COUNT) : NO_COUNT;
  }
}

/** Asks for one object: answered by the object, or by null when there is none. */
export function getQuestion(apiVersion: Text, kind: Text, namespace: Text, name: Text): Text {
  const out = new Writer(160);
  out.ascii('{"get":{"apiVersion":');
  out.quoted(apiVersion);
  out.ascii(',"kind":');
  out.quoted(kind);
  if (!namespace.isEmpty) {
    out.ascii(',"namespace":');
    out.quoted(namespace);
  }
  out.ascii(',"name":');
  out.quoted(name);
  out.ascii('}}');
  return out.toText();
}

/**
 * Asks how many objects there are: answered by `{"count":3,"names":["a","b","c"]}`. `where` is one word: `active` (pods
 * neither finished nor being deleted), `bound` (claims that are bound and not being deleted), `live` (not being deleted).
 * The host stops counting at `limit`.
 */
export function countQuestion(apiVersion: Text, kind: Text, namespace: Text, where: string, limit: i32): Text {
  const out = new Writer(160);
  out.ascii('{"count":{"apiVersion":');
  out.quoted(apiVersion);
  out.ascii(',"kind":');
  out.quoted(kind);
  if (!namespace.isEmpty) {
    out.ascii(',"namespace":');
    out.quoted(namespace);
  }
  out.ascii(',"where":');
  out.quotedAscii(where);
  out.ascii(',"limit":');
  out.integer(limit);
  out.ascii('}}');
  return out.toText();
}
