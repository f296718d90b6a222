// The objects of one mirror: packed, by name, by namespace and by the mirror's indexes. Knows nothing of the API server.

import { type KubeObject, keyOf, type ObjectReference } from './objects.ts';
import { type Packed, Packer } from './packed.ts';
import { type IndexKeys, NAMESPACE_INDEX, type Stored } from './reader.ts';
import { RecentObjects } from './recent-objects.ts';

/**
 * A change of one object: added has no `old`, deleted no `new`; there `old` is the last that was seen of it. The objects
 * are read from what is kept when they are asked for.
 */
export type StoredChange = { readonly old: KubeObject | undefined; readonly new: KubeObject | undefined };

/** Text of objects that stay decoded while they are read, in characters: some 6,000 pods. */
const DECODED_CHARACTERS = 32 * 1024 * 1024;

type Bucket = { readonly position: number; readonly key: string; readonly entries: Set<Entry> };
const NO_KEYS: readonly (readonly string[])[] = [];
const NO_BUCKETS: readonly Bucket[] = [];
const NO_ENTRIES: ReadonlySet<Entry> = new Set();

type EntryParts = Pick<Entry, 'key' | 'uid' | 'version' | 'packed' | 'keys'>;

class Entry implements Stored {
  [found: symbol]: unknown;
  readonly key: string;
  readonly uid: string;
  readonly version: string;
  readonly packed: Packed;
  /** Its keys in each index until it is listed there, and then the buckets that it is in. */
  keys: readonly (readonly string[])[];
  buckets: readonly Bucket[] = NO_BUCKETS;
  readonly #reading: (entry: Entry) => KubeObject;

  constructor({ key, uid, version, packed, keys }: EntryParts, reading: (entry: Entry) => KubeObject) {
    this.key = key;
    this.uid = uid;
    this.version = version;
    this.packed = packed;
    this.keys = keys;
    this.#reading = reading;
  }

  read(): KubeObject {
    return this.#reading(this);
  }
}

export class Store {
  readonly #indexes: readonly [string, IndexKeys][];
  readonly #buckets: readonly Map<string, Bucket>[];
  readonly #positions: ReadonlyMap<string, number>;
  readonly #trim: (object: KubeObject) => KubeObject;
  #entries = new Map<string, Entry>();
  #packer: Packer | undefined;
  readonly #decoded = new RecentObjects<Entry>(DECODED_CHARACTERS);
  readonly #reading = (entry: Entry): KubeObject => this.#read(entry);

  /** `trim` takes out what nobody reads; it must not change what it is given. */
  constructor(indexes: Readonly<Record<string, IndexKeys>>, trim: (object: KubeObject) => KubeObject) {
    this.#indexes = [[NAMESPACE_INDEX, namespaceKeys], ...Object.entries(indexes)];
    this.#positions = new Map(this.#indexes.map(([name], position) => [name, position]));
    this.#buckets = this.#indexes.map(() => new Map());
    this.#trim = trim;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(reference: ObjectReference): KubeObject | undefined {
    const entry = this.#entries.get(keyOf(reference));
    return entry === undefined ? undefined : this.#read(entry);
  }

  /** All objects, or those of one namespace. */
  list(namespace: string | undefined): readonly KubeObject[] {
    if (namespace !== undefined) return this.indexed(NAMESPACE_INDEX, namespace);
    return Array.from(this.#entries.values(), (entry) => this.#read(entry));
  }

  /** Throws an Error for an index that the store has not. */
  indexed(index: string, key: string): readonly KubeObject[] {
    return Array.from(this.#listed(index, key), (entry) => this.#read(entry));
  }

  /** As `indexed`, without reading any of them. */
  stored(index: string, key: string): readonly Stored[] {
    return [...this.#listed(index, key)];
  }

  /** How many they are. */
  count(index: string, key: string): number {
    return this.#listed(index, key).size;
  }

  /** All names at this time. */
  keys(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** As `get`, by the key of a reference, for one who reads all objects once: it is not kept for the next reader. */
  at(key: string): KubeObject | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined ? undefined : (this.#decoded.get(entry) ?? this.#unpack(entry).object);
  }

  /** Takes an object over. An object of the same name and another uid was deleted before: that is a change of its own. */
  put(object: KubeObject): readonly StoredChange[] {
    const entry = this.#pack(object, true);
    return this.#set(entry);
  }

  /** Forgets the object; `last` is what it was in the end. */
  remove(last: KubeObject): readonly StoredChange[] {
    const key = keyOf(last.metadata);
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.uid !== last.metadata.uid) return [];
    this.#unset(entry);
    return [{ old: this.#trim(last), new: undefined }];
  }

  /** Forgets what has this name, as it was last put. */
  drop(reference: ObjectReference): readonly StoredChange[] {
    const entry = this.#entries.get(keyOf(reference));
    return entry === undefined ? [] : [changeOf(this.#unset(entry), undefined)];
  }

  /** Begins a new set of objects. The present one stays until `finish`. */
  replace(): Replacement {
    const next = new Map<string, Entry>();
    return {
      add: (objects) => {
        this.#learn(objects);
        for (const object of objects) {
          const known = this.#entries.get(keyOf(object.metadata));
          const same = known?.version === object.metadata.resourceVersion && known.uid === object.metadata.uid;
          const entry = same ? known : this.#pack(object, false);
          next.set(entry.key, entry);
        }
      },
      finish: () => {
        const changes: StoredChange[] = [];
        for (const [key, entry] of this.#entries) {
          if (next.has(key)) continue;
          changes.push(changeOf(this.#unset(entry), undefined));
        }
        for (const [key, entry] of next) {
          if (this.#entries.get(key) !== entry) changes.push(...this.#set(entry));
        }
        return changes;
      },
    };
  }

  #listed(index: string, key: string): ReadonlySet<Entry> {
    const position = this.#positions.get(index);
    if (position === undefined) throw new Error(`no index is called ${index}`);
    return this.#buckets[position]?.get(key)?.entries ?? NO_ENTRIES;
  }

  #set(entry: Entry): readonly StoredChange[] {
    const known = this.#entries.get(entry.key);
    const old = known === undefined ? undefined : this.#unset(known);
    this.#entries.set(entry.key, entry);
    this.#enlist(entry);
    const next = () => this.#read(entry);
    if (known === undefined || known.uid === entry.uid) return [changeOf(old, next)];
    return [changeOf(old, undefined), changeOf(undefined, next)];
  }

  // Returns how the object that was there can be read after all.
  #unset(entry: Entry): () => KubeObject {
    const decoded = this.#decoded.take(entry);
    this.#entries.delete(entry.key);
    for (const bucket of entry.buckets) {
      bucket.entries.delete(entry);
      // Else names that were used once would stay for ever.
      if (bucket.entries.size === 0) this.#buckets[bucket.position]?.delete(bucket.key);
    }
    return () => decoded ?? this.#unpack(entry).object;
  }

  #enlist(entry: Entry): void {
    const buckets: Bucket[] = [];
    entry.keys.forEach((keys, position) => {
      for (const key of keys) buckets.push(this.#bucket(position, key));
    });
    for (const bucket of buckets) bucket.entries.add(entry);
    entry.buckets = buckets;
    entry.keys = NO_KEYS;
  }

  #pack(object: KubeObject, keep: boolean): Entry {
    const trimmed = this.#trim(object);
    const { metadata } = trimmed;
    const text = JSON.stringify(trimmed);
    this.#packer ??= new Packer([text]);
    const parts: EntryParts = {
      key: keyOf(metadata),
      uid: metadata.uid,
      version: metadata.resourceVersion,
      packed: this.#packer.pack(text),
      keys: this.#indexes.map(([, keysOf]) => keysOf(trimmed)),
    };
    const entry = new Entry(parts, this.#reading);
    if (keep) this.#decoded.put(entry, { object: trimmed, characters: text.length });
    return entry;
  }

  #bucket(position: number, key: string): Bucket {
    const buckets = this.#buckets[position] ?? new Map<string, Bucket>();
    const known = buckets.get(key);
    if (known !== undefined) return known;
    const bucket = { position, key, entries: new Set<Entry>() };
    buckets.set(key, bucket);
    return bucket;
  }

  #learn(objects: readonly KubeObject[]): void {
    if (this.#packer !== undefined || objects.length === 0) return;
    const picked = [objects[0], objects[objects.length >> 1]].filter((object) => object !== undefined);
    this.#packer = new Packer(picked.map((object) => JSON.stringify(this.#trim(object))));
  }

  #read(entry: Entry): KubeObject {
    const known = this.#decoded.get(entry);
    if (known !== undefined) return known;
    const unpacked = this.#unpack(entry);
    // What is not stored any more is read by who was told of it, and by nobody else.
    if (this.#entries.get(entry.key) === entry) this.#decoded.put(entry, unpacked);
    return unpacked.object;
  }

  #unpack({ packed }: Entry): { object: KubeObject; characters: number } {
    if (this.#packer === undefined) throw new Error('an entry without a packer');
    return this.#packer.unpack(packed);
  }
}

/** A set of objects that is being read; `finish` puts it in place of the present one and says what that changed. */
export type Replacement = {
  add(objects: readonly KubeObject[]): void;
  finish(): readonly StoredChange[];
};

// Objects are unpacked once, and only if somebody asks.
function changeOf(old: (() => KubeObject) | undefined, next: (() => KubeObject) | undefined): StoredChange {
  let [readOld, readNext]: [KubeObject | undefined, KubeObject | undefined] = [undefined, undefined];
  return {
    get old() {
      readOld ??= old?.();
      return readOld;
    },
    get new() {
      readNext ??= next?.();
      return readNext;
    },
  };
}

const namespaceKeys: IndexKeys = ({ metadata }) => [metadata.namespace ?? ''];
