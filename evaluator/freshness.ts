// Which version of each object is held, so that what comes late by one way does not undo what came by another: objects come
// from a watch and from the answers to writes and reads, and resourceVersions of an API server grow.

/** Removed objects that are remembered, so that an older answer does not bring them back. */
const REMOVED_MOST = 4096;

export class Freshness {
  private readonly held = new Map<string, string>();
  private readonly removed = new Map<string, string>();

  /** Notes an object of this version; false when it is not newer than what was noted. */
  isNewer(key: string, version: string): boolean {
    const known = this.held.get(key) ?? this.removed.get(key);
    if (known !== undefined && !isAfter(version, known)) return false;
    this.removed.delete(key);
    this.held.set(key, version);
    return true;
  }

  /** Forgets all versions: those that come are others'. */
  forget(): void {
    this.held.clear();
    this.removed.clear();
  }

  /** Notes that there was no such object at this version; false when a newer one is noted. Without one: by now. */
  isGone(key: string, version?: string): boolean {
    const known = this.held.get(key);
    if (version !== undefined && known !== undefined && isAfter(known, version)) return false;
    this.held.delete(key);
    this.removed.set(key, version ?? known ?? '0');
    if (this.removed.size > REMOVED_MOST) for (const [oldest] of this.removed) return this.removed.delete(oldest);
    return true;
  }
}

/** Versions that are no numbers cannot be compared: then the later to come counts. */
function isAfter(version: string, other: string): boolean {
  if (!/^\d+$/.test(version) || !/^\d+$/.test(other)) return version !== other;
  return version.length === other.length ? version > other : version.length > other.length;
}
