// The flags of the gateway. Help and the reference page are made from this table.

import type { Gates } from '../api/gates.ts';
import { InputError } from '../component/errors.ts';
import * as flag from '../component/flags.ts';
import { LOG_LEVELS, type LogLevel } from '../component/logger.ts';
import type { OnWriteFailure } from '../evaluator/live-cluster.ts';
import { LIMITS } from './limits.ts';

export const gatewayFlags = {
  objects: flag.listFlag({
    placeholder: 'FILE|DIR',
    summary:
      'Policy objects to decide by: a YAML or JSON file, or a folder with its sub-folders; may be repeated. Followed while running. Without it the objects of a cluster count.',
  }),
  kubeconfig: flag.textFlag({
    placeholder: 'FILE',
    summary:
      'How to reach the cluster. Without it: the ServiceAccount of the pod, else the files of $KUBECONFIG, else ~/.kube/config.',
  }),
  port: flag.portFlag({
    default: '9876',
    environment: 'WEBHOOK_PORT',
    summary: 'Port of the admission server (HTTPS); 0 takes a free one and prints it.',
  }),
  'bind-address': flag.textFlag({
    placeholder: 'IP',
    default: '127.0.0.1',
    summary: 'Address to listen on, for all ports; 0.0.0.0 or :: for all of the machine.',
  }),
  'cert-dir': flag.textFlag({
    placeholder: 'DIR',
    environment: 'WEBHOOK_CERT_DIR',
    summary:
      'Folder of the certificate, tls.crt and tls.key. An empty one gets an authority (ca-cert.pem) and a certificate that are kept and renewed; a folder without ca-key.pem is only read and followed. Without the flag .sluice/certs. Where the certificate is kept in a Secret, a folder that is named gets copies of it, and there are none without the flag.',
  }),
  'client-ca-file': flag.textFlag({
    placeholder: 'FILE',
    summary:
      'Callers need a certificate of one of the authorities in this file. Without it anybody who can connect may ask.',
  }),
  'allowed-names': flag.listFlag(
    { placeholder: 'CN,...', summary: 'Common names of the client certificates to let in; needs --client-ca-file.' },
    ',',
  ),
  'webhook-initialize-timeout': flag.durationFlag({
    default: '60s',
    summary:
      'The gateway ends with code 1 when certificate, webhook configurations and CRDs are not brought to where they should be for the first time within this. (cluster)',
  }),
  'health-port': flag.portFlag({
    off: true,
    default: '8000',
    summary: 'Port of /livez, /readyz and /healthz (HTTP); 0 takes a free one and prints it.',
  }),
  'metrics-port': flag.portFlag({
    off: true,
    default: '8080',
    summary: 'Port of /metrics (HTTP); 0 takes a free one and prints it. May be the health port.',
  }),
  'feature-gates': flag.listFlag(
    { placeholder: 'NAME=true|false,...', summary: 'Feature gates that differ from their defaults; may be repeated.' },
    ',',
  ),
  scope: flag.choiceFlag<'all' | 'demand'>({
    words: ['all', 'demand'],
    default: 'all',
    summary:
      'Which pods the API server is asked to send: all, or with `demand` those that a present policy can concern. All gateways of an installation need the same. (cluster)',
  }),
  workers: flag.integerFlag({
    min: 1,
    max: 64,
    default: '1',
    summary: 'Threads that answer requests, each with its own evaluator, sharing the port.',
  }),
  'drain-delay': flag.durationFlag({
    default: '5s',
    summary: 'How long requests are still taken after SIGTERM, until everybody knows that this gateway is going away.',
  }),
  'max-connections': flag.integerFlag({
    min: 1,
    max: 1_000_000,
    default: String(LIMITS.connections),
    summary: 'Open connections per thread; more are closed at once.',
  }),
  'max-requests-in-flight': flag.integerFlag({
    min: 1,
    max: 1_000_000,
    default: String(LIMITS.requestsInFlight),
    summary: 'Requests per thread that are being read; more are answered with 503 at once.',
  }),
  'rest-config-qps': flag.integerFlag({
    min: 0,
    max: 100_000,
    default: '0',
    summary: 'Requests a second that each thread sends to the API server on average; 0 is no limit.',
  }),
  'rest-config-burst': flag.integerFlag({
    min: 1,
    max: 100_000,
    default: '500',
    summary: 'Requests that may be sent at once above that.',
  }),
  'on-write-failure': flag.listFlag(
    {
      placeholder: 'KIND=deny|admit,...',
      summary:
        'What is done with a request when the status that its decision changes cannot be written: refused with code 429, to be tried again, or admitted with a warning. KIND is PodUnavailableBudget or WorkloadSpread; both are at deny.',
    },
    ',',
  ),
  'protection-log-path': flag.textFlag({
    placeholder: 'DIR',
    summary:
      'Folder of protection.log, which gets a line for every refused deletion or eviction. Without it there is none.',
  }),
  'log-level': flag.choiceFlag<LogLevel>({
    words: LOG_LEVELS,
    default: 'info',
    summary: 'debug has a line for every review.',
  }),
  help: flag.booleanFlag({ summary: 'Print this help.' }),
} as const satisfies flag.FlagTable;

/** The folder of a certificate that is kept in files, when none is named. */
export const CERTIFICATE_FOLDER = '.sluice/certs';

export type GatewayFlags = flag.FlagValues<typeof gatewayFlags>;

/** What the environment says of this installation (operations 5). */
export type Installation = {
  systemNamespace: string;
  /** Names and addresses of the serving certificate; in a cluster the one first by which the API server calls. */
  serverNames: readonly string[];
  service: string;
  secret: string;
  /** Set when the API server calls this host, and not the Service; without a port it calls the one that is listened on. */
  host: { address: string; port: number | undefined } | undefined;
  /** The certificate is kept in the folder alone, not in the Secret. */
  keepsCertificateInFolder: boolean;
  renewBefore: string | undefined;
};

/** Reads the flags and checks what must go together. Throws InputError naming the flag. */
export function readGatewayFlags(given: readonly string[], environment: flag.Environment): GatewayFlags {
  const flags = flag.parseFlags(
    gatewayFlags,
    given.map((text) => (text === '-h' ? '--help' : text)),
    environment,
  );
  if (flags.help) return flags;
  if (flags.objects.length > 0 && flags.kubeconfig !== undefined) {
    throw new InputError('policy objects come from files (--objects) or from a cluster, not from both', {
      field: '--kubeconfig',
    });
  }
  readOnWriteFailure(flags);
  if (flags['allowed-names'].length > 0 && flags['client-ca-file'] === undefined) {
    throw new InputError('needs --client-ca-file', { field: '--allowed-names' });
  }
  return flags;
}

/** The gates by which the API server is told which pods to send; undefined for all. Throws InputError naming the flag. */
export function readScope(flags: GatewayFlags, gates: Gates): Gates | undefined {
  if (flags.scope === 'all') return undefined;
  const place = { field: '--scope' };
  if (flags.objects.length > 0) throw new InputError('demand needs a cluster, not files (--objects)', place);
  if (gates.get('EnableExternalCerts') === true) {
    throw new InputError('demand needs webhook configurations that are kept up here, not EnableExternalCerts', place);
  }
  return gates;
}

/** Kinds whose status decisions change. */
const WRITTEN_KINDS: readonly string[] = ['PodUnavailableBudget', 'WorkloadSpread'];

/** By kind. Throws InputError naming the flag. */
export function readOnWriteFailure(flags: GatewayFlags): ReadonlyMap<string, OnWriteFailure> {
  return new Map(
    flags['on-write-failure'].map((text) => {
      const [kind = '', done = ''] = text.split('=');
      if (!WRITTEN_KINDS.includes(kind) || (done !== 'deny' && done !== 'admit')) {
        const expected = WRITTEN_KINDS.map((one) => `${one}=deny|admit`).join(' or ');
        throw new InputError(`expected ${expected}, got ${JSON.stringify(text)}`, { field: '--on-write-failure' });
      }
      return [kind, done];
    }),
  );
}

/** What the environment says; nothing of it is ever wrong. */
export function readInstallation(environment: flag.Environment): Installation {
  const systemNamespace = environment.POD_NAMESPACE || 'kruise-system';
  const service = environment.SERVICE_NAME || 'kruise-webhook-service';
  const host = readHost(environment.WEBHOOK_HOST ?? '');
  const writer = environment.WEBHOOK_CERT_WRITER || (host === undefined ? 'secret' : 'fs');
  const names = [`${service}.${systemNamespace}.svc`, `${service}.${systemNamespace}`, service];
  const serverNames = [...(host === undefined ? [] : [host.address]), ...names, 'localhost', '127.0.0.1', '::1'];
  return {
    systemNamespace,
    serverNames: [...new Set(serverNames)],
    service,
    secret: environment.SECRET_NAME || 'kruise-webhook-certs',
    host,
    keepsCertificateInFolder: writer === 'fs',
    renewBefore: environment.CERTS_RENEW_BEFORE,
  };
}

/** `name`, `name:port`, an address of either kind, `[address]` or `[address]:port`. */
function readHost(text: string): Installation['host'] {
  if (text === '') return undefined;
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  return { address: bracketed ?? plain ?? text, port: port === undefined ? undefined : Number(port) };
}
