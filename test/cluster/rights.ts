// What the accounts of an installation asked the API server, and what the installation lets them ask.
import { readFileSync } from 'node:fs';
import { type JsonObject, parseJson } from '../../api/core/json.ts';
import { auditFile } from './bed/apiserver.ts';

/** One kind of request, however often it was sent. */
export type Asked = {
  account: string;
  verb: string;
  group: string;
  /** With its sub-resource: `pods/status`. */
  resource: string;
  namespace: string;
  name: string;
  isAllowed: boolean;
};

/** A verb of a rule, as `ServiceAccount: verb resources (group)`, and what it lets through. */
export type Right = { text: string; allows(asked: Asked): boolean; isNarrow: boolean };

type Rule = { apiGroups: string[]; resources: string[]; verbs: string[]; resourceNames?: string[] };

/** What accounts of the namespace asked of resources. */
export function askedBy(folder: string, namespace: string): Asked[] {
  const prefix = `system:serviceaccount:${namespace}:`;
  const found = new Map<string, Asked>();
  for (const line of readFileSync(auditFile(folder), 'utf8').split('\n')) {
    if (!line.includes(prefix)) continue;
    const event = parseJson(line) as unknown as AuditEvent;
    const { objectRef: object, user, verb, annotations = {} } = event;
    if (object === undefined || !user.username.startsWith(prefix)) continue;
    const asked: Asked = {
      account: user.username.slice(prefix.length),
      verb,
      group: object.apiGroup ?? '',
      resource: [object.resource, ...(object.subresource === undefined ? [] : [object.subresource])].join('/'),
      namespace: object.namespace ?? '',
      name: object.name ?? '',
      isAllowed: annotations['authorization.k8s.io/decision'] === 'allow',
    };
    found.set(JSON.stringify(asked), asked);
  }
  return [...found.values()];
}

type AuditEvent = {
  verb: string;
  user: { username: string };
  objectRef?: { resource: string; subresource?: string; apiGroup?: string; namespace?: string; name?: string };
  annotations?: Record<string, string>;
};

/** The rights that the bindings among these objects give to ServiceAccounts. */
export function rightsOf(objects: readonly JsonObject[]): Right[] {
  const bindings = objects.filter(({ kind }) => kind === 'ClusterRoleBinding' || kind === 'RoleBinding');
  return bindings.flatMap((binding) => {
    const { roleRef, subjects, metadata } = binding as unknown as Binding;
    const role = objects.find((object) => object.kind === roleRef.kind && nameOf(object) === roleRef.name);
    const rules = (role?.rules ?? []) as unknown as Rule[];
    return subjects.flatMap(({ name: account }) =>
      rules.flatMap((rule) => rightsOfRule(account, rule, metadata.namespace)),
    );
  });
}

/** The rights that nothing of what was asked needed; a request counts for the rules that name its resource, if any do. */
export function unused(rights: readonly Right[], asked: readonly Asked[]): string[] {
  const used = new Set<Right>();
  for (const one of asked) {
    const allowing = rights.filter((right) => right.allows(one));
    const narrow = allowing.filter(({ isNarrow }) => isNarrow);
    for (const right of narrow.length > 0 ? narrow : allowing) used.add(right);
  }
  return rights.filter((right) => !used.has(right)).map(({ text }) => text);
}

type Binding = {
  metadata: { namespace?: string };
  roleRef: { kind: string; name: string };
  subjects: { name: string }[];
};

function rightsOfRule(account: string, rule: Rule, namespace: string | undefined): Right[] {
  const { apiGroups, resources, resourceNames } = rule;
  const isNarrow = !apiGroups.includes('*') && !resources.includes('*');
  return rule.verbs.map((verb) => ({
    text: `${account}: ${verb} ${resources.join(', ')} (${apiGroups.join(', ')})`,
    isNarrow,
    allows: (asked) =>
      asked.account === account &&
      asked.verb === verb &&
      (namespace === undefined || namespace === asked.namespace) &&
      (apiGroups.includes('*') || apiGroups.includes(asked.group)) &&
      resources.some((resource) => covers(resource, asked.resource)) &&
      (resourceNames === undefined || resourceNames.includes(asked.name)),
  }));
}

function covers(resource: string, asked: string): boolean {
  return resource === '*' || resource === asked || resource === `*/${asked.slice(asked.indexOf('/') + 1)}`;
}

function nameOf(object: JsonObject): string {
  return String((object.metadata as JsonObject).name);
}
