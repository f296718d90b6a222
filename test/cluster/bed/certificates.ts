// The certificates and keys of a bed: an authority of its own, and what it signs for the API server and its clients.
import { createPrivateKey, generateKeyPairSync, KeyObject, randomBytes, webcrypto } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueAuthority, issueServer, type KeyPair } from '../../../kube/certificates/issue.ts';

/** What clients of the API server need, as PEM. */
export type Credentials = { ca: string; certificate: string; key: string };

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const SERVER_NAMES = ['127.0.0.1', '10.96.0.1', 'localhost', 'kubernetes', 'kubernetes.default.svc'];
const HOUR_MS = 3_600_000;
const LIFE_MS = 90 * 24 * HOUR_MS;

export type CertificateOptions = {
  nowMs: number;
  /** Of the API server, besides this machine's own. */
  address?: string;
  nodes: readonly { name: string; address: string }[];
};

export type BedCredentials = { admin: Credentials; nodes: ReadonlyMap<string, Credentials> };

/**
 * Writes the files that the API server and the kubelets read into the folder, and gives the credentials of an
 * administrator and of each node.
 */
export async function writeCertificates(folder: string, options: CertificateOptions): Promise<BedCredentials> {
  const { nowMs, address, nodes } = options;
  const authority = await issueAuthority('sluice test bed', nowMs);
  const server = await issueServer(authority, [...SERVER_NAMES, ...(address === undefined ? [] : [address])], nowMs);
  const admin = await issueClient(authority, { user: 'admin', group: 'system:masters' }, nowMs);
  const accounts = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const files: Record<string, string> = {
    'ca.crt': authority.certificate,
    'apiserver.crt': server.certificate,
    'apiserver.key': server.key,
    'admin.crt': admin.certificate,
    'admin.key': admin.key,
    'accounts.key': accounts.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    'accounts.pub': accounts.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
  const credentials = new Map<string, Credentials>();
  for (const { name, address } of nodes) {
    const served = await issueServer(authority, [name, address], nowMs);
    files[`${name}.crt`] = served.certificate;
    files[`${name}.key`] = served.key;
    const client = await issueClient(authority, { user: `system:node:${name}`, group: 'system:nodes' }, nowMs);
    credentials.set(name, { ca: authority.certificate, ...client });
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  return { admin: { ca: authority.certificate, ...admin }, nodes: credentials };
}

async function issueClient(
  authority: KeyPair,
  { user, group }: { user: string; group: string },
  nowMs: number,
): Promise<KeyPair> {
  const x509 = await import('@peculiar/x509');
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    notBefore: new Date(nowMs - HOUR_MS),
    notAfter: new Date(nowMs + LIFE_MS),
    serialNumber: `01${randomBytes(15).toString('hex')}`,
    subject: [{ O: [group] }, { CN: [user] }],
    issuer: new x509.X509Certificate(authority.certificate).subjectName,
    publicKey: keys.publicKey,
    signingKey: await createPrivateKey(authority.key).toCryptoKey(ALGORITHM, false, ['sign']),
    signingAlgorithm: ALGORITHM,
    extensions: [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])],
  });
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
  return { certificate: `${certificate.toString('pem')}\n`, key };
}
