// Short views of a pod, for tables: what a row looks at.
import { isObject, type Json, type JsonObject } from '../../api/core/json.ts';

type View = (pod: JsonObject) => Json[];

export const containers: View = (pod) => list(pod, 'containers').map((one) => one.name ?? null);
export const initContainers: View = (pod) => list(pod, 'initContainers').map((one) => one.name ?? null);
export const volumes: View = (pod) => list(pod, 'volumes').map((one) => one.name ?? null);
export const pullSecrets: View = (pod) => list(pod, 'imagePullSecrets').map((one) => one.name ?? null);
/** `name image` of each container. */
export const images: View = (pod) => list(pod, 'containers').map((one) => `${one.name} ${one.image}`);

/** The (init) container of that name; undefined if there is none, an error if there are two. */
export function containerOf(name: string): (pod: JsonObject) => JsonObject | undefined {
  return (pod) => {
    const found = [...list(pod, 'initContainers'), ...list(pod, 'containers')].filter((one) => one.name === name);
    if (found.length > 1) throw new Error(`${found.length} containers are called ${name}`);
    return found[0];
  };
}

/** `path volume` of each mount. */
export function mountsOf(name: string): View {
  return (pod) => items(containerOf(name)(pod)?.volumeMounts).map((one) => `${one.mountPath} ${one.name}`);
}

/** `path volume` of each device. */
export function devicesOf(name: string): View {
  return (pod) => items(containerOf(name)(pod)?.volumeDevices).map((one) => `${one.devicePath} ${one.name}`);
}

/** `NAME=value` of each env entry, `NAME<path` for a field reference. */
export function envOf(name: string): View {
  return (pod) => items(containerOf(name)(pod)?.env).map((one) => `${one.name}${source(one)}`);
}

export function annotations(pod: JsonObject): JsonObject {
  const { metadata } = pod;
  return isObject(metadata) && isObject(metadata.annotations) ? metadata.annotations : {};
}

export function annotation(name: string): (pod: JsonObject) => Json | undefined {
  return (pod) => annotations(pod)[name];
}

/** The annotations about hot upgrades. */
export function hotAnnotations(pod: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(annotations(pod)).filter(([name]) => /^version|working-hot/.test(name)));
}

/** The pod with the times in its annotations taken out. */
export function withoutTimes(pod: JsonObject): JsonObject {
  const texts = Object.entries(annotations(pod)).map(([name, value]) => [
    name,
    String(value).replaceAll(/"updateTimestamp":"[^"]*"/g, '"updateTimestamp":"T"'),
  ]);
  return { ...pod, metadata: { ...(pod.metadata as JsonObject), annotations: Object.fromEntries(texts) } };
}

function source(entry: JsonObject): string {
  const { valueFrom } = entry;
  if (!isObject(valueFrom)) return `=${entry.value ?? ''}`;
  return isObject(valueFrom.fieldRef) ? `<${valueFrom.fieldRef.fieldPath}` : `<${Object.keys(valueFrom)[0]}`;
}

function list(pod: JsonObject, name: string): JsonObject[] {
  return isObject(pod.spec) ? items(pod.spec[name]) : [];
}

function items(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
