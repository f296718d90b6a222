// A simulated cluster with the webhooks of pods and the controller of budgets: pods come and go through admission, or
// past it, as when they were there before.
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { PODS, type Resource } from '../../kube/resource.ts';
import { podReadiness } from '../../reconcilers/podreadiness/controller.ts';
import { podUnavailableBudget } from '../../reconcilers/podunavailablebudget/controller.ts';
import { BUDGETS } from '../../reconcilers/podunavailablebudget/state.ts';
import type { Pod } from '../../reconcilers/shared/pod.ts';
import { SimulatedCluster } from './simulated-cluster.ts';
import { SimulatedAdmission } from './simulation/admission.ts';

export class BudgetCluster {
  readonly world: SimulatedCluster;
  readonly admission: SimulatedAdmission;

  /** One at a time in a test: clusters share a policy module. `failures` is the share of writes that fail. */
  constructor({ seed = 1, failures = 0 }: { seed?: number; failures?: number } = {}) {
    const availability = { isAvailable: (pod: Pod): boolean => this.admission.isAvailable(pod) };
    // Pods of Sluice's own kinds are not ready before they have its condition.
    const controllers = [podUnavailableBudget(availability), podReadiness];
    this.world = new SimulatedCluster({ seed, failures, controllers });
    this.admission = new SimulatedAdmission(this.world, [BUDGETS]);
    onTestFinished(() => this.admission.end());
  }

  budget(name: string, spec: JsonObject): void {
    this.world.create(BUDGETS, { metadata: { namespace: 'shop', name }, spec });
  }

  /** A workload of namespace `shop` whose template has label `app: web`; returns the reference to it. */
  workload(resource: Resource, name: string, spec: JsonObject, owner?: JsonObject): JsonObject {
    const owners = owner === undefined ? {} : { ownerReferences: [owner] };
    const { metadata, apiVersion, kind } = this.world.create(resource, {
      metadata: { namespace: 'shop', name, labels: { app: 'web' }, ...owners },
      spec: { template: { metadata: { labels: { app: 'web' } } }, ...spec },
    });
    return { apiVersion, kind, name, uid: metadata.uid, controller: true };
  }

  /** Pods `<prefix>-<i>` with label `app: web`. `isAdmitted` tells whether the webhooks are asked. */
  pods(
    count: number,
    owner: JsonObject,
    parts: { prefix?: string; isAdmitted?: boolean; labels?: JsonObject } = {},
  ): void {
    const { prefix = 'web', isAdmitted = true, labels = {} } = parts;
    for (let i = 0; i < count; i++) {
      const pod: JsonObject = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          namespace: 'shop',
          name: `${prefix}-${i}`,
          labels: { app: 'web', ...labels },
          ownerReferences: [owner],
        },
        spec: { containers: [{ name: 'app', image: 'app:1' }] },
      };
      if (isAdmitted) this.admission.create(pod);
      else this.world.create(PODS, pod);
    }
  }

  async rest(options: Parameters<SimulatedCluster['rest']>[0] = {}): Promise<void> {
    await this.world.rest({ ...options, actors: [this.admission.actor, ...(options.actors ?? [])] });
  }

  get all(): readonly Pod[] {
    return this.world.list(PODS, 'shop') as readonly Pod[];
  }

  get available(): number {
    return this.all.filter((pod) => this.admission.isAvailable(pod)).length;
  }

  /** The budgets that pods name, by pod. */
  get links(): Record<string, string | undefined> {
    return Object.fromEntries(
      this.all.map(({ metadata }) => [metadata.name, metadata.annotations?.['pub.kruise.io/related-pub']]),
    );
  }

  status(budget: string): JsonObject {
    return (this.world.get(BUDGETS, { namespace: 'shop', name: budget })?.status ?? {}) as JsonObject;
  }

  /** Asks to delete every pod, one after the other; returns those that may go. */
  deleteAll(pods: readonly KubeObject[] = this.all): string[] {
    return pods.filter((pod) => this.admission.delete(pod)).map(({ metadata }) => metadata.name);
  }
}
