// What the node daemon reports of the containers of a pod, held against what they shall be (inplace-update 6).

import { Container } from '../../../api/core/containers.ts';
import { decode } from '../../../api/core/decode.ts';
import { encode, encodeSorted } from '../../../api/core/encode.ts';
import { deepHash } from '../../../api/core/hashes.ts';
import type { Json } from '../../../api/core/json.ts';
import { int64, list, nullable, optional, required, type Static, struct, text } from '../../../api/core/schema.ts';
import { RUNTIME_CONTAINERS_META } from '../../../api/names.ts';
import type { Pod, PodContainer } from '../pod.ts';
import { statusOf } from '../pod.ts';
import { metadataReferences } from './environment.ts';
import { readRecord } from './state.ts';

const RuntimeContainerMeta = struct('pub.RuntimeContainerMeta', {
  name: required(text()),
  containerID: required(text()),
  restartCount: required(int64()),
  hashes: required(
    struct('pub.RuntimeContainerHashes', {
      plainHash: required(int64()),
      extractedEnvFromMetadataHash: optional(int64()),
    }),
  ),
});
const RuntimeContainersMeta = struct('pub.RuntimeContainerMetaSet', {
  containers: nullable(list(RuntimeContainerMeta)),
});
/** What the daemon found out about the containers of a pod. */
export type RuntimeReport = Static<typeof RuntimeContainersMeta>;

/** The report on the pod; undefined if there is none, 'unreadable' if it cannot be read. */
export function runtimeReport(pod: Pod): RuntimeReport | 'unreadable' | undefined {
  const annotation = pod.metadata.annotations?.[RUNTIME_CONTAINERS_META];
  return annotation === undefined ? undefined : (readRecord(RuntimeContainersMeta, annotation) ?? 'unreadable');
}

/** Does the container run what its spec says, by the report? */
export function isPlainCurrent(pod: Pod, container: PodContainer, report: RuntimeReport): boolean {
  const hash = hashesOf(pod, container, report)?.plainHash;
  return hash !== undefined && plainHashes(container).includes(Number(hash));
}

/** Has the container the environment that labels and annotations give it now, by the report? */
export function isEnvironmentCurrent(pod: Pod, container: PodContainer, report: RuntimeReport): boolean {
  const hashes = hashesOf(pod, container, report);
  return hashes !== undefined && Number(hashes.extractedEnvFromMetadataHash ?? 0) === environmentHash(pod, container);
}

/** Kubelets from 1.31 on hash name and image, those before the whole container. */
export function plainHashes(container: PodContainer): readonly number[] {
  const { name, image = '' } = container;
  const whole = decode(Container, container as unknown as Json).value;
  return [hashOf(encodeSorted({ image, name })), hashOf(encode(Container, whole as Json))];
}

/** Of the variables that stand for a label or an annotation, by name. */
export function environmentHash({ metadata }: Pod, container: PodContainer): number {
  const variables = metadataReferences(container)
    .map(({ variable, from, key }) => ({ name: variable, value: metadata[from]?.[key] ?? '' }))
    .sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
    .map(({ name, value }) => (value === '' ? { name } : { name, value }));
  return hashOf(variables.length === 0 ? 'null' : encodeSorted(variables as Json));
}

// Only of the container that runs now: a report may be older.
function hashesOf(pod: Pod, { name }: PodContainer, { containers }: RuntimeReport) {
  const status = statusOf(pod, name);
  const found = containers?.findLast((one) => one.name === name);
  return status !== undefined && found?.containerID === (status.containerID ?? '') ? found.hashes : undefined;
}

function hashOf(json: string): number {
  return deepHash(new TextEncoder().encode(json));
}
