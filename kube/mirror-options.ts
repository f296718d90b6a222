// What a mirror is made of, the times it keeps, and what it counts.

import type { Logger } from '../component/logger.ts';
import type { Client } from './client.ts';
import type { ListTurns } from './mirror-waits.ts';
import type { KubeObject } from './objects.ts';
import type { IndexKeys } from './reader.ts';
import type { Resource } from './resource.ts';

type Selection = {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
};

export type MirrorOptions = {
  readonly client: Pick<Client, 'list' | 'watch'>;
  readonly resource: Resource;
  readonly selection?: Selection;
  readonly indexes?: Readonly<Record<string, IndexKeys>>;
  /** Takes out what no reader of this resource needs; `managedFields` go in any case. */
  readonly trim?: (object: KubeObject) => KubeObject;
  /**
   * The object in the form in which it is kept, or why it is left out, as if it were not there. Pure. It has the version
   * of the resource; one that cannot be converted into that is left out before.
   */
  readonly read?: (object: KubeObject) => KubeObject | string;
  /** Called for an object that is left out, and when the reason for that changes. */
  readonly onLeftOut?: (object: KubeObject, reason: string) => void;
  readonly logger: Logger;
  readonly random: () => number;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonic: () => number;
  readonly times?: Partial<MirrorTimes>;
  /** Those who have it in common read everything again one after another; each has its own by default. */
  readonly turns?: ListTurns;
  /**
   * Called when the API server cannot be followed any more, or lets nobody read the resource, and when the reason for
   * that changes.
   */
  readonly onProblem?: (resource: Resource, reason: string) => void;
};

/** All in milliseconds. */
export type MirrorTimes = {
  /** The API server ends a watch after this, and says before that how far it is. */
  watchMs: number;
  /** A watch on which nothing came for this long is broken, whatever the connection says. */
  silenceMs: number;
  /** Between two lists, and at most after a first failure; with each that follows it doubles. */
  leastWaitMs: number;
  /** At most after many failures. */
  mostWaitMs: number;
  /** Between two lists of a resource that cannot be followed. */
  pollMs: number;
  /** After this an own version that could not be read is tried again. */
  returnMs: number;
};

/** How objects are read that the API server cannot convert. */
export type Detour = {
  /** What it said. */
  readonly reason: string;
  /** The version that is read and followed; undefined where no version has all of them, and all are read now and then. */
  readonly version: string | undefined;
};

/** What happened to a mirror so far. */
export type MirrorCounts = {
  lists: number;
  watches: number;
  events: number;
  damagedFrames: number;
  silences: number;
  expirations: number;
  failures: number;
};
