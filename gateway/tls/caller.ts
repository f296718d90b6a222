// Who may call: the verdict on a finished handshake, and the reason of a failed one.

import type { TLSSocket } from 'node:tls';
import type { Refusal } from '../metrics/rows.ts';

/** The common name of the peer's certificate; empty without one. Shortened, as a peer may write anything there. */
export function callerName(socket: TLSSocket): string {
  const name = socket.getPeerCertificate()?.subject?.CN;
  return typeof name === 'string' ? name.slice(0, 128) : '';
}

/** True if the peer is one of `allowed`; an empty list takes any peer whose certificate was verified. */
export function isAllowedCaller(socket: TLSSocket, allowed: readonly string[]): boolean {
  return socket.authorized && (allowed.length === 0 || allowed.includes(callerName(socket)));
}

/** Why a handshake failed; undefined when the peer only went away. */
export function handshakeFault(error: NodeJS.ErrnoException): Refusal | undefined {
  const code = error.code ?? '';
  if (code === 'ECONNRESET' || code === 'EPIPE') return undefined;
  if (code === 'ERR_TLS_HANDSHAKE_TIMEOUT') return 'handshake_too_slow';
  if (code === 'ERR_SSL_HTTP_REQUEST') return 'plain_http';
  return /CERT|ISSUER|SELF_SIGNED|VERIFY|UNKNOWN_CA/.test(code) ? 'client_certificate' : 'handshake_failed';
}
