// What an API server does to a pod between two calls of webhooks: it writes it down and reads it, and its own plug-ins
// look at the containers again.
import { defaultContainer, defaultProbe } from '../../api/core/container-defaults.ts';
import type { Container } from '../../api/core/containers.ts';
import { cloneJson, isObject, type Json, type JsonObject } from '../../api/core/json.ts';

const TOKEN = {
  name: 'kube-api-access-x7k2p',
  readOnly: true,
  mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
};

/** A copy with what is empty left out, defaults filled in, requests made from limits, and the token mounted. */
export function filledIn(pod: JsonObject): JsonObject {
  const copy = cloneJson(pod);
  const spec = copy.spec as JsonObject;
  for (const list of ['containers', 'initContainers']) {
    if (Array.isArray(spec[list])) spec[list] = spec[list].map((one) => containerOf(written(one) as JsonObject));
  }
  return copy;
}

function containerOf(container: JsonObject): JsonObject {
  const typed = container as unknown as Container;
  defaultContainer(typed);
  for (const probe of [typed.livenessProbe, typed.readinessProbe, typed.startupProbe]) defaultProbe(probe);
  const { resources, volumeMounts = [] } = container;
  if (isObject(resources) && isObject(resources.limits)) {
    resources.requests = { ...resources.limits, ...(isObject(resources.requests) ? resources.requests : {}) };
  }
  const mounts = volumeMounts as JsonObject[];
  if (mounts.every(({ mountPath }) => mountPath !== TOKEN.mountPath)) container.volumeMounts = [...mounts, TOKEN];
  return container;
}

function written(value: Json): Json {
  if (Array.isArray(value)) return value.map(written);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, one]) => {
    return one !== '' && one !== null && !(Array.isArray(one) && one.length === 0);
  });
  return Object.fromEntries(members.map(([name, one]) => [name, written(one)]));
}
