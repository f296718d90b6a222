// What controllers read of pods, and the questions that all of them ask about one (admission-overview 10.1).

import type { KubeObject } from '../../kube/objects.ts';

type Named<T> = Readonly<Record<string, T>>;

export type EnvironmentVariable = {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly fieldRef?: { readonly fieldPath: string };
    readonly configMapKeyRef?: { readonly key: string };
  };
};

/** Quantities by resource, as they are written. */
export type Amounts = Named<string>;

export type PodContainer = {
  readonly name: string;
  readonly image?: string;
  readonly env?: readonly EnvironmentVariable[];
  readonly resources?: { readonly limits?: Amounts; readonly requests?: Amounts };
  readonly resizePolicy?: readonly { readonly resourceName: string; readonly restartPolicy: string }[];
  readonly restartPolicy?: string;
  readonly [member: string]: unknown;
};

export type ContainerStatus = {
  readonly name: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly image?: string;
  readonly imageID?: string;
  readonly containerID?: string;
  readonly state?: { readonly running?: { readonly startedAt?: string } };
  readonly resources?: { readonly limits?: Amounts; readonly requests?: Amounts };
};

export type PodCondition = {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string | null;
};

export type Pod = KubeObject & {
  readonly spec: {
    readonly nodeName?: string;
    readonly containers: readonly PodContainer[];
    readonly initContainers?: readonly PodContainer[];
    readonly readinessGates?: readonly { readonly conditionType: string }[];
    readonly [member: string]: unknown;
  };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly PodCondition[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly [member: string]: unknown;
  };
};

/** Is the pod neither finished nor being deleted? */
export function isActive(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return phase !== 'Succeeded' && phase !== 'Failed' && !isTerminating(pod);
}

export function isTerminating(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

export function isReady(pod: Pod): boolean {
  return conditionOf(pod, 'Ready')?.status === 'True';
}

/** Running, ready and not being deleted. */
export function isRunningAndReady(pod: Pod): boolean {
  return pod.status?.phase === 'Running' && isReady(pod) && !isTerminating(pod);
}

export function conditionOf(pod: Pod, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

/** Status of a regular container. */
export function statusOf(pod: Pod, container: string): ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find(({ name }) => name === container);
}

/** Init containers are searched first. */
export function containerOf(pod: Pod, container: string): PodContainer | undefined {
  const named = ({ name }: PodContainer) => name === container;
  return pod.spec.initContainers?.find(named) ?? pod.spec.containers.find(named);
}

/** Does the pod wait for this condition before it is ready? */
export function hasReadinessGate(pod: Pod, type: string): boolean {
  return pod.spec.readinessGates?.some(({ conditionType }) => conditionType === type) ?? false;
}

/** A time as Kubernetes writes it: RFC 3339, UTC, whole seconds. `now` is Unix time in ms. */
export function timestamp(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`;
}
