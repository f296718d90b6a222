// Changes values in the text of a YAML document (JSON is YAML too) and leaves all else as it was written: comments,
// order, quotes, line breaks.

import { isMap, isScalar, isSeq, type ParsedNode, parseAllDocuments, type Scalar, type YAMLMap } from 'yaml';
import { equalJson, isObject, type Json } from '../api/core/json.ts';
import type { Segment } from './field-path.ts';

/** Replaces a part of a text. */
type Edit = { start: number; end: number; text: string };

type Node = ParsedNode | null;

/** How values are written: JSON on one line, and YAML that ends with a line feed. */
type Writer = { json(value: Json): string; yaml(value: Json): string };

export class YamlEdits {
  private readonly text: string;
  private readonly root: Node;
  private readonly writer: Writer;
  private readonly edits: Edit[] = [];

  /** The document of a text that starts at an offset. */
  constructor(text: string, offset: number, writer: Writer) {
    this.text = text;
    this.writer = writer;
    const documents = parseAllDocuments(text, { schema: 'failsafe', uniqueKeys: false, logLevel: 'silent' });
    const found = Array.isArray(documents) ? documents : [];
    this.root = found.map(({ contents }) => contents).find((contents) => contents?.range[0] === offset) ?? null;
  }

  /** What stands at the path, `before`, becomes `after`; a member that is not there is added to its object. */
  set(path: readonly Segment[], before: Json | undefined, after: Json): boolean {
    const node = this.find(path);
    if (node !== undefined && node !== null && before !== undefined) {
      this.change(node, before, after);
      return true;
    }
    const parent = this.find(path.slice(0, -1));
    const name = path.at(-1);
    if (!isMap(parent) || typeof name !== 'string') return false;
    this.add(parent as YAMLMap.Parsed, name, after);
    return true;
  }

  /** The text with all changes. */
  result(): string {
    let text = this.text;
    for (const { start, end, text: inserted } of this.edits.sort((a, b) => b.start - a.start)) {
      text = text.slice(0, start) + inserted + text.slice(end);
    }
    return text;
  }

  private find(path: readonly Segment[]): Node | undefined {
    let node: Node | undefined = this.root;
    for (const segment of path) {
      if (isMap(node)) node = pairOf(node as YAMLMap.Parsed, String(segment))?.value as Node | undefined;
      else if (isSeq(node)) node = node.items[Number(segment)] as Node | undefined;
      else return undefined;
    }
    return node;
  }

  // As little as possible: what is equal stays as it is written.
  private change(node: ParsedNode, before: Json, after: Json): void {
    if (equalJson(before, after)) return;
    if (isMap(node) && isObject(before) && isObject(after) && haveSameMembers(before, after)) {
      for (const name of Object.keys(after)) {
        const value = pairOf(node as YAMLMap.Parsed, name)?.value as Node | undefined;
        if (value) this.change(value, before[name] ?? null, after[name] ?? null);
      }
      return;
    }
    if (isSeq(node) && Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
      for (const [index, item] of node.items.entries()) {
        this.change(item as ParsedNode, before[index] ?? null, after[index] ?? null);
      }
      return;
    }
    this.replace(node, after);
  }

  private replace(node: ParsedNode, after: Json): void {
    const [valueStart, valueEnd] = node.range;
    // Nothing stands where a comment may begin: what takes its place goes right behind the key or dash.
    const start = valueStart === valueEnd ? this.text.slice(0, valueStart).replace(/ +$/, '').length : valueStart;
    const end = start + this.text.slice(start, valueEnd).trimEnd().length;
    const isFlow = this.isInFlow(node);
    const gap = this.gapBefore(node, start, after);
    const column = start - (this.text.lastIndexOf('\n', start - 1) + 1) + gap.length;
    if (isFlow || isEmptyOrScalar(after)) {
      this.edits.push({ start, end, text: gap + this.inlineText(after, isFlow, column) });
    } else if (/^[ -]*$/.test(this.text.slice(start + gap.length - column, start))) {
      this.edits.push({ start, end, text: gap + this.blockText(after, column) });
    } else {
      // A value beside its key: the block goes below it, further in than the line of the key.
      const indent = this.indentAt(start) + 2;
      const from = this.text.slice(0, start).trimEnd().length;
      this.edits.push({ start: from, end, text: `\n${' '.repeat(indent)}${this.blockText(after, indent)}` });
    }
  }

  // A list may stand right below its key, where nothing else may.
  private gapBefore(node: ParsedNode, start: number, after: Json): string {
    const isBlockList = isSeq(node) && node.flow !== true;
    if (isBlockList && !(Array.isArray(after) && after.length > 0)) return '  ';
    return /[:-]/.test(this.text[start - 1] ?? '') ? ' ' : '';
  }

  private add(map: YAMLMap.Parsed, name: string, value: Json): void {
    const last = map.items.at(-1);
    const lastNode = (last?.value ?? last?.key) as ParsedNode | undefined;
    if (lastNode === undefined || map.flow === true) {
      const [start, end] = map.range;
      const at = this.text.slice(start, end).lastIndexOf('}') + start;
      const separator = lastNode === undefined ? '' : ', ';
      this.edits.push({
        start: at,
        end: at,
        text: `${separator}${this.writer.json(name)}: ${this.writer.json(value)}`,
      });
      return;
    }
    const column = map.range[0] - (this.text.lastIndexOf('\n', map.range[0] - 1) + 1);
    const [start, valueEnd] = lastNode.range;
    const end = start + this.text.slice(start, valueEnd).trimEnd().length;
    const text = this.blockText({ [name]: value }, column);
    // What stands behind the value on its line, a comment, stays there.
    const lineEnd = this.text.indexOf('\n', end);
    const at = lineEnd < 0 ? this.text.length : lineEnd;
    this.edits.push({ start: at, end: at, text: `\n${' '.repeat(column)}${text}` });
  }

  private inlineText(value: Json, isFlow: boolean, column: number): string {
    const isOfLines = typeof value === 'string' && value.includes('\n');
    return isFlow || isOfLines ? this.writer.json(value) : this.blockText(value, column);
  }

  /** YAML whose first line stands at a column and the others below it. */
  private blockText(value: Json, column: number): string {
    const text = this.writer.yaml(value).trimEnd();
    return text.replaceAll(/\n(?=.)/g, `\n${' '.repeat(column)}`);
  }

  private isInFlow(node: ParsedNode): boolean {
    const [start] = node.range;
    return this.root !== null && flowAround(this.root, start);
  }

  private indentAt(offset: number): number {
    const line = this.text.slice(this.text.lastIndexOf('\n', offset - 1) + 1, offset);
    return /^[\s-]*/.exec(line)?.[0].length ?? 0;
  }
}

/** Is the node that starts at the offset an inner one of a flow collection? */
function flowAround(node: Node, offset: number): boolean {
  if (node === null || isScalar(node) || !(isMap(node) || isSeq(node))) return false;
  const [start, end] = node.range;
  if (offset < start || offset >= end) return false;
  if ((node as { flow?: boolean }).flow === true) return offset > start;
  const inner = isMap(node) ? node.items.map((pair) => pair.value as Node) : node.items.map((item) => item as Node);
  return inner.some((item) => flowAround(item, offset));
}

function pairOf(map: YAMLMap.Parsed, name: string): YAMLMap.Parsed['items'][number] | undefined {
  return map.items.find(({ key }) => isScalar(key) && String((key as Scalar.Parsed).source) === name);
}

function haveSameMembers(a: object, b: object): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name));
}

function isEmptyOrScalar(value: Json): boolean {
  return typeof value !== 'object' || value === null || Object.keys(value).length === 0;
}
