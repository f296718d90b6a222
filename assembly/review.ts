// One admission review: the request as views and a draft, and the verdict that the policies reach.

import { Draft } from './json/draft';
import { Text } from './json/text';
import { View } from './json/view';
import { Fact, Knowledge } from './object/fact';
import { findFact } from './store/facts';

export const enum Operation {
  Create,
  Update,
  Delete,
  Connect,
  Unknown,
}

export class Review {
  readonly request: View;
  readonly uid: Text;
  readonly operation: Operation;
  /** The object under review; edits go here. Absent on DELETE. */
  readonly object: Draft;
  readonly oldObject: View;
  /**
   * The object's namespace: its own, else the request's; may be empty. What is sent to a sub-resource is about the object
   * that the request names.
   */
  readonly namespace: Text;
  readonly hasSubResource: bool;
  /** Is the request about pods themselves, not about a sub-resource? */
  readonly isAboutPods: bool;
  /** Code of the refusal, 0 while the request is admitted. */
  code: i32 = 0;
  message: Text = Text.empty();
  /** Is the refusal a decision, and not an error? */
  isDenied: bool = false;
  /** Sentences for whoever sent the request, whatever the verdict. Like the next two lists null while it is empty. */
  warnings: Array<Text> | null = null;
  /** What the host must write before it answers, as JSON texts: only when the request is admitted. */
  effects: Array<Text> | null = null;
  /** What the API server's audit log is told: a JSON object of texts, or null. */
  audit: Text | null = null;
  /** What hosts count and log of the refusal, as a JSON text (policies/denial.ts). */
  denial: Text | null = null;
  /** Is it written even if the request is refused afterwards? */
  keepsEffects: bool = false;
  /** Questions for the host, as JSON texts. */
  questions: Array<Text> | null = null;

  constructor(
    readonly root: View,
    /** Unix time in milliseconds. */
    readonly now: i64,
  ) {
    const request = root.get('request');
    this.request = request;
    this.uid = request.get('uid').text();
    this.operation = operationOf(request.get('operation'));
    const object = request.get('object');
    this.object = changetype<Draft>(object);
    this.oldObject = request.get('oldObject');
    const own = object.get('metadata').get('namespace').text();
    const asked = request.get('namespace').text();
    const hasSubResource = !request.get('subResource').text().isEmpty;
    this.namespace = own.isEmpty || (hasSubResource && !asked.isEmpty) ? asked : own;
    this.hasSubResource = hasSubResource;
    this.isAboutPods = !this.hasSubResource && request.get('resource').get('resource').is('pods');
  }

  get isRefused(): bool {
    return this.code != 0;
  }

  /** Are there questions that the host has not been asked yet? */
  get isAsking(): bool {
    return this.questions !== null;
  }

  /** What the host knows; a question that it was not asked yet is noted, and the policy returns. */
  ask(question: Text): Fact {
    const fact = findFact(question);
    if (!fact.exists) {
      this.questions = added(this.questions, question);
      return new Fact(Knowledge.Asked, fact, Text.empty());
    }
    const error = fact.get('error');
    return new Fact(error.exists ? Knowledge.Failed : Knowledge.Known, fact.get('answer'), error.text());
  }

  /** The answer holds only once the host has written this; see object/effect.ts. Never on a dry run. */
  effect(effect: Text): void {
    this.effects = added(this.effects, effect);
  }

  warn(sentence: Text): void {
    this.warnings = added(this.warnings, sentence);
  }

  /** Ends the review as an error: the first refusal counts. */
  refuse(code: i32, message: Text): void {
    if (this.code == 0) {
      this.code = code;
      this.message = message;
    }
  }

  /** Ends the review as a decision against the request (403, reason Forbidden): the first refusal counts. */
  deny(message: Text): void {
    if (this.code == 0) {
      this.isDenied = true;
      this.refuse(403, message);
    }
  }

  /** By the request itself, its options, or those that what is sent to a sub-resource hands on. */
  get isDryRun(): bool {
    return (
      this.request.get('dryRun').isTrue ||
      !this.request.get('options').get('dryRun').isEmpty ||
      (this.hasSubResource && !this.object.get('deleteOptions').get('dryRun').isEmpty)
    );
  }

  /** Does the request create a pod, and not only one of its sub-resources? */
  get isPodCreation(): bool {
    return this.operation == Operation.Create && this.isAboutPods;
  }
}

/** Most reviews have no such list, so it is made when its first item comes. */
function added(list: Array<Text> | null, item: Text): Array<Text> {
  const items: Array<Text> = list === null ? [] : list;
  items.push(item);
  return items;
}

function operationOf(operation: View): Operation {
  if (operation.is('CREATE')) {
    return Operation.Create;
  }
  if (operation.is('UPDATE')) {
    return Operation.Update;
  }
  if (operation.is('DELETE')) {
    return Operation.Delete;
  }
  return operation.is('CONNECT') ? Operation.Connect : Operation.Unknown;
}
