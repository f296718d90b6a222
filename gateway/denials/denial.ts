// What of a refused review is counted, logged and told: deletions of protected objects, and pods whose budget is used up
// (podunavailablebudget 9, operations 12).

import { RequestMembers } from './request-members.ts';

/** A refusal; can be sent to another thread. */
export type Denial = {
  readonly event: 'PodUnavailableBudget' | 'DeletionProtection';
  /** Of what was to be deleted; of a pod its controller, or `unknown` and the pod itself. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly username: string;
  /** The pod that its budget keeps. */
  readonly pod?: { readonly name: string; readonly namespace: string; readonly uid: string };
};

type Response = { status?: { reason?: unknown }; auditAnnotations?: Record<string, string> };

/**
 * The denial that an answer is; undefined for a refusal that is an error, and for dry runs, which leave no traces. Called
 * for refusals with code 403 only: it reads the answer and parts of the request.
 */
export function readDenial(path: string, body: Uint8Array, answer: Uint8Array): Denial | undefined {
  const response = responseIn(answer);
  if (response?.status?.reason !== 'Forbidden') return undefined;
  const request = RequestMembers.of(body);
  if (isDryRun(request)) return undefined;
  const username = text(memberOf(request.get('userInfo'), 'username'));
  const name = text(request.get('name')) || text(memberOf(memberOf(request.get('oldObject'), 'metadata'), 'name'));
  const namespace = text(request.get('namespace'));
  if (path !== '/validate-pod') {
    const kind = text(memberOf(request.get('kind'), 'kind'));
    return { event: 'DeletionProtection', kind, namespace, name, username };
  }
  const audit = response.auditAnnotations ?? {};
  const pod = { name, namespace: namespace || 'default', uid: audit['pod-uid'] ?? '' };
  const owner = { kind: audit['owner-kind'] ?? 'unknown', name: audit['owner-name'] ?? name };
  return { event: 'PodUnavailableBudget', ...owner, namespace: pod.namespace, username, pod };
}

/** Only objects of sub-resources have options of their own: others are left unread. */
function isDryRun(request: RequestMembers): boolean {
  return (
    request.get('dryRun') === true ||
    isListed(memberOf(request.get('options'), 'dryRun')) ||
    (text(request.get('subResource')) !== '' &&
      isListed(memberOf(memberOf(request.get('object'), 'deleteOptions'), 'dryRun')))
  );
}

function isListed(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function responseIn(answer: Uint8Array): Response | undefined {
  try {
    return memberOf(parseBytes(answer), 'response') as Response | undefined;
  } catch {
    // Nothing to tell of an answer that cannot be read.
    return undefined;
  }
}

function parseBytes({ buffer, byteOffset, length }: Uint8Array): unknown {
  return JSON.parse(Buffer.from(buffer, byteOffset, length).toString('utf8'));
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
