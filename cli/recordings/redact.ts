// Takes out of objects and requests what must not leave a cluster, so that the same decisions are still made: equal values
// become equal words, references to variables stay, and what the policies themselves read is kept.

import { isObject, type Json, type JsonObject, parseJson, setMember } from '../../api/core/json.ts';
import { KRUISE_CONFIGURATION } from '../../api/names.ts';

/** `$(NAME)` in values, commands and arguments: policies follow it. */
const REFERENCE = /(\$\([^()]*\))/;

/** Variables that the policies read or write themselves. */
const KEPT_VARIABLE = /^(?:KRUISE_|SIDECARSET_|IS_INJECTED$)/;

/** Annotations of the groups that the policies know. */
const KEPT_ANNOTATION = /(?:^|\.)kruise\.io\//;

/** Gives each value one word, the same for equal values. */
export class Redaction {
  private readonly words = new Map<string, string>();

  /** A copy without: values of variables and HTTP headers, commands and arguments, content of Secrets and ConfigMaps,
   * annotations of others, managed fields, and who users are. Names, labels, images and structure stay. */
  object(given: JsonObject): JsonObject {
    return this.copy(given) as JsonObject;
  }

  private copy(value: Json): Json {
    if (Array.isArray(value)) return value.map((item) => this.copy(item));
    if (!isObject(value)) return value;
    const isSecret = value.kind === 'Secret';
    const isContent = isSecret || (value.kind === 'ConfigMap' && !isConfiguration(value));
    const copy: JsonObject = {};
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'managedFields') continue;
      const redacted =
        isContent && CONTENT.has(name)
          ? this.all(inner, name === 'binaryData' || (name === 'data' && isSecret))
          : this.member(name, inner);
      setMember(copy, name, redacted);
    }
    return copy;
  }

  private member(name: string, value: Json): Json {
    if ((name === 'env' || name === 'httpHeaders') && Array.isArray(value)) return value.map((one) => this.pair(one));
    if ((name === 'command' || name === 'args') && isTexts(value)) return value.map((text) => this.text(text));
    if (name === 'annotations' && isObject(value)) return this.annotations(value);
    if (name === 'userInfo' && isObject(value)) return this.user(value);
    return this.copy(value);
  }

  private pair(pair: Json): Json {
    if (!isObject(pair) || typeof pair.value !== 'string') return this.copy(pair);
    const isKept = typeof pair.name === 'string' && KEPT_VARIABLE.test(pair.name);
    return isKept ? pair : { ...pair, value: this.text(pair.value) };
  }

  private annotations(annotations: JsonObject): JsonObject {
    const copy: JsonObject = {};
    for (const [name, value] of Object.entries(annotations)) {
      const isKept = KEPT_ANNOTATION.test(name) || typeof value !== 'string';
      setMember(copy, name, isKept ? value : this.document(value));
    }
    return copy;
  }

  // Text that is JSON stays JSON: some policies merge it.
  private document(text: string): string {
    try {
      const value = parseJson(text);
      return typeof value === 'object' && value !== null ? JSON.stringify(this.all(value, false)) : this.text(text);
    } catch {
      return this.text(text);
    }
  }

  /** All texts in a value; the content of a Secret stays base64. */
  private all(value: Json, isBase64: boolean): Json {
    if (typeof value === 'string')
      return isBase64 ? Buffer.from(this.text(value)).toString('base64') : this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.all(item, isBase64));
    if (!isObject(value)) return value;
    const copy: JsonObject = {};
    for (const [name, inner] of Object.entries(value)) setMember(copy, name, this.all(inner, isBase64));
    return copy;
  }

  // Names of the system are decided by, those of people are not.
  private user(user: JsonObject): JsonObject {
    const { username } = user;
    const isSystem = typeof username === 'string' && username.startsWith('system:');
    const name = typeof username === 'string' && !isSystem ? this.text(username) : (username ?? null);
    const groups = Array.isArray(user.groups) ? user.groups : [];
    const known = groups.filter((group) => typeof group === 'string' && group.startsWith('system:'));
    return { username: name, groups: known };
  }

  private text(text: string): string {
    return text
      .split(REFERENCE)
      .map((part, index) => (index % 2 === 1 || part === '' ? part : this.word(part)))
      .join('');
  }

  private word(text: string): string {
    const word = this.words.get(text) ?? `redacted-${this.words.size + 1}`;
    this.words.set(text, word);
    return word;
  }
}

const CONTENT: ReadonlySet<string> = new Set(['data', 'stringData', 'binaryData']);

function isConfiguration({ metadata }: JsonObject): boolean {
  return isObject(metadata) && metadata.name === KRUISE_CONFIGURATION;
}

function isTexts(value: Json): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
