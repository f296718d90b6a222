// The accounts of the chart in a bed without nodes: their roles, what is taken away from them and given back, and how
// programs that run beside the cluster are one of them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../api/core/json.ts';
import { render } from '../../charts/helm.ts';
import type { Bed } from './bed.ts';
import { until } from './installation.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const KINDS = ['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'];

/** What a role lets do. */
export type Rule = { apiGroups: string[]; resources: string[]; verbs: string[]; resourceNames?: string[] };

/** Creates the accounts of the chart with their roles; the system namespace must be there. */
export async function createAccounts(bed: Bed, values: JsonObject = {}): Promise<void> {
  const objects = (await render(values)).filter(({ kind }) => KINDS.includes(String(kind)));
  const list = { apiVersion: 'v1', kind: 'List', items: objects };
  const { code, stderr } = await bed.kubectl(['apply', '-f', '-'], JSON.stringify(list));
  if (code !== 0) throw new Error(`accounts: ${stderr}`);
}

/** A kubeconfig with which a program is an account of the system namespace, by way of another `server` if one is given. */
export async function kubeconfigFor(bed: Bed, account: string, server = bed.client.server): Promise<string> {
  const path = `/api/v1/namespaces/kruise-system/serviceaccounts/${account}/token`;
  const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 86_400 } };
  const { status } = await bed.client.must(bed.client.send('POST', path, asked));
  const given = JSON.parse((await bed.kubectl(['config', 'view', '--raw', '-o', 'json'])).stdout) as Kubeconfig;
  const { token } = status as { token: string };
  const file = join(bed.folder, `${account}.kubeconfig`);
  const clusters = given.clusters.map(({ name, cluster }) => ({ name, cluster: { ...cluster, server } }));
  const config = { ...given, clusters, users: given.users.map(({ name }) => ({ name, user: { token } })) };
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

type Kubeconfig = { clusters: { name: string; cluster: JsonObject }[]; users: { name: string }[] };

/**
 * Takes verbs of resources away from every role of an account, wherever a rule names them. Resolves, when the API server
 * goes by that, to how they are given back.
 */
export async function revoke(bed: Bed, account: string, isTaken: IsTaken): Promise<() => Promise<void>> {
  const taken: { path: string; rules: Rule[] }[] = [];
  const rights: Right[] = [];
  for (const path of await rolesOf(bed, account)) {
    const role = await bed.client.must(bed.client.get(path));
    const rules = (role.rules ?? []) as unknown as Rule[];
    const lost = rules.flatMap((rule) => rightsOf(rule).filter((right) => isTaken(right.verb, nameOf(right))));
    if (lost.length === 0) continue;
    taken.push({ path, rules });
    rights.push(...lost);
    await replaceRules(
      bed,
      path,
      rules.flatMap((rule) => without(rule, isTaken)),
    );
  }
  if (taken.length === 0) throw new Error(`${account} has no such right`);
  for (const right of rights) await until('the right is taken', async () => !(await isAllowed(bed, account, right)));
  return async () => {
    for (const { path, rules } of taken) await replaceRules(bed, path, rules);
    for (const right of rights) await until('the right is given back', () => isAllowed(bed, account, right));
  };
}

/** `resource` with its sub-resource: `pods/status`. */
export type IsTaken = (verb: string, resource: string) => boolean;
type Right = { group: string; resource: string; subresource: string; verb: string; name: string };

function rightsOf({ apiGroups, resources, verbs, resourceNames = [''] }: Rule): Right[] {
  const [group = ''] = apiGroups;
  const [name = ''] = resourceNames;
  return resources.flatMap((text) =>
    verbs.map((verb) => {
      const [resource = '', subresource = ''] = text.split('/');
      return { group, resource, subresource, verb, name };
    }),
  );
}

function nameOf({ resource, subresource }: Right): string {
  return subresource === '' ? resource : `${resource}/${subresource}`;
}

async function isAllowed(bed: Bed, account: string, right: Right): Promise<boolean> {
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: {
      user: `system:serviceaccount:kruise-system:${account}`,
      resourceAttributes: { ...right, namespace: 'kruise-system' },
    },
  };
  const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
  const { status } = await bed.client.must(bed.client.send('POST', path, review));
  return (status as { allowed: boolean }).allowed;
}

async function replaceRules(bed: Bed, path: string, rules: readonly Rule[]): Promise<void> {
  const role = await bed.client.must(bed.client.get(path));
  await bed.client.must(bed.client.send('PUT', path, { ...role, rules: rules as unknown as JsonObject[] }));
}

/** A rule as one a resource, so that each keeps the verbs that are not taken. */
function without({ resources, verbs, ...rest }: Rule, isTaken: IsTaken): Rule[] {
  return resources.flatMap((resource) => {
    const left = verbs.filter((verb) => !isTaken(verb, resource));
    return left.length === 0 ? [] : [{ ...rest, resources: [resource], verbs: left }];
  });
}

async function rolesOf(bed: Bed, account: string): Promise<string[]> {
  const { items: wide } = await bed.client.must(bed.client.get(`${RBAC}/clusterrolebindings`));
  const { items: narrow } = await bed.client.must(bed.client.get(`${RBAC}/namespaces/kruise-system/rolebindings`));
  const bindings = [...(wide as unknown as Binding[]), ...(narrow as unknown as Binding[])];
  return bindings
    .filter(({ subjects = [] }) => subjects.some(({ kind, name }) => kind === 'ServiceAccount' && name === account))
    .map(({ roleRef: { kind, name } }) =>
      kind === 'ClusterRole' ? `${RBAC}/clusterroles/${name}` : `${RBAC}/namespaces/kruise-system/roles/${name}`,
    );
}

type Binding = { subjects?: { kind: string; name: string }[]; roleRef: { kind: string; name: string } };
