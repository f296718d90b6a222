// The flags of the gateway. Help and the reference page are made from this table.

import { effectiveGates, GateError, type Gates, parseGates } from '../api/gates.ts';
import { InputError } from '../component/errors.ts';
import * as flag from '../component/flags.ts';
import { LOG_LEVELS, type LogLevel } from '../component/logger.ts';
import { LIMITS } from './limits.ts';

export const gatewayFlags = {
  objects: flag.listFlag({
    placeholder: 'FILE|DIR',
    summary:
      'Policy objects to decide by: a YAML or JSON file, or a folder with its sub-folders; may be repeated. Followed while running.',
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
    default: '.sluice/certs',
    environment: 'WEBHOOK_CERT_DIR',
    summary:
      'Folder of the certificate, tls.crt and tls.key. An empty one gets an authority (ca-cert.pem) and a certificate that are kept and renewed; a folder without ca-key.pem is only read and followed.',
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
  'health-port': flag.portFlag({
    off: true,
    summary: 'Port of /livez, /readyz and /healthz (HTTP). Without the flag 8000, left out when that is taken.',
  }),
  'metrics-port': flag.portFlag({
    off: true,
    summary: 'Port of /metrics (HTTP). Without the flag 8080, left out when that is taken. May be the health port.',
  }),
  'feature-gates': flag.listFlag(
    { placeholder: 'NAME=true|false,...', summary: 'Feature gates that differ from their defaults; may be repeated.' },
    ',',
  ),
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
  'log-level': flag.choiceFlag<LogLevel>({
    words: LOG_LEVELS,
    default: 'info',
    summary: 'debug has a line for every review.',
  }),
  help: flag.booleanFlag({ summary: 'Print this help.' }),
} as const satisfies flag.FlagTable;

export type GatewayFlags = flag.FlagValues<typeof gatewayFlags>;

/** Where the names of this installation come from. */
export type Installation = { systemNamespace: string; serverNames: readonly string[] };

/** Reads the flags and checks what must go together. Throws InputError naming the flag. */
export function readGatewayFlags(given: readonly string[], environment: flag.Environment): GatewayFlags {
  const flags = flag.parseFlags(
    gatewayFlags,
    given.map((text) => (text === '-h' ? '--help' : text)),
    environment,
  );
  if (flags.help) return flags;
  if (flags.objects.length === 0) {
    throw new InputError('required: FILE|DIR with the policy objects', { field: '--objects' });
  }
  if (flags['allowed-names'].length > 0 && flags['client-ca-file'] === undefined) {
    throw new InputError('needs --client-ca-file', { field: '--allowed-names' });
  }
  return flags;
}

/** The effective gates. Throws InputError naming the gate. */
export function readGates(flags: GatewayFlags, environment: flag.Environment): Gates {
  try {
    return effectiveGates(parseGates(flags['feature-gates'].join(',')), gateDefaults(environment));
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    throw new InputError(error.message, { field: '--feature-gates' }, { cause: error });
  }
}

// Compatibility: a list of enabled kinds without SidecarSet used to switch the pod webhooks off.
function gateDefaults(environment: flag.Environment): Gates {
  const kinds = (environment.CUSTOM_RESOURCE_ENABLE ?? '').split(',').map((kind) => kind.trim());
  const isRestricted = kinds.some((kind) => kind !== '') && !kinds.includes('SidecarSet');
  return new Map(isRestricted ? [['PodWebhook', false]] : []);
}

/** The namespace and the names that the serving certificate needs. */
export function readInstallation(environment: flag.Environment): Installation {
  const systemNamespace = environment.POD_NAMESPACE || 'kruise-system';
  const service = environment.SERVICE_NAME || 'kruise-webhook-service';
  const host = environment.WEBHOOK_HOST;
  const names = [`${service}.${systemNamespace}.svc`, `${service}.${systemNamespace}`, service];
  const serverNames = [...(host ? [host] : []), 'localhost', ...names, '127.0.0.1', '::1'];
  return { systemNamespace, serverNames: [...new Set(serverNames)] };
}
