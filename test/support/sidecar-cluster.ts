// A simulated cluster in which SidecarSets are stored, pods injected and sidecars upgraded as in a real one: the webhooks
// default and hash, the policy module injects, the controller rolls out.
import { isObject, type JsonObject } from '../../api/core/json.ts';
import { findKind } from '../../api/kinds/index.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { CONTROLLER_REVISIONS, NAMESPACES, PODS } from '../../kube/resource.ts';
import type { Pod } from '../../reconcilers/shared/pod.ts';
import { sidecarSetController } from '../../reconcilers/sidecarset/controller.ts';
import { SIDECAR_SETS } from '../../reconcilers/sidecarset/state.ts';
import { namespace, SYSTEM_NAMESPACE } from './builders/cluster.ts';
import { Injection } from './injection.ts';
import { defaultSidecarSet, validateSidecarSet } from './kinds.ts';
import { SimulatedCluster } from './simulated-cluster.ts';

export const SIDECAR_SET_CONTROLLER = sidecarSetController({ systemNamespace: SYSTEM_NAMESPACE });

export class SidecarCluster {
  readonly world: SimulatedCluster;
  readonly #injection: Injection;
  readonly #namespaces: readonly JsonObject[];

  private constructor(injection: Injection, names: readonly string[], now: number) {
    this.world = new SimulatedCluster({ seed: 1, fresh: true, controllers: [SIDECAR_SET_CONTROLLER], now });
    this.#injection = injection;
    this.#namespaces = names.map((name) => namespace(name));
    for (const one of this.#namespaces) this.world.create(NAMESPACES, one);
  }

  /** With these namespaces; `now` is the time at the beginning. */
  static async start(namespaces: readonly string[], now: number): Promise<SidecarCluster> {
    return new SidecarCluster(await Injection.start(), namespaces, now);
  }

  /** Creates the SidecarSet, or replaces the one of its name, in whatever version. Throws if a webhook refuses it. */
  async apply(set: JsonObject): Promise<void> {
    const kind = findKind(SIDECAR_SETS.group, SIDECAR_SETS.kind);
    if (kind === undefined) throw new Error('SidecarSets are not known');
    const { name = '' } = set.metadata as { name?: string };
    const present = this.world.get(SIDECAR_SETS, { name }) as unknown as JsonObject | undefined;
    const version = String(set.apiVersion).replace(/^.*\//, '');
    const old = present === undefined || version === kind.storage ? present : kind.convert(present, version);
    const defaulted = await defaultSidecarSet(set, [], old);
    const verdict = await validateSidecarSet(defaulted, [], old);
    if (!verdict.allowed) throw new Error(`the SidecarSet is refused: ${verdict.message}`);
    const stored = version === kind.storage ? defaulted : kind.convert(defaulted, kind.storage);
    if (present === undefined) this.world.create(SIDECAR_SETS, stored);
    else {
      this.world.change(SIDECAR_SETS, { name }, ({ metadata, status }) => {
        const annotations = (stored.metadata as JsonObject).annotations ?? {};
        return { ...stored, metadata: { ...(metadata as JsonObject), annotations }, status: status ?? {} };
      });
    }
  }

  /** Creates a pod with what is injected into it now. */
  create(pod: JsonObject): void {
    const sets = this.world.list(SIDECAR_SETS) as readonly unknown[] as JsonObject[];
    this.#injection.hold(...this.#namespaces, ...sets);
    this.world.create(PODS, this.#injection.create(pod, {}, this.world.now));
  }

  /** The pods by name. */
  get pods(): Readonly<Record<string, Pod>> {
    return Object.fromEntries((this.world.list(PODS) as readonly Pod[]).map((pod) => [pod.metadata.name, pod]));
  }

  /** Image of a container by pod. */
  images(container: string): Record<string, string | undefined> {
    const imageOf = ({ spec }: Pod) => spec.containers.find(({ name }) => name === container)?.image;
    return Object.fromEntries(Object.entries(this.pods).map(([name, pod]) => [name, imageOf(pod)]));
  }

  /** A SidecarSet as it is stored. */
  set(name: string): JsonObject {
    const set = this.world.get(SIDECAR_SETS, { name });
    if (set === undefined) throw new Error(`there is no SidecarSet ${name}`);
    return set as unknown as JsonObject;
  }

  status(set: string): JsonObject {
    const { status } = this.set(set);
    return isObject(status) ? status : {};
  }

  get revisions(): readonly KubeObject[] {
    return this.world.list(CONTROLLER_REVISIONS);
  }
}
