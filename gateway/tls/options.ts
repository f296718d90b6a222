// How the gateway speaks TLS: 1.2 or newer, HTTP/1.1, forward secrecy, nothing resumed and nothing renegotiated.

import { constants } from 'node:crypto';
import type { SecureContextOptions, TlsOptions } from 'node:tls';
import type { Limits } from '../limits.ts';

const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** Options of a server, or of a new context for it. With a client CA (`ca`) peers need a certificate of it. */
export function tlsOptions(secrets: SecureContextOptions, limits: Limits): TlsOptions {
  const asksForCertificate = secrets.ca !== undefined;
  return {
    ...secrets,
    minVersion: 'TLSv1.2',
    ciphers: CIPHERS,
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: limits.handshakeMs,
    // Tickets would let a peer come back after its CA was withdrawn; the API server does not use them.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_TICKET,
    requestCert: asksForCertificate,
    rejectUnauthorized: asksForCertificate,
  };
}
