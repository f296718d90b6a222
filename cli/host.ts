// What the command needs of the world around it: streams, environment, clock, evaluator. main.ts gives the process's
// own; tests give stand-ins.

import type { JsonObject } from '../api/core/json.ts';
import type { Gates } from '../api/gates.ts';
import type { Kind } from '../api/kinds/kind.ts';
import type { Environment, FlagTable } from '../component/flags.ts';
import type { Creation } from '../evaluator/creations.ts';
import type { LoadOptions } from '../evaluator/webhooks.ts';
import type { Admission } from './admission.ts';
import type { Cluster } from './cluster.ts';
import type { ClusterChoice } from './connect.ts';

/** Where text goes. */
export type Sink = {
  write(text: string): void;
  isTerminal: boolean;
  /** The width of the terminal in characters; undefined if there is none. */
  columns: number | undefined;
};

/** What decisions depend on besides the objects. */
export type Settings = { gates: Gates; systemNamespace: string };

/** Judges objects of our kinds in front of a cluster. */
export type KindAdmission = {
  /** Adds or replaces an object of the cluster. Throws InputError naming the field. */
  apply(object: JsonObject): void;
  /** Whether an object that decodes may be created, at `now` in milliseconds since 1970. */
  admit(kind: Kind, object: JsonObject, now: number): Creation;
};

export type Host = {
  environment: Environment;
  stdin: AsyncIterable<Uint8Array>;
  stdout: Sink;
  stderr: Sink;
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds of a clock that never steps. */
  monotonic(): number;
  /** JavaScript's heap in use. */
  heapBytes(): number;
  nodeVersion: string;
  /** `os-architecture`. */
  platform: string;
  /** The policy module in use. */
  policyModule: URL;
  /** Makes an evaluator that knows no objects. */
  loadAdmission(settings: Settings, options?: LoadOptions): Promise<Admission>;
  /** Makes a judge of creations that knows no objects. */
  loadKindAdmission(settings: Settings): Promise<KindAdmission>;
  /** A cluster to ask. Throws InputError naming the file. */
  connect(choice: ClusterChoice): Promise<Cluster>;
  services: Readonly<Record<ServiceName, Service>>;
};

/** The sub-commands that run until they are told to end. */
export const SERVICES = ['gateway', 'reconcilers'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** A program with a table of flags of its own. */
export type Service = {
  flags(): Promise<FlagTable>;
  /** Runs it with the arguments of its sub-command; resolves to the exit code. */
  run(given: readonly string[]): Promise<number>;
};

export function isService(name: string | undefined): name is ServiceName {
  return SERVICES.some((service) => service === name);
}

/** Exit codes of every sub-command. */
export const EXIT = { allowed: 0, denied: 1, usage: 2, internal: 3 } as const;
