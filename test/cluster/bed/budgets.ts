// Budgets and pods of a bed without nodes: pods are said to run, and budgets get the status that a controller gives them.
import type { JsonObject } from '../../../api/core/json.ts';
import type { Answer, Client } from './client.ts';

const NAMESPACE = 'shop';
const BUDGETS = `/apis/policy.kruise.io/v1beta1/namespaces/${NAMESPACE}/podunavailablebudgets`;
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
const IMAGE = 'registry.example.com/main:1';

export type BudgetStatus = {
  unavailableAllowed: number;
  currentAvailable: number;
  desiredAvailable: number;
  totalReplicas: number;
  disruptedPods?: Record<string, string>;
};
type Budget = JsonObject & { metadata: { uid: string; resourceVersion: string }; status?: BudgetStatus };

/** All in namespace `shop`. */
export class Budgets {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Makes a budget for the pods labelled `app: name`, with so many units. */
  async create(name: string, units: number): Promise<void> {
    const object = {
      apiVersion: 'policy.kruise.io/v1beta1',
      kind: 'PodUnavailableBudget',
      metadata: { name },
      spec: { selector: { matchLabels: { app: name } }, maxUnavailable: '50%' },
    };
    const stored = await this.#client.must(this.#client.send('POST', BUDGETS, object));
    const status = { unavailableAllowed: units, currentAvailable: 10, desiredAvailable: 5, totalReplicas: 10 };
    await this.#client.must(this.#client.send('PUT', `${BUDGETS}/${name}/status`, { ...stored, status }));
  }

  delete(name: string): Promise<JsonObject> {
    return this.#client.must(this.#client.delete(`${BUDGETS}/${name}`));
  }

  async get(name: string): Promise<Budget> {
    return (await this.#client.must(this.#client.get(`${BUDGETS}/${name}`))) as Budget;
  }

  async status(name: string): Promise<BudgetStatus> {
    const { status } = await this.get(name);
    if (status === undefined) throw new Error(`${name} has no status`);
    return status;
  }

  /** Writes a status if the budget is still the one that was read. */
  write(budget: Budget, status: BudgetStatus): Promise<Answer> {
    const { name } = budget.metadata as unknown as { name: string };
    return this.#client.send('PUT', `${BUDGETS}/${name}/status`, { ...budget, status } as unknown as JsonObject);
  }

  /** Makes pods `app-0`, `app-1`, ... that run and are ready, and resolves to their names. */
  async runningPods(app: string, count: number): Promise<string[]> {
    const names = Array.from({ length: count }, (_, i) => `${app}-${i}`);
    for (let at = 0; at < count; at += 20) {
      await Promise.all(names.slice(at, at + 20).map((name) => this.runningPod(name, app)));
    }
    return names;
  }

  async runningPod(name: string, app: string): Promise<void> {
    const spec = { containers: [{ name: 'main', image: IMAGE }], terminationGracePeriodSeconds: 0 };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app } }, spec };
    await this.#client.must(this.#client.send('POST', PODS, pod));
    const container = { name: 'main', image: IMAGE, imageID: `${IMAGE}@sha256:${'1'.repeat(64)}` };
    const status = {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [{ ...container, ready: true, restartCount: 0, started: true }],
    };
    await this.#client.must(this.#client.send('PATCH', `${PODS}/${name}/status`, { status } as JsonObject));
  }

  /** Pods of an app that are there. */
  async pods(app: string): Promise<{ metadata: { name: string; uid: string }; status: JsonObject }[]> {
    const { items } = await this.#client.must(this.#client.get(`${PODS}?labelSelector=app%3D${app}`));
    return items as { metadata: { name: string; uid: string }; status: JsonObject }[];
  }

  deletePod(name: string, query = ''): Promise<Answer> {
    return this.#client.delete(`${PODS}/${name}${query}`);
  }

  evict(name: string, deleteOptions: JsonObject = {}, query = ''): Promise<Answer> {
    const metadata = { name, namespace: NAMESPACE };
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata, deleteOptions };
    return this.#client.send('POST', `${PODS}/${name}/eviction${query}`, eviction);
  }
}

/** The review of a pod's deletion, as the API server sends it. */
export async function deletionReview(client: Client, name: string): Promise<JsonObject> {
  const oldObject = await client.must(client.get(`${PODS}/${name}`));
  return {
    uid: `review-${name}`,
    kind: { group: '', version: 'v1', kind: 'Pod' },
    resource: { group: '', version: 'v1', resource: 'pods' },
    name,
    namespace: NAMESPACE,
    operation: 'DELETE',
    userInfo: { username: 'admin' },
    object: null,
    oldObject,
    dryRun: false,
    options: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' },
  };
}
