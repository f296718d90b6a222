// What of a refused review is counted, logged and told: deletions of protected objects, and pods whose budget is used up
// (podunavailablebudget 9, operations 12).

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

type Review = {
  request?: {
    name?: unknown;
    namespace?: unknown;
    kind?: { kind?: unknown };
    userInfo?: { username?: unknown };
    dryRun?: unknown;
    options?: { dryRun?: unknown };
    object?: { deleteOptions?: { dryRun?: unknown } } | null;
    oldObject?: { metadata?: { name?: unknown } } | null;
  };
  response?: { status?: { reason?: unknown }; auditAnnotations?: Record<string, string> };
};

/**
 * The denial that an answer is; undefined for a refusal that is an error, and for dry runs, which leave no traces. Called
 * for refusals with code 403 only: it parses both bodies.
 */
export function readDenial(path: string, body: Uint8Array, answer: Uint8Array): Denial | undefined {
  const { request } = parsed(body);
  const { response } = parsed(answer);
  if (request === undefined || response?.status?.reason !== 'Forbidden' || isDryRun(request)) return undefined;
  const username = text(request.userInfo?.username);
  const name = text(request.name) || text(request.oldObject?.metadata?.name);
  const namespace = text(request.namespace);
  if (path !== '/validate-pod') {
    return { event: 'DeletionProtection', kind: text(request.kind?.kind), namespace, name, username };
  }
  const audit = response.auditAnnotations ?? {};
  const pod = { name, namespace: namespace || 'default', uid: audit['pod-uid'] ?? '' };
  const owner = { kind: audit['owner-kind'] ?? 'unknown', name: audit['owner-name'] ?? name };
  return { event: 'PodUnavailableBudget', ...owner, namespace: pod.namespace, username, pod };
}

function isDryRun({ dryRun, options, object }: NonNullable<Review['request']>): boolean {
  return dryRun === true || isListed(options?.dryRun) || isListed(object?.deleteOptions?.dryRun);
}

function isListed(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function parsed(body: Uint8Array): Review {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8')) as Review;
  } catch {
    // Nothing to tell of a request that cannot be read.
    return {};
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
