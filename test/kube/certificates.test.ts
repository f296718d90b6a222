// The certificates of an installation: what is planned for them, and replicas that share them (operations.md 8 and 22: cases
// 7 to 10; faults F25 and F26).

import { X509Certificate } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { StatusError } from '../../component/errors.ts';
import { issueAuthority, issueServer, type KeyPair } from '../../kube/certificates/issue.ts';
import { OVERLAP_MS, planCertificates, renewBefore } from '../../kube/certificates/plan.ts';
import { type CertificateContents, writeContents } from '../../kube/certificates/secret.ts';
import { ServingCertificates, type ServingOptions } from '../../kube/certificates/serving.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { SECRETS } from '../../kube/resource.ts';
import { ObjectStore } from '../support/object-store.ts';
import { silentLogger } from '../support/silent-logger.ts';
import { UNACCEPTABLE } from './support/unacceptable-certificates.ts';

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
const NOW = Date.UTC(2026, 0, 1);
const SUBJECT = 'kruise-webhook-service.kruise-system.svc';
const NAMES = [SUBJECT, 'localhost', '127.0.0.1'];
const SECRET = { namespace: 'kruise-system', name: 'kruise-webhook-certs' };
const SETTINGS = { subject: SUBJECT, renewBeforeMs: renewBefore(undefined) };

/** Authorities that end at a time, made once. */
const authorities = new Map<number, KeyPair>();
/** Of ten years; `leftMs` of them are left. */
async function authority(leftMs = 9 * YEAR_MS): Promise<KeyPair> {
  const present = authorities.get(leftMs);
  if (present !== undefined) return present;
  const issued = await issueAuthority('webhook-cert-ca', NOW + leftMs - 10 * YEAR_MS, 'RSA');
  authorities.set(leftMs, issued);
  return issued;
}

/** Contents as the Secret has them; the certificate lives ten years, as far as its authority does. */
async function contents(
  leftMs: number,
  signer: KeyPair,
  names: readonly string[] = NAMES,
): Promise<CertificateContents> {
  const issued = await issueServer(signer, names, NOW + leftMs - 10 * YEAR_MS, 10 * YEAR_MS);
  return { authorities: signer.certificate, authorityKey: signer.key, ...issued };
}

function plan(
  stored: CertificateContents | undefined,
  more: { served?: CertificateContents; trustedSinceMs?: number; renewBeforeMs?: number } = {},
) {
  const { served, trustedSinceMs, renewBeforeMs = SETTINGS.renewBeforeMs } = more;
  return planCertificates({ stored, served, trustedSinceMs }, { subject: SUBJECT, renewBeforeMs }, NOW);
}

function leaf(pem: string): X509Certificate {
  return new X509Certificate(pem);
}

describe('the time before the end at which a certificate is replaced', () => {
  test.each<[string | undefined, number]>([
    [undefined, 180],
    ['', 180],
    ['90d', 90],
    ['6m', 180],
    ['2y', 730],
    ['10x', 180],
    ['0d', 180],
    ['-1d', 180],
    ['1.5y', 180],
    ['y', 180],
    ['d10', 180],
    ['99y', 3650 / 3],
  ])('%s is %d days', (text, days) => {
    expect(renewBefore(text)).toBeCloseTo(days * DAY_MS, 0);
  });
});

describe('a plan for the Secret', () => {
  test('nothing in it, and nothing served: all is made', () => {
    const empty = { authorities: '', authorityKey: '', certificate: '', key: '' };
    expect(plan(undefined)).toEqual({ type: 'replace', trusted: [], kept: undefined });
    expect(plan(empty)).toEqual({ type: 'replace', trusted: [], kept: undefined });
  });

  test.each<[string, number, number, string]>([
    ['200 days left', 200 * DAY_MS, 9 * YEAR_MS, 'keep'],
    ['170 days left', 170 * DAY_MS, 9 * YEAR_MS, 'issue'],
    ['expired', -DAY_MS, 9 * YEAR_MS, 'issue'],
    ['not valid yet', 11 * YEAR_MS, 20 * YEAR_MS, 'replace'],
    ['170 days left of an authority with 300', 170 * DAY_MS, 300 * DAY_MS, 'replace'],
    ['200 days left of an authority with 300', 200 * DAY_MS, 300 * DAY_MS, 'keep'],
  ])('a certificate with %s', async (_what, leftMs, authorityLeftMs, type) => {
    expect(plan(await contents(leftMs, await authority(authorityLeftMs))).type).toBe(type);
  });

  test('two years of renewal replace a certificate with 700 days left, and not the new one', async () => {
    const two = { renewBeforeMs: renewBefore('2y') };
    expect(plan(await contents(700 * DAY_MS, await authority()), two).type).toBe('issue');
    expect(plan(await contents(6 * YEAR_MS, await authority()), two).type).toBe('keep');
  });

  test.each<[string, (whole: CertificateContents, other: CertificateContents) => Partial<CertificateContents>]>([
    ['the key of another certificate', (_whole, other) => ({ key: other.key })],
    ['no certificate', () => ({ certificate: '' })],
    ['half a certificate', (whole) => ({ certificate: whole.certificate.slice(0, 200) })],
  ])('%s: a new one of the same authority', async (_what, tear) => {
    const whole = await contents(YEAR_MS, await authority());
    const torn = { ...whole, ...tear(whole, await contents(YEAR_MS, await authority())) };
    expect(plan(torn).type).toBe('issue');
  });

  test('a certificate for another Service: a new one of the same authority', async () => {
    expect(plan(await contents(YEAR_MS, await authority(), ['other.kruise-system.svc'])).type).toBe('issue');
  });

  test('a certificate of an authority that is not in it, and no key to sign with: all is made anew', async () => {
    const whole = await contents(YEAR_MS, await authority());
    const other = await issueAuthority('other', NOW);
    const [trusted] = [`${leaf(other.certificate).toString().trim()}\n`];
    expect(plan({ ...whole, authorities: other.certificate })).toEqual({
      type: 'replace',
      trusted: [trusted],
      kept: undefined,
    });
  });

  test('a lost authority key does no harm while the certificate lasts', async () => {
    const whole = await contents(YEAR_MS, await authority());
    expect(plan({ ...whole, authorityKey: '' }).type).toBe('keep');
  });

  test('a lost Secret: what is served stays, beside a new authority', async () => {
    const served = await contents(YEAR_MS, await authority());
    expect(plan(undefined, { served })).toMatchObject({ type: 'replace', kept: { certificate: served.certificate } });
  });

  describe('while an authority is replaced', () => {
    async function halfway() {
      const old = await contents(170 * DAY_MS, await authority(300 * DAY_MS));
      const next = await authority();
      return { old, next, both: { ...old, authorities: next.certificate + old.authorities, authorityKey: next.key } };
    }

    test('the old certificate is served until callers are known to trust both for a while', async () => {
      const { both } = await halfway();
      expect(plan(both).type).toBe('keep');
      expect(plan(both, { trustedSinceMs: NOW - OVERLAP_MS + 1 }).type).toBe('keep');
      expect(plan(both, { trustedSinceMs: NOW - OVERLAP_MS }).type).toBe('issue');
    });

    test('a certificate that is about to end is not waited for', async () => {
      const signer = await authority(300 * DAY_MS);
      const old = await contents(DAY_MS - 1, signer);
      const next = await authority();
      expect(plan({ ...old, authorities: next.certificate + old.authorities, authorityKey: next.key }).type).toBe(
        'issue',
      );
    });

    test('the old authority is trusted until the new certificate has surely been taken over', async () => {
      const { old, next } = await halfway();
      const at = async (issuedMs: number) => {
        const issued = await issueServer(next, NAMES, issuedMs, 540 * DAY_MS);
        return plan({ authorities: next.certificate + old.authorities, authorityKey: next.key, ...issued });
      };
      expect((await at(NOW - OVERLAP_MS + 1000)).type).toBe('keep');
      expect(await at(NOW - OVERLAP_MS)).toEqual({ type: 'trust', trusted: [] });
    });
  });
});

describe('replicas that share a Secret', () => {
  let store: ObjectStore;
  let now: number;
  let trustedSinceMs: number | undefined;

  beforeEach(() => {
    store = new ObjectStore();
    now = NOW;
    trustedSinceMs = undefined;
  });

  function replica(change: Partial<ServingOptions> = {}): ServingCertificates {
    return new ServingCertificates({
      client: store,
      secret: SECRET,
      names: NAMES,
      isExternal: false,
      renewBeforeMs: SETTINGS.renewBeforeMs,
      trustedSince: () => trustedSinceMs,
      now: () => now,
      logger: silentLogger,
      ...change,
    });
  }

  function put(data: KubeObject['data']): void {
    store.put(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: SECRET, type: 'Opaque', data } as never);
  }

  function stored(): Record<string, string> {
    const { data } = store.object<{ data: Record<string, string> }>(SECRETS, SECRET) ?? { data: {} };
    return Object.fromEntries(
      Object.entries(data).map(([name, text]) => [name, Buffer.from(text, 'base64').toString()]),
    );
  }

  /** What callers that trust `bundle` find: true if they accept what is served. */
  function accepts(bundle: string, one: ServingCertificates): boolean {
    const blocks = bundle.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
    const served = leaf(one.secrets?.cert ?? '');
    return blocks.map(leaf).some((signer) => served.checkIssued(signer) && served.verify(signer.publicKey));
  }

  test.each(['absent', 'empty'])(
    'an %s Secret is filled by whoever comes first, and all serve the same',
    async (state) => {
      if (state === 'empty') put({});
      const replicas = [replica(), replica(), replica()];
      const bundles = await Promise.all(replicas.map((one) => one.sync()));
      expect(new Set(bundles).size).toBe(1);
      expect(new Set(replicas.map((one) => one.secrets?.cert)).size).toBe(1);
      expect(store.writes).toBe(1);
      const files = stored();
      expect(Object.keys(files).sort()).toEqual([
        'ca-cert.pem',
        'ca-key.pem',
        'cert.pem',
        'key.pem',
        'tls.crt',
        'tls.key',
      ]);
      expect([files['tls.crt'], files['tls.key'], files['ca-cert.pem']]).toEqual([
        files['cert.pem'],
        files['key.pem'],
        bundles[0],
      ]);
    },
  );

  test.each(Object.entries(UNACCEPTABLE))('a certificate %s is replaced, though OpenSSL takes it', async (_, given) => {
    now = Date.UTC(2027, 0, 1);
    put(writeContents(given));
    const one = replica();
    const bundle = await one.sync();
    expect(one.secrets?.cert).not.toBe(given.certificate);
    expect(accepts(bundle, one)).toBe(true);
    expect(leaf(one.secrets?.cert ?? '').checkHost(SUBJECT, { subject: 'never' })).toBe(SUBJECT);
    await one.sync();
    expect(store.writes).toBe(1);
  });

  test('what callers cannot read of the authorities is not handed to them', async () => {
    now = Date.UTC(2027, 0, 1);
    const garbage = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    const [unknown] = Object.values(UNACCEPTABLE);
    const good = await contents(9 * YEAR_MS, await authority());
    put(writeContents({ ...good, authorities: `${garbage}${good.authorities}${unknown?.authorities}` }));
    const one = replica();
    expect(await one.sync()).toBe(good.authorities);
    expect(one.secrets?.cert).toBe(good.certificate);
  });

  test('what is made can be taken over by the system that we replace', async () => {
    await replica().sync();
    const files = stored();
    const made = leaf(files['tls.crt'] ?? '');
    const signer = leaf(files['ca-cert.pem'] ?? '');
    expect(files['ca-key.pem']).toMatch(/^-----BEGIN RSA PRIVATE KEY-----/);
    expect(signer.subject).toBe('CN=webhook-cert-ca');
    expect(made.checkIssued(signer)).toBe(true);
    expect([made.checkHost(SUBJECT), made.checkHost('localhost'), made.checkIP('127.0.0.1')]).not.toContain(undefined);
    expect(made.validToDate.getTime() - now).toBe(540 * DAY_MS);
  });

  test('a Secret of the system that we replace is served as it is', async () => {
    const theirs = await contents(5 * YEAR_MS, await authority(), [SUBJECT, 'localhost']);
    put(writeContents(theirs));
    const one = replica();
    expect(await one.sync()).toBe(theirs.authorities);
    expect(one.secrets).toEqual({ cert: theirs.certificate, key: theirs.key });
    expect(store.writes).toBe(0);
  });

  test('a certificate is renewed at two thirds of its life, the authority stays, and what else is in the Secret', async () => {
    const one = replica();
    const bundle = await one.sync();
    const first = store.object<KubeObject & { data: object }>(SECRETS, SECRET);
    put({ ...first?.data, other: 'a2VwdA==' });
    const renewals: string[] = [];
    one.onRenew(({ cert }) => renewals.push(cert));
    now += 359 * DAY_MS;
    await one.sync();
    expect(renewals).toEqual([]);
    now += 2 * DAY_MS;
    expect(await one.sync()).toBe(bundle);
    expect(renewals).toEqual([stored()['tls.crt']]);
    expect(stored().other).toBe('kept');
  });

  test('an authority is replaced with callers that trust what is served at every step', async () => {
    put(writeContents(await contents(170 * DAY_MS, await authority(300 * DAY_MS))));
    const replicas = [replica(), replica()];
    let published = await replicas[0]?.sync();
    trustedSinceMs = undefined;
    const seen = new Set<string>();
    for (let minute = 0; minute < 60; minute++) {
      for (const one of replicas) {
        const bundle = await one.sync();
        // Other replicas and callers come to know of it only now; what was published before must do until then.
        for (const each of replicas.filter(({ secrets }) => secrets !== undefined)) {
          expect(accepts(published ?? '', each)).toBe(true);
          expect(accepts(bundle, each)).toBe(true);
        }
        if (bundle !== published) trustedSinceMs = now;
        trustedSinceMs ??= now;
        published = bundle;
        seen.add(bundle);
      }
      now += 60_000;
    }
    expect(seen.size).toBe(2);
    expect(stored()['ca-cert.pem']?.match(/BEGIN/g)).toHaveLength(1);
    expect(leaf(stored()['ca-cert.pem'] ?? '').validToDate.getTime()).toBeGreaterThan(NOW + 9 * YEAR_MS);
    expect(replicas.map((one) => one.secrets?.cert)).toEqual([stored()['tls.crt'], stored()['tls.crt']]);
  });

  test('a Secret that is deleted comes back with a new authority, without a gap', async () => {
    const one = replica();
    const old = await one.sync();
    store.remove(SECRETS, SECRET);
    const bundle = await one.sync();
    expect(bundle.match(/BEGIN/g)).toHaveLength(2);
    expect(bundle.endsWith(old)).toBe(true);
    expect([accepts(old, one), accepts(bundle, one)]).toEqual([true, true]);
    trustedSinceMs = now;
    now += OVERLAP_MS;
    await one.sync();
    now += OVERLAP_MS;
    const last = await one.sync();
    expect(last.match(/BEGIN/g)).toHaveLength(1);
    expect(last).not.toBe(old);
    expect(accepts(last, one)).toBe(true);
  });

  test('an API server that cannot be asked leaves the certificate in use', async () => {
    const one = replica();
    expect(one.fault()).toBe('there is no serving certificate yet');
    await one.sync();
    const before = one.secrets;
    store.before = () => {
      throw new StatusError(503, 'ServiceUnavailable', 'later');
    };
    await expect(one.sync()).rejects.toMatchObject({ code: 503 });
    expect(one.secrets).toEqual(before);
    expect(one.fault()).toBeUndefined();
    now = (one.expiryMs ?? 0) + 1;
    expect(one.fault()).toMatch(/^the serving certificate expired on /);
  });

  test('writes that never come through end with the conflict', async () => {
    store.before = (verb) => {
      if (verb === 'create') throw new StatusError(409, 'AlreadyExists', 'there is one');
    };
    const one = replica();
    await expect(one.sync()).rejects.toMatchObject({ code: 409 });
    expect(one.secrets).toBeUndefined();
  });

  describe('that somebody else keeps', () => {
    const external = () => replica({ isExternal: true });
    const theirs = async (leftMs = YEAR_MS) => {
      const whole = await contents(leftMs, await authority());
      return { whole, data: { 'ca.crt': whole.authorities, 'tls.crt': whole.certificate, 'tls.key': whole.key } };
    };
    const encoded = (data: Record<string, string>) =>
      Object.fromEntries(Object.entries(data).map(([name, text]) => [name, Buffer.from(text).toString('base64')]));

    test('is served, followed, and never written', async () => {
      const first = await theirs();
      put(encoded(first.data));
      const one = external();
      expect(await one.sync()).toBe(first.whole.authorities);
      const second = await theirs(30 * DAY_MS);
      put(encoded(second.data));
      await one.sync();
      expect(one.secrets?.cert).toBe(second.whole.certificate);
      expect(store.writes).toBe(0);
    });

    test('with another authority is served once callers trust that one, or when the old certificate has ended', async () => {
      const first = await theirs();
      put(encoded(first.data));
      const one = external();
      await one.sync();
      const whole = await contents(YEAR_MS, await authority());
      const other = await issueAuthority('other', NOW);
      const issued = await issueServer(other, NAMES, NOW);
      put(encoded({ 'ca.crt': other.certificate, 'tls.crt': issued.certificate, 'tls.key': issued.key }));
      expect(await one.sync()).toBe(other.certificate);
      expect(one.secrets?.cert).toBe(first.whole.certificate);
      trustedSinceMs = now;
      expect(await one.sync()).toBe(other.certificate);
      expect(one.secrets?.cert).toBe(issued.certificate);
      trustedSinceMs = undefined;
      now += 91 * DAY_MS;
      put(encoded({ 'ca.crt': whole.authorities, 'tls.crt': whole.certificate, 'tls.key': whole.key }));
      await one.sync();
      expect(one.secrets?.cert).toBe(whole.certificate);
    });

    test.each<[string, (data: Record<string, string>) => Record<string, string>, RegExp]>([
      ['no certificate', ({ 'tls.crt': _, ...rest }) => rest, /certificate file is empty/],
      ['no authority', ({ 'ca.crt': _, ...rest }) => rest, /ca\.crt: expected certificates, got none/],
      ['a torn key', (data) => ({ ...data, 'tls.key': 'x' }), /key cannot be read/],
    ])('with %s leaves the last good certificate in use', async (_what, tear, message) => {
      const { data } = await theirs();
      put(encoded(data));
      const one = external();
      await one.sync();
      const before = one.secrets;
      put(encoded(tear((await theirs()).data)));
      await expect(one.sync()).rejects.toThrow(message);
      expect(one.secrets).toEqual(before);
    });

    test('with an expired certificate leaves one that is valid in use', async () => {
      put(encoded((await theirs()).data));
      const one = external();
      await one.sync();
      const before = one.secrets;
      put(encoded((await theirs(-DAY_MS)).data));
      await expect(one.sync()).rejects.toThrow(/expired on/);
      expect(one.secrets).toEqual(before);
    });

    test('is missed by name', async () => {
      await expect(external().sync()).rejects.toThrow('Secret kruise-system/kruise-webhook-certs: not found');
    });
  });
});

beforeAll(async () => {
  for (const leftMs of [9 * YEAR_MS, 300 * DAY_MS, 20 * YEAR_MS]) await authority(leftMs);
});
