// The flags of the controllers' program (operations 3). Help and the reference page are made from this table.

import { parseDuration } from '../component/durations.ts';
import { InputError } from '../component/errors.ts';
import * as flag from '../component/flags.ts';
import type { LogLevel } from '../component/logger.ts';

/** Controllers with a flag for the number of objects that are reconciled at once. */
const WORKERS = [
  'persistentpodstate',
  'podunavailablebudget',
  'resourcedistribution',
  'sidecarset',
  'workloadspread',
] as const;

/** Those that there are not yet: installations set their flags all the same. */
const WORKERS_TO_COME = [
  'advancedcronjob',
  'broadcastjob',
  'cloneset',
  'crr',
  'daemonset',
  'imagepulljob',
  'nodeimage',
  'nodepodprobe',
  'podprobemarker',
  'sidecarterminator',
  'statefulset',
  'uniteddeployment',
] as const;

type WorkersFlags<Name extends string> = Record<`${Name}-workers`, flag.Flag<number>>;

function workersFlags<Name extends string>(names: readonly Name[], summary: (name: Name) => string) {
  const flags = names.map((name) => [
    `${name}-workers`,
    flag.integerFlag({ min: 1, max: 1000, default: '3', summary: summary(name) }),
  ]);
  return Object.fromEntries(flags) as WorkersFlags<Name>;
}

const notYet = (controller: string) => `Taken and not used: there is no ${controller} controller yet.`;

// Compatibility: what command lines of the system that we replace hold, and what has no meaning here.
const unused = (placeholder: string) => flag.textFlag({ placeholder, summary: 'Taken and not used.' });
const unusedBoolean = () => flag.booleanFlag({ summary: 'Taken and not used.' });

export const reconcilersFlags = {
  kubeconfig: flag.textFlag({
    placeholder: 'FILE',
    summary:
      'How to reach the API server; without it the ServiceAccount of the pod, else $KUBECONFIG, else ~/.kube/config.',
  }),
  namespace: flag.textFlag({
    placeholder: 'NAME',
    summary:
      'Namespaced objects are only followed in this namespace; revisions of SidecarSets in the system namespace.',
  }),
  'enable-leader-election': flag.booleanFlag({
    default: 'true',
    summary: 'Reconcile only while this process holds the lease.',
  }),
  'leader-election-namespace': flag.textFlag({
    placeholder: 'NAME',
    summary: 'Namespace of the lease. Without the flag $POD_NAMESPACE, else kruise-system.',
  }),
  'leader-election-id': flag.textFlag({
    placeholder: 'NAME',
    default: 'kruise-manager',
    summary: 'Name of the lease.',
  }),
  'leader-election-resource-lock': flag.choiceFlag({
    words: ['leases'],
    default: 'leases',
    summary: 'What is held by who leads.',
  }),
  'leader-election-lease-duration': flag.durationFlag({
    default: '15s',
    summary: 'How long others wait for a sign of life of who leads.',
  }),
  'leader-election-renew-deadline': flag.durationFlag({
    default: '10s',
    summary: 'How long who leads tries to renew the lease before it stops.',
  }),
  'leader-election-retry-period': flag.durationFlag({
    default: '2s',
    summary: 'Between two tries to take or renew the lease.',
  }),
  'metrics-addr': flag.textFlag({
    placeholder: 'HOST:PORT',
    default: ':8080',
    summary: 'Address of /metrics (HTTP); 0 for none, port 0 takes a free one.',
  }),
  'health-probe-addr': flag.textFlag({
    placeholder: 'HOST:PORT',
    default: ':8000',
    summary: 'Address of /livez, /readyz and /healthz (HTTP); 0 for none, port 0 takes a free one.',
  }),
  'rest-config-qps': flag.integerFlag({
    min: 0,
    max: 100_000,
    default: '30',
    summary: 'Requests to the API server a second, on average, for each controller; 0 means 20.',
  }),
  'rest-config-burst': flag.integerFlag({
    min: 0,
    max: 100_000,
    default: '50',
    summary: 'Requests to the API server at once, for each controller; 0 means 30.',
  }),
  'feature-gates': flag.listFlag(
    { placeholder: 'NAME=true|false,...', summary: 'Feature gates that differ from their defaults; may be repeated.' },
    ',',
  ),
  'sync-period': flag.textFlag({
    placeholder: 'DURATION',
    summary: 'All objects are looked at again after this time; 0 is never. Without the flag 10h.',
  }),
  'controller-cache-sync-timeout': flag.durationFlag({
    default: '2m',
    summary: 'A controller whose objects could not be read after this time is reported.',
  }),
  'expectation-timeout': flag.durationFlag({
    default: '5m',
    summary: 'How long a change that a controller made may stay unseen.',
  }),
  'rate-limiter-base-delay': flag.durationFlag({
    default: '5ms',
    summary: 'The wait after the first failure of an object; it doubles with each.',
  }),
  'rate-limiter-max-delay': flag.durationFlag({ default: '1000s', summary: 'The longest wait after a failure.' }),
  'rate-limiter-qps': flag.integerFlag({
    min: 0,
    max: 100_000,
    default: '10',
    summary: 'Objects of a controller that are tried again, a second on average.',
  }),
  'rate-limiter-bucket-size': flag.integerFlag({
    min: 1,
    max: 1_000_000,
    default: '100',
    summary: 'Objects of a controller that are tried again at once.',
  }),
  'allow-privileged': flag.booleanFlag({ default: 'true', summary: 'Taken and not used.' }),
  'default-ttlseconds-for-always-nodeimage': flag.integerFlag({
    min: 0,
    max: 2_678_400,
    default: '300',
    summary: notYet('nodeimage'),
  }),
  'cloneset-scaling-exclude-preparing-delete': flag.booleanFlag({
    default: 'false',
    summary: notYet('cloneset'),
  }),
  'assign-bcj-pods-by-scheduler': flag.booleanFlag({
    default: 'true',
    summary: notYet('broadcastjob'),
  }),
  'assign-pods-by-scheduler': flag.booleanFlag({
    default: 'true',
    summary: notYet('daemonset'),
  }),
  'nodeimage-creation-delay': flag.durationFlag({
    default: '30s',
    summary: notYet('nodeimage'),
  }),
  // Deployments and ReplicaSets count by version, as there, whatever it says: admission does not know it.
  'ws-enabled-versioned-status': unused('KIND,...'),
  ...workersFlags(WORKERS, (name) => `Objects that the ${name} controller reconciles at once.`),
  ...workersFlags(WORKERS_TO_COME, notYet),
  v: flag.integerFlag({ min: 0, max: 100, default: '2', summary: 'How much is logged: 5 and more is everything.' }),
  'logging-format': flag.choiceFlag({
    words: ['text', 'json'],
    default: 'json',
    summary: 'Lines are JSON in any case.',
  }),
  'enable-pprof': unusedBoolean(),
  'pprof-addr': unused('HOST:PORT'),
  'webhook-initialize-timeout': unused('DURATION'),
  'protection-log-path': unused('DIR'),
  'disable-no-deepcopy': unusedBoolean(),
  logtostderr: unusedBoolean(),
  alsologtostderr: unusedBoolean(),
  stderrthreshold: unused('LEVEL'),
  vmodule: unused('PATTERN=N,...'),
  'log-dir': unused('DIR'),
  log_dir: unused('DIR'),
  'log-file': unused('FILE'),
  'log-flush-frequency': unused('DURATION'),
  help: flag.booleanFlag({ summary: 'Print this help.' }),
} as const satisfies flag.FlagTable;

export type ReconcilersFlags = flag.FlagValues<typeof reconcilersFlags>;

/** Reads the flags and checks what must go together. Throws InputError naming the flag. */
export function readReconcilersFlags(given: readonly string[], environment: flag.Environment): ReconcilersFlags {
  const texts = given.map((text) => (text === '-h' ? '--help' : text));
  const flags = flag.parseFlags(reconcilersFlags, texts, environment);
  const [lease, renew, retry] = [
    flags['leader-election-lease-duration'],
    flags['leader-election-renew-deadline'],
    flags['leader-election-retry-period'],
  ];
  if (lease <= renew) {
    throw new InputError('expected more than --leader-election-renew-deadline', {
      field: '--leader-election-lease-duration',
    });
  }
  // A try may be up to a fifth late, and one must fit in.
  if (retry <= 0 || renew <= 1.2 * retry) {
    throw new InputError('expected more than 1.2 times --leader-election-retry-period, which is more than 0', {
      field: '--leader-election-renew-deadline',
    });
  }
  return flags;
}

/** Where to listen; undefined for nowhere. */
export type Address = { readonly host: string; readonly port: number };

/** Reads `HOST:PORT`, `:PORT` for all addresses of the machine, or `0`. Throws InputError naming the flag. */
export function readAddress(text: string | undefined, name: string): Address | undefined {
  if (text === undefined || text === '0') return undefined;
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3] ?? Number.NaN);
  if (match === null || !(port <= 65_535)) {
    throw new InputError(`expected HOST:PORT, :PORT or 0, got ${JSON.stringify(text)}`, { field: `--${name}` });
  }
  return { host: match[1] ?? (match[2] || '0.0.0.0'), port };
}

const RESYNC_MS = 10 * 3_600_000;

/** Milliseconds between two looks at everything; 0 for never. An unreadable text is as none. */
export function readResync(text: string | undefined): number {
  return text === undefined ? RESYNC_MS : (parseDuration(text) ?? RESYNC_MS);
}

/** Everything is logged from verbosity 5. */
export function logLevelOf({ v }: ReconcilersFlags): LogLevel {
  return v >= 5 ? 'debug' : 'info';
}
