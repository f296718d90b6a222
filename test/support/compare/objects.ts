// Compares two Kubernetes objects by the rules of test/corpus/README.md.
import { isObject, type Json, type JsonObject } from '../../../api/core/json.ts';
import { type Difference, print, truth } from './difference.ts';
import { compareJsonText } from './json-text.ts';
import { Placeholders } from './placeholders.ts';
import { isQuantityPlace, isSameQuantity } from './quantity.ts';
import { alignUnordered } from './unordered.ts';

export type Comparing = {
  /** Pointer of the object, from the expectation on: `/object`. Pointers in `volatile` start there too. */
  root: string;
  volatile: readonly string[];
  placeholders: Placeholders;
  /** Set if what was added to the pod may stand in any order: the pod as it was asked about. */
  unorderedExcept?: JsonObject;
  /** Whether zero counters of `status` count as absent (conversions). */
  withoutZeroCounters?: boolean;
};

/** All differences of `got` from `expected`. */
export function compareObjects(expected: JsonObject, got: Json | undefined, comparing: Comparing): Difference[] {
  if (!isObject(got)) return truth(comparing.root, expected, got);
  const aligned =
    comparing.unorderedExcept === undefined ? got : alignUnordered(expected, got, comparing.unorderedExcept);
  return new Walk(comparing).compare(comparing.root, expected, aligned);
}

// Empty objects of these names appear when an object is decoded into types and written again.
const TYPED_EMPTIES = new Set([
  'resources',
  'strategy',
  'scaleStrategy',
  'updateStrategy',
  'upgradeStrategy',
  'shareVolumePolicy',
  'injectionStrategy',
  'scheduleStrategy',
  'nodeSelectorTerm',
]);

class Walk {
  readonly #comparing: Comparing;
  readonly #status: string;

  constructor(comparing: Comparing) {
    this.#comparing = comparing;
    this.#status = `${comparing.root}/status`;
  }

  compare(pointer: string, expected: Json | undefined, got: Json | undefined): Difference[] {
    const { volatile, placeholders } = this.#comparing;
    if (volatile.includes(pointer)) return this.#compareVolatile(pointer, expected, got);
    const named = volatile.find((entry) => entry.startsWith(`${pointer}#`));
    if (named !== undefined && typeof expected === 'string') {
      return compareJsonText({ pointer, name: named.slice(pointer.length + 1) }, expected, got, placeholders);
    }
    if (isObject(expected) && isObject(got)) return this.#compareMembers(pointer, expected, got);
    if (Array.isArray(expected) && Array.isArray(got)) return this.#compareItems(pointer, expected, got);
    if (Placeholders.has(expected) && placeholders.matches(expected, got)) return [];
    if (isQuantityPlace(pointer) && isSameQuantity(expected, got)) return [];
    return truth(pointer, expected, got);
  }

  #compareVolatile(pointer: string, expected: Json | undefined, got: Json | undefined): Difference[] {
    if (!Placeholders.has(expected)) return [];
    return this.#comparing.placeholders.matches(expected, got) ? [] : truth(pointer, expected, got);
  }

  #compareMembers(pointer: string, expected: JsonObject, got: JsonObject): Difference[] {
    const wanted = this.#significant(pointer, expected);
    const found = this.#significant(pointer, got);
    const differences: Difference[] = [];
    for (const [name, value] of wanted) {
      const actual = found.has(name) ? name : this.#fillIn(name, wanted, found);
      differences.push(...this.compare(child(pointer, name), value, found.get(actual)));
      found.delete(actual);
    }
    for (const [name, value] of found) {
      if (!this.#comparing.volatile.includes(child(pointer, name))) {
        differences.push(...truth(child(pointer, name), undefined, value));
      }
    }
    return differences;
  }

  /** A member name may be a placeholder itself: the name that stands for it, else the name unchanged. */
  #fillIn(name: string, wanted: ReadonlyMap<string, Json>, found: ReadonlyMap<string, Json>): string {
    if (!Placeholders.has(name)) return name;
    return (
      [...found.keys()].find((other) => !wanted.has(other) && this.#comparing.placeholders.matches(name, other)) ?? name
    );
  }

  #compareItems(pointer: string, expected: readonly Json[], got: readonly Json[]): Difference[] {
    if (expected.length !== got.length) {
      return [{ pointer, expected: outline(expected), got: outline(got) }];
    }
    return expected.flatMap((item, index) => this.compare(`${pointer}/${index}`, item, got[index]));
  }

  /** The members that count: neither null, nor an empty of the types, nor a status of zeros. */
  #significant(pointer: string, object: JsonObject): Map<string, Json> {
    const members = Object.entries(object).filter(([name, value]) => {
      if (value === null) return false;
      if (TYPED_EMPTIES.has(name) && isEmpty(value)) return false;
      if (child(pointer, name) === this.#status && isObject(value)) return !Object.values(value).every(isZero);
      return !(this.#comparing.withoutZeroCounters && pointer === this.#status && value === 0);
    });
    return new Map(members);
  }
}

function child(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A list by the names of its items where they have some, so that a missing one is seen at once. */
function outline(items: readonly Json[]): string {
  const names = items.map((item) => (isObject(item) ? (item.name ?? item.mountPath ?? item.key) : undefined));
  if (names.length === 0 || names.includes(undefined)) return `${items.length} items ${print(items)}`;
  return `${items.length} items ${names.join(', ')}`;
}

function isEmpty(value: Json): boolean {
  return isObject(value) && Object.values(value).every((member) => member === null);
}

function isZero(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === null || value === 0 || value === '' || isEmpty(value);
}
