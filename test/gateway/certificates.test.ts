// The serving certificate through its whole life, and through everything that can happen to its files (F25, F27).

import { X509Certificate } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { InputError } from '../../component/errors.ts';
import { createLogger } from '../../component/logger.ts';
import { type CertificateOptions, Certificates } from '../../gateway/tls/certificates.ts';
import { exclusively } from '../../gateway/tls/lock.ts';
import { issueAuthority, issueServer, type KeyPair } from '../../kube/certificates/issue.ts';
import { asOrdinaryUser } from '../support/ordinary-user.ts';
import { eventually } from './support/eventually.ts';

const DAY_MS = 86_400_000;
const NAMES = ['localhost', 'kruise-webhook-service.kruise-system.svc', '127.0.0.1', '::1'];

let folder: string;
let now: number;
let counts: { success: number; error: number };
let log: string;
const open: Certificates[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-certificates-'));
  now = Date.now();
  counts = { success: 0, error: 0 };
  log = '';
});

afterEach(async () => {
  for (const certificates of open.splice(0)) await certificates.close();
  await rm(folder, { recursive: true, force: true });
});

async function start(
  change: Partial<CertificateOptions> = {},
): Promise<{ certificates: Certificates; served: SecureContextOptions[] }> {
  const certificates = await Certificates.open({
    folder,
    names: NAMES,
    clientCaFile: undefined,
    now: () => now,
    logger: createLogger('test', 'error', {
      write: (line) => {
        log += line;
      },
    }),
    count: (result) => {
      counts[result]++;
    },
    settleMs: 5,
    pollMs: 20,
    ...change,
  });
  open.push(certificates);
  const served: SecureContextOptions[] = [];
  certificates.watch((secrets) => served.push(secrets));
  return { certificates, served };
}

function leafOf(certificates: Certificates): X509Certificate {
  return new X509Certificate(String(certificates.secrets.cert));
}

async function issuePair(fromMs = now, names = ['localhost']): Promise<KeyPair> {
  return issueServer(await issueAuthority('somebody else', fromMs), names, fromMs);
}

async function put(pair: Partial<KeyPair>): Promise<void> {
  if (pair.key !== undefined) await writeFile(join(folder, 'tls.key'), pair.key);
  if (pair.certificate !== undefined) await writeFile(join(folder, 'tls.crt'), pair.certificate);
}

test('an empty folder gets an authority and a certificate for all names, readable by the owner alone', async () => {
  const { certificates } = await start({ folder: join(folder, 'new', 'place') });
  const place = join(folder, 'new', 'place');
  const leaf = leafOf(certificates);
  const authority = new X509Certificate(await readFile(join(place, 'ca-cert.pem')));
  expect(leaf.verify(authority.publicKey)).toBe(true);
  expect(leaf.checkIssued(authority)).toBe(true);
  for (const name of ['localhost', 'kruise-webhook-service.kruise-system.svc']) expect(leaf.checkHost(name)).toBe(name);
  for (const address of ['127.0.0.1', '::1']) expect(leaf.checkIP(address)).toBeDefined();
  expect(leaf.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
  expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(leaf.validFromDate.getTime()).toBeLessThanOrEqual(now - 3_599_000);
  for (const name of await readdir(place)) expect((await stat(join(place, name))).mode & 0o777).toBe(0o600);
  expect((await readdir(place)).sort()).toEqual([
    'ca-cert.pem',
    'ca-key.pem',
    'ca.crt',
    'cert.pem',
    'key.pem',
    'tls.crt',
    'tls.key',
  ]);
});

test('a second start serves the same certificate', async () => {
  const first = await start();
  const second = await start();
  expect(second.certificates.secrets).toEqual(first.certificates.secrets);
});

test('a certificate is replaced at the next start when a name is missing, the authority stays', async () => {
  await start();
  const authority = await readFile(join(folder, 'ca-cert.pem'), 'utf8');
  const { certificates } = await start({ names: [...NAMES, 'gateway.example.com'] });
  expect(leafOf(certificates).checkHost('gateway.example.com')).toBe('gateway.example.com');
  expect(await readFile(join(folder, 'ca-cert.pem'), 'utf8')).toBe(authority);
});

test('a certificate is renewed at two thirds of its life while running, and the authority stays', async () => {
  const { certificates, served } = await start();
  const before = leafOf(certificates);
  now += 59 * DAY_MS;
  await eventually(() => stat(join(folder, 'tls.crt')));
  expect(served).toEqual([]);
  now += 2 * DAY_MS;
  await eventually(() => expect(served).toHaveLength(1));
  const after = leafOf(certificates);
  expect(after.serialNumber).not.toBe(before.serialNumber);
  expect(after.validToDate.getTime()).toBeGreaterThan(before.validToDate.getTime());
  expect(after.verify(new X509Certificate(await readFile(join(folder, 'ca-cert.pem'))).publicKey)).toBe(true);
});

test('an authority is renewed at two thirds of its life, and the old one stays trusted beside it', async () => {
  await (await start()).certificates.close();
  const old = await readFile(join(folder, 'ca-cert.pem'), 'utf8');
  now += 2500 * DAY_MS;
  const { certificates } = await start();
  const bundle = await readFile(join(folder, 'ca-cert.pem'), 'utf8');
  expect(bundle.endsWith(`${new X509Certificate(old).toString().trim()}\n`)).toBe(true);
  expect(leafOf(certificates).verify(new X509Certificate(bundle).publicKey)).toBe(true);
  const third = await start();
  expect(third.certificates.secrets).toEqual(certificates.secrets);
});

test('torn files of our own are replaced at the next start', async () => {
  await start();
  await put({ certificate: 'torn' });
  const { certificates } = await start();
  expect(leafOf(certificates).checkHost('localhost')).toBe('localhost');
  await writeFile(join(folder, 'ca-key.pem'), '');
  const again = await start();
  expect(
    leafOf(again.certificates).verify(new X509Certificate(await readFile(join(folder, 'ca-cert.pem'))).publicKey),
  ).toBe(true);
});

test("somebody else's certificate is served as it is and never written over", async () => {
  const pair = await issuePair(now - 80 * DAY_MS);
  await put(pair);
  const { certificates } = await start();
  expect(certificates.secrets).toEqual({ cert: pair.certificate, key: pair.key });
  expect((await readdir(folder)).sort()).toEqual(['tls.crt', 'tls.key']);
});

test.each<[string, () => Promise<void>]>([
  ['a missing key', async () => put({ certificate: (await issuePair()).certificate })],
  [
    'a key of another pair',
    async () => put({ certificate: (await issuePair()).certificate, key: (await issuePair()).key }),
  ],
  ['an empty certificate', async () => put({ certificate: '', key: (await issuePair()).key })],
  ['garbage', async () => put({ certificate: 'garbage', key: 'garbage' })],
])('a first start with %s fails and names the folder', async (_name, tear) => {
  await tear();
  const failure = start();
  await expect(failure).rejects.toBeInstanceOf(InputError);
  await expect(failure).rejects.toMatchObject({ file: folder });
});

test('a new pair is taken over without a restart', async () => {
  await put(await issuePair());
  const { certificates, served } = await start();
  const pair = await issuePair();
  await put(pair);
  await eventually(() => expect(certificates.secrets).toEqual({ cert: pair.certificate, key: pair.key }));
  expect(served.at(-1)).toEqual(certificates.secrets);
  expect(counts.success).toBeGreaterThan(0);
});

const tears: [string, (other: KeyPair) => Promise<void>, boolean][] = [
  ['the key of another pair', (other) => put({ key: other.key }), false],
  ['a certificate of another pair', (other) => put({ certificate: other.certificate }), false],
  ['an empty certificate', () => put({ certificate: '' }), false],
  ['an empty key', () => put({ key: '' }), false],
  ['half a certificate', (other) => put({ certificate: other.certificate.slice(0, 300) }), false],
  ['a missing certificate', () => rm(join(folder, 'tls.crt')), false],
  [
    'a folder in place of the key',
    async () => {
      await rm(join(folder, 'tls.key'));
      await mkdir(join(folder, 'tls.key'));
    },
    true,
  ],
];

test.each(tears)(
  '%s leaves the last good pair in use, is counted, and is forgotten after the repair',
  async (_name, tear, isFolder) => {
    const first = await issuePair();
    await put(first);
    const { certificates } = await start();
    const other = await issuePair();
    await tear(other);
    await eventually(() => expect(counts.error).toBeGreaterThan(0));
    expect(certificates.secrets).toEqual({ cert: first.certificate, key: first.key });
    if (isFolder) await rm(join(folder, 'tls.key'), { recursive: true });
    await put(other);
    await eventually(() => expect(certificates.secrets).toEqual({ cert: other.certificate, key: other.key }));
  },
);

test('an unreadable file leaves the last good pair in use', async () => {
  await put(await issuePair());
  const { certificates } = await start();
  const before = certificates.secrets;
  await chmod(folder, 0o755);
  await chmod(join(folder, 'tls.key'), 0o000);
  await asOrdinaryUser(() => eventually(() => expect(counts.error).toBeGreaterThan(0)));
  expect(certificates.secrets).toEqual(before);
});

test('a mounted Secret that is swapped by its links is followed, without a mismatched pair in between', async () => {
  const mount = async (name: string, pair: KeyPair) => {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'tls.crt'), pair.certificate);
    await writeFile(join(folder, name, 'tls.key'), pair.key);
    await symlink(name, join(folder, '..data_tmp'));
    await rename(join(folder, '..data_tmp'), join(folder, '..data'));
  };
  await mount('..1', await issuePair());
  for (const name of ['tls.crt', 'tls.key']) await symlink(join('..data', name), join(folder, name));
  const { certificates } = await start({ pollMs: 60_000 });
  for (const name of ['..2', '..3', '..4']) {
    const pair = await issuePair();
    await mount(name, pair);
    await eventually(() => expect(certificates.secrets).toEqual({ cert: pair.certificate, key: pair.key }));
  }
  expect(counts.error).toBe(0);
});

test('a certificate that is not valid at the time does not replace one that is', async () => {
  const good = await issuePair();
  await put(good);
  const { certificates } = await start();
  await put(await issuePair(now - 200 * DAY_MS));
  await eventually(() => expect(log).toContain('expired on'));
  await put(await issuePair(now + 10 * DAY_MS));
  await eventually(() => expect(log).toContain('is not valid before'));
  expect(certificates.secrets.cert).toBe(good.certificate);
  expect(certificates.fault()).toBeUndefined();
});

test('an expired certificate makes the gateway unready with the reason, and a new one makes it ready', async () => {
  await put(await issuePair());
  const { certificates } = await start();
  expect(certificates.fault()).toBeUndefined();
  now += 91 * DAY_MS;
  expect(certificates.fault()).toMatch(/expired on \d{4}-/);
  await put(await issuePair());
  await eventually(() => expect(certificates.fault()).toBeUndefined());
});

test('a client CA file is checked at the start and followed later', async () => {
  const clientCaFile = join(folder, 'clients.pem');
  await writeFile(clientCaFile, 'no certificate');
  await expect(start({ clientCaFile })).rejects.toMatchObject({ file: clientCaFile });
  const [one, two] = [await issueAuthority('one', now), await issueAuthority('two', now)];
  await writeFile(clientCaFile, one.certificate);
  const { certificates } = await start({ clientCaFile });
  expect(certificates.secrets.ca).toBe(one.certificate);
  await writeFile(clientCaFile, 'broken');
  await eventually(() => expect(counts.error).toBeGreaterThan(0));
  expect(certificates.secrets.ca).toBe(one.certificate);
  await writeFile(clientCaFile, two.certificate);
  await eventually(() => expect(certificates.secrets.ca).toBe(two.certificate));
});

test('gateways that start together on one empty folder end with one authority and one pair, which all serve', async () => {
  const started = await Promise.all([start(), start(), start()]);
  const [first, ...others] = started.map(({ certificates }) => certificates.secrets);
  for (const secrets of others) expect(secrets).toEqual(first);
  const authority = new X509Certificate(await readFile(join(folder, 'ca-cert.pem')));
  for (const { certificates } of started) expect(leafOf(certificates).verify(authority.publicKey)).toBe(true);
  expect(await readFile(join(folder, 'tls.key'), 'utf8')).toBe(first?.key);
  expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([]);
  // All of them still follow the folder, and renew what is theirs together.
  now += 61 * DAY_MS;
  await eventually(() => {
    const [serial, ...serials] = started.map(({ certificates }) => leafOf(certificates).serialNumber);
    expect(serial).not.toBe(new X509Certificate(String(first?.cert)).serialNumber);
    for (const other of serials) expect(other).toBe(serial);
  });
  expect(counts.error).toBe(0);
});

test('a lock that a dead process left in the folder is broken', async () => {
  await writeFile(join(folder, '.making.lock'), 'dead');
  await expect(exclusively(folder, async () => 'made', 50)).resolves.toBe('made');
  expect(await readdir(folder)).toEqual([]);
});

test('a lock that is taken holds others off until it is released', async () => {
  const order: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = exclusively(folder, async () => {
    order.push('first begins');
    await promise;
    order.push('first ends');
  });
  await eventually(() => expect(order).toEqual(['first begins']));
  const second = exclusively(folder, async () => order.push('second'));
  resolve();
  await Promise.all([first, second]);
  expect(order).toEqual(['first begins', 'first ends', 'second']);
});
