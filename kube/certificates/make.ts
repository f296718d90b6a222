// Makes what a plan for certificates asks for.

import { certificatesOf, pemOf } from './bundle.ts';
import { issueAuthority, issueServer } from './issue.ts';
import { type CertificatePlan, type CertificateSettings, certificateLife } from './plan.ts';
import type { CertificateContents } from './secret.ts';

const AUTHORITY_NAME = 'webhook-cert-ca';

export type Making = CertificateSettings & {
  /** Names and addresses of the certificate; the first is its subject. */
  readonly names: readonly string[];
};

/** The contents to store; undefined when those that are stored may stay. */
export async function makeContents(
  plan: CertificatePlan,
  stored: CertificateContents | undefined,
  making: Making,
  now: number,
): Promise<CertificateContents | undefined> {
  if (plan.type === 'keep') return undefined;
  if (plan.type === 'replace') {
    // Compatibility: the system that we replace takes an authority over only with an RSA key.
    const authority = await issueAuthority(AUTHORITY_NAME, now, 'RSA');
    const issued = plan.kept ?? (await issue(authority, making, now));
    const authorities = `${authority.certificate.trim()}\n${plan.trusted.join('')}`;
    return { authorities, authorityKey: authority.key, certificate: issued.certificate, key: issued.key };
  }
  if (stored === undefined) throw new Error(`a plan to ${plan.type} needs an authority`);
  if (plan.type === 'issue') {
    const authority = { certificate: stored.authorities, key: stored.authorityKey };
    return { ...stored, ...(await issue(authority, making, now)) };
  }
  const own = certificatesOf(stored.authorities).slice(0, 1).map(pemOf);
  return { ...stored, authorities: [...own, ...plan.trusted].join('') };
}

function issue(authority: { certificate: string; key: string }, making: Making, now: number) {
  return issueServer(authority, making.names, now, certificateLife(making));
}
