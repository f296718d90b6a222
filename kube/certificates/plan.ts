// What has to happen to the certificates of an installation now. A new authority is trusted everywhere before anything is
// signed by it, and the old one until nobody serves what it signed:
//
//   authorities: old        certificate: of old     the certificate nears its end, and so does the authority
//   authorities: new old    certificate: of old     until callers are known to trust both for a while
//   authorities: new old    certificate: of new     until every replica has surely taken it over
//   authorities: new        certificate: of new

import type { X509Certificate } from 'node:crypto';
import { certificatesOf, isKnownToCallers, pemOf } from './bundle.ts';
import { AUTHORITY_LIFE_MS, BACKDATE_MS, isAuthority } from './issue.ts';
import { checkPair } from './pair.ts';
import type { CertificateContents } from './secret.ts';

export type CertificateState = {
  /** What is stored; undefined when nothing is. */
  readonly stored: CertificateContents | undefined;
  /** What this process serves, undefined before it serves anything. */
  readonly served: CertificateContents | undefined;
  /** Since when all callers are known to trust the stored authorities; undefined while some may not. */
  readonly trustedSinceMs: number | undefined;
};

export type CertificateSettings = {
  /** The name by which the API server calls. */
  readonly subject: string;
  /** How long before its end a certificate is replaced; see `renewBefore`. */
  readonly renewBeforeMs: number;
};

/** `trusted` are certificates (PEM) of former authorities that stay trusted. */
export type CertificatePlan =
  | { readonly type: 'keep' }
  /** The stored contents stay, but for former authorities that nobody needs any more. */
  | { readonly type: 'trust'; readonly trusted: readonly string[] }
  /** A new certificate of the stored authority. */
  | { readonly type: 'issue' }
  /** A new authority; `kept` is the certificate to serve on with, without it there is a new one too. */
  | {
      readonly type: 'replace';
      readonly trusted: readonly string[];
      readonly kept: Pick<CertificateContents, 'certificate' | 'key'> | undefined;
    };

const DAY_MS = 86_400_000;
const DEFAULT_RENEW_BEFORE_MS = 180 * DAY_MS;
/** An authority with less left is not used for new certificates. */
const LEAST_AUTHORITY_MS = 365 * DAY_MS;
/** How long both authorities are trusted on each side of the change of certificates. Far above what it takes to be told. */
export const OVERLAP_MS = 10 * 60_000;
/** A certificate with less left is not kept for the sake of an overlap. */
const URGENT_MS = DAY_MS;
const MOST_TRUSTED = 2;
/** Extended key usages of servers: by its name, and any. */
const SERVER_USES: readonly string[] = ['1.3.6.1.5.5.7.3.1', '2.5.29.37.0'];

/**
 * Milliseconds of `CERTS_RENEW_BEFORE` (`<int><d|m|y>`), 180 days for anything else. At most a third of the life of an
 * authority, which could not be renewed in time otherwise.
 */
export function renewBefore(text: string | undefined): number {
  const [, amount, unit] = /^(\d{1,6})([dmy])$/.exec(text ?? '') ?? [];
  const days = { d: 1, m: 30, y: 365 }[unit ?? ''] ?? 0;
  const wanted = Number(amount ?? 0) * days * DAY_MS;
  return wanted > 0 ? Math.min(wanted, AUTHORITY_LIFE_MS / 3) : DEFAULT_RENEW_BEFORE_MS;
}

/** How long new certificates live: they are replaced after two thirds of it. */
export function certificateLife({ renewBeforeMs }: CertificateSettings): number {
  return 3 * renewBeforeMs;
}

/** Pure. A settled state gives `keep`. */
export function planCertificates(state: CertificateState, settings: CertificateSettings, now: number): CertificatePlan {
  const { stored, trustedSinceMs } = state;
  const current = stored === undefined ? undefined : judge(stored, settings.subject);
  if (current?.isServable(now) === true) {
    const authority = current.authorities[0];
    if (authority === undefined || !isSignedBy(current.leaf, authority)) {
      const isTrusted = trustedSinceMs !== undefined && now - trustedSinceMs >= OVERLAP_MS;
      if (!isLastingAuthority(stored, settings, now)) return replacement(state, settings, now);
      return isTrusted || !current.isServable(now + URGENT_MS) ? { type: 'issue' } : { type: 'keep' };
    }
    if (current.isServable(now + settings.renewBeforeMs)) {
      const isSettled = now - (current.leaf.validFromDate.getTime() + BACKDATE_MS) >= OVERLAP_MS;
      return isSettled && current.authorities.length > 1 ? { type: 'trust', trusted: [] } : { type: 'keep' };
    }
  }
  if (isLastingAuthority(stored, settings, now)) return { type: 'issue' };
  return replacement(state, settings, now);
}

/** A new authority beside what is, or was, served and still holds; whoever signed that is trusted first. */
function replacement({ stored, served }: CertificateState, { subject }: CertificateSettings, now: number) {
  const candidates = [stored, served].filter((contents) => contents !== undefined);
  const kept = candidates.find((contents) => judge(contents, subject)?.isServable(now) === true);
  const former = [...(kept === undefined ? [] : [kept]), ...candidates].flatMap(({ authorities }) =>
    certificatesOf(authorities).filter((certificate) => certificate.ca && isTimely(certificate, now)),
  );
  const trusted = [...new Set(former.map(pemOf))].slice(0, MOST_TRUSTED);
  return { type: 'replace', trusted, kept } as const;
}

type Verdict = {
  leaf: X509Certificate;
  authorities: readonly X509Certificate[];
  /** Do callers that trust the authorities accept the certificate then? */
  isServable: (timeMs: number) => boolean;
};

/** Undefined for contents that cannot be served at any time. */
function judge(contents: CertificateContents, subject: string): Verdict | undefined {
  try {
    const { leaf } = checkPair(contents);
    const authorities = certificatesOf(contents.authorities);
    const hasName = (leaf.checkHost(subject, { subject: 'never' }) ?? leaf.checkIP(subject)) !== undefined;
    const isAccepted = hasName && isKnownToCallers(leaf) && isForServers(leaf);
    const signers = authorities.filter((authority) => isSignedBy(leaf, authority));
    const isServable = (timeMs: number) =>
      isAccepted && isTimely(leaf, timeMs) && signers.some((authority) => isTimely(authority, timeMs));
    return { leaf, authorities, isServable };
  } catch {
    // Torn contents are an answer too: there is nothing to serve.
    return undefined;
  }
}

function isLastingAuthority(
  contents: CertificateContents | undefined,
  { renewBeforeMs }: CertificateSettings,
  now: number,
): boolean {
  if (contents === undefined) return false;
  if (!isAuthority({ certificate: contents.authorities, key: contents.authorityKey })) return false;
  // What it signs must not be due for renewal at once.
  const wanted = Math.max(LEAST_AUTHORITY_MS, 1.5 * renewBeforeMs);
  return certificatesOf(contents.authorities)
    .slice(0, 1)
    .every((first) => isTimely(first, now + wanted));
}

function isSignedBy(leaf: X509Certificate, authority: X509Certificate): boolean {
  return leaf.checkIssued(authority) && leaf.verify(authority.publicKey);
}

// One that does not say what it is for is for anything.
function isForServers({ keyUsage }: X509Certificate): boolean {
  return keyUsage === undefined || keyUsage.some((use) => SERVER_USES.includes(use));
}

function isTimely(certificate: X509Certificate, timeMs: number): boolean {
  return certificate.validFromDate.getTime() <= timeMs && timeMs <= certificate.validToDate.getTime();
}
