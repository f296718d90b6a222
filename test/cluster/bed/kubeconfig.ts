// Writes the configuration of a client of the API server: kubectl, the controllers, a kubelet.
import { writeFileSync } from 'node:fs';
import type { Credentials } from './certificates.ts';

/** Everything in one file; `server` is the URL of the API server. */
export function writeKubeconfig(file: string, server: string, { ca, certificate, key }: Credentials): void {
  const data = (text: string) => Buffer.from(text).toString('base64');
  const cluster = { server, 'certificate-authority-data': data(ca) };
  const user = { 'client-certificate-data': data(certificate), 'client-key-data': data(key) };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'bed', cluster }],
    users: [{ name: 'user', user }],
    contexts: [{ name: 'bed', context: { cluster: 'bed', user: 'user' } }],
    'current-context': 'bed',
  };
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
}
