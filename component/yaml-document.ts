// Reads YAML text as kubectl and the API server's tools do: plain scalars by the rules of YAML 1.1 that Go's reader
// keeps (`0644` is octal, `yes` is a boolean, dates stay text), merge keys, several documents. Exact integers are kept.

import {
  Composer,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type ParsedNode,
  Parser,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { isNumber, isObject, type Json, type JsonObject, setMember } from '../api/core/json.ts';
import { formatFieldPath, type Segment } from './field-path.ts';
import { resolvePlain } from './plain-scalar.ts';
import { MAX_DEPTH, type TextDocument, TextError } from './text-document.ts';

/** Nodes that aliases may add to one document: a bomb is refused before it takes memory. */
const MAX_ALIASED_NODES = 100_000;

type Node = ParsedNode | null;
type Token = ReturnType<Parser['parse']> extends Iterable<infer T> ? T : never;

// What YAML does not take for text, the byte order mark of the start aside.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;

/** The documents of a text; those that hold nothing are left out. Throws TextError. */
export function readYaml(text: string): TextDocument[] {
  const control = text.search(CONTROL);
  if (control >= 0)
    throw new TextError('control characters are not allowed; in double quotes they can be escaped', control);
  const composer = new Composer({ schema: 'failsafe', uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
  const documents: TextDocument[] = [];
  const add = (composed: ReturnType<Composer['next']>): void => {
    for (const document of composed) {
      const problem = document.errors[0] ?? document.warnings[0];
      if (problem !== undefined) throw new TextError(wording(problem.message), problem.pos[0]);
      const read = new DocumentReader(document.contents).read();
      if (read !== undefined) documents.push(read);
    }
  };
  for (const token of new Parser().parse(text)) {
    refuseDeepNesting(token);
    add(composer.next(token));
  }
  add(composer.end());
  return documents;
}

class DocumentReader {
  readonly #root: Node;
  readonly #anchors = new Map<string, Node>();
  readonly #targets = new Map<Node, Node>();
  readonly #path: Segment[] = [];
  /** What aliases stand for, from the outermost one that is being read to the innermost. */
  readonly #open = new Set<Node>();
  #aliasedNodes = 0;

  constructor(root: Node) {
    this.#root = root;
  }

  read(): TextDocument | undefined {
    const root = this.#root;
    if (root === null || (isScalar(root) && root.source === '' && root.type === 'PLAIN')) return undefined;
    const value = this.#value(root, root.range[0]);
    return { value, offset: root.range[0], locate: (segments) => this.#locate(root, segments) };
  }

  #value(node: Node, parentOffset: number): Json {
    if (node === null) return null;
    const offset = node.range[0];
    if (this.#open.size > 0 && ++this.#aliasedNodes > MAX_ALIASED_NODES) {
      throw this.#error(`aliases stand for more than ${MAX_ALIASED_NODES} nodes`, offset);
    }
    if (this.#path.length > MAX_DEPTH) throw this.#error(`nested deeper than ${MAX_DEPTH} levels`, parentOffset);
    if (isAlias(node)) return this.#aliased(node);
    if (node.anchor !== undefined && this.#open.size === 0) this.#anchors.set(node.anchor, node);
    if (isMap(node)) return this.#object(node);
    if (isSeq(node)) {
      return node.items.map((item, index) => this.#inside(index, () => this.#value(item as Node, offset)));
    }
    return this.#scalar(node as Scalar.Parsed);
  }

  #aliased(alias: Node & { source: string }): Json {
    const target = this.#targets.get(alias) ?? this.#anchors.get(alias.source);
    if (target === undefined) throw this.#error(`alias *${alias.source} has no anchor before it`, alias.range[0]);
    this.#targets.set(alias, target);
    if (this.#open.has(target)) throw this.#error(`alias *${alias.source} is inside its own anchor`, alias.range[0]);
    this.#open.add(target);
    const value = this.#value(target, alias.range[0]);
    this.#open.delete(target);
    return value;
  }

  #object(map: YAMLMap): JsonObject {
    const object: JsonObject = {};
    const own = new Set<string>();
    const merged: Json[] = [];
    for (const pair of map.items) {
      const key = pair.key as Node;
      const name = this.#name(key, map.range?.[0] ?? 0);
      const at = key?.range[0] ?? map.range?.[0] ?? 0;
      if (own.has(name)) throw this.#inside(name, () => this.#error('duplicate key', at));
      own.add(name);
      const value = this.#inside(name, () => this.#value(pair.value as Node, at));
      if (name === '<<' && isPlain(key)) merged.push(...(Array.isArray(value) ? value : [value]));
      else setMember(object, name, value);
      if (name === '<<' && isPlain(key) && !merged.every(isObject)) {
        throw this.#error('expected a mapping, or a list of mappings, to merge', at);
      }
    }
    for (const source of merged) addMissing(object, source as JsonObject);
    return object;
  }

  #name(key: Node, offset: number): string {
    if (isAlias(key)) return this.#text(this.#aliased(key), key.range[0]);
    if (!isScalar(key)) throw this.#error('expected text as key', key?.range[0] ?? offset);
    if (key.anchor !== undefined) this.#anchors.set(key.anchor, key);
    return this.#text(this.#scalar(key), key.range[0]);
  }

  #text(value: Json, offset: number): string {
    if (value === null || typeof value === 'object') throw this.#error('expected text as key', offset);
    return String(value);
  }

  #scalar(node: Scalar.Parsed): Json {
    const tag = node.tag?.replace('tag:yaml.org,2002:', '');
    if (tag === undefined && !isPlain(node)) return String(node.value);
    if (tag === 'str') return node.source;
    const value = resolvePlain(node.source);
    if (value === undefined) throw this.#error(`${node.source} is no number that JSON has`, node.range[0]);
    if (tag !== undefined && !matchesTag(tag, value)) {
      throw this.#error(`${node.source} is no value of tag !!${tag}`, node.range[0]);
    }
    return value;
  }

  #inside<T>(segment: Segment, read: () => T): T {
    this.#path.push(segment);
    const result = read();
    this.#path.pop();
    return result;
  }

  #error(message: string, offset: number): TextError {
    return new TextError(message, offset, formatFieldPath(this.#path));
  }

  #locate(root: ParsedNode, segments: readonly Segment[]): number {
    let offset = root.range[0];
    let node: Node = root;
    for (const segment of segments) {
      if (isAlias(node)) node = this.#targets.get(node) ?? null;
      const next: unknown = isMap(node)
        ? memberOf(node, String(segment))
        : isSeq(node)
          ? node.items[Number(segment)]
          : undefined;
      if (next === undefined) break;
      const { key, value } = isPair(next) ? (next as { key: Node; value: Node }) : { key: null, value: next as Node };
      offset = (key ?? value)?.range[0] ?? offset;
      node = value;
    }
    return offset;
  }
}

function matchesTag(tag: string, value: Json): boolean {
  if (tag === 'null') return value === null;
  if (tag === 'bool') return typeof value === 'boolean';
  if (tag === 'int' || tag === 'float') return isNumber(value);
  return false;
}

function isPlain(node: Node): boolean {
  return isScalar(node) && node.type === 'PLAIN';
}

function addMissing(object: JsonObject, source: JsonObject): void {
  for (const [name, value] of Object.entries(source)) {
    if (!Object.hasOwn(object, name)) setMember(object, name, value);
  }
}

function memberOf(map: YAMLMap, name: string): YAMLMap['items'][number] | undefined {
  return map.items.find((pair) => isScalar(pair.key) && String((pair.key as Scalar.Parsed).source) === name);
}

// The library composes recursively; its tokens are built without recursion, so the depth is looked at there first.
function refuseDeepNesting(root: Token): void {
  const stack: { token: unknown; depth: number }[] = [{ token: root, depth: 0 }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const token = top.token as {
      type: string;
      offset: number;
      value?: unknown;
      items?: { key?: unknown; value?: unknown }[];
    };
    if (top.depth > 2 * MAX_DEPTH) throw new TextError(`nested deeper than ${MAX_DEPTH} levels`, token.offset);
    if (typeof token.value === 'object' && token.value !== null)
      stack.push({ token: token.value, depth: top.depth + 1 });
    for (const item of token.items ?? []) {
      if (item.key) stack.push({ token: item.key, depth: top.depth + 1 });
      if (item.value) stack.push({ token: item.value, depth: top.depth + 1 });
    }
  }
}

function wording(message: string): string {
  return message.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
}
