// The cluster that validation asks: objects as stored, regular expressions and the calculator of the real module.
import { isObject, type Json, type JsonObject } from '../../../../api/core/json.ts';
import type { ValidationContext } from '../../../../api/kinds/kind.ts';
import { sidecarSet } from '../../../../api/kinds/sidecarset/kind.ts';
import type { Policies } from '../../../../evaluator/policies.ts';

const SYSTEM_NAMESPACE = 'kruise-system';

export function cluster(
  objects: readonly JsonObject[],
  policies: Policies,
  gates: ReadonlyMap<string, boolean> = new Map(),
): ValidationContext {
  const ofKind = (kind: string) => objects.filter((object) => object.kind === kind);
  const sets = () => ofKind('SidecarSet').map((set) => sidecarSet.convert(set, sidecarSet.storage));
  const isAt = (object: JsonObject, namespace: string, name?: string) => {
    const metadata: JsonObject = isObject(object.metadata) ? object.metadata : {};
    return metadata.namespace === namespace && (name === undefined || metadata.name === name);
  };
  return {
    gates,
    systemNamespace: SYSTEM_NAMESPACE,
    rivals: sets,
    controllerRevisions: () => ofKind('ControllerRevision').filter((one) => isAt(one, SYSTEM_NAMESPACE)),
    configMap: (namespace, name) => ofKind('ConfigMap').find((one) => isAt(one, namespace, name)),
    objects: () => [],
    object: (_group, _kind, _namespace, name) =>
      sets().find(({ metadata }) => isObject(metadata) && metadata.name === name),
    checkPattern: (pattern) => policies.checkPattern(pattern),
    checkExpression: (expression, variable) => policies.checkExpression(expression, variable),
    matchesPattern: (pattern, text) => policies.matchesPattern(pattern, text),
  };
}

/** A SidecarSet as a user writes it; `spec` is complete but for what is given. */
function written(name: string, spec: { [member: string]: Json }, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'SidecarSet',
    metadata: { name, ...metadata },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      containers: [{ name: 'log-agent', image: 'example.com/log-agent:1.0' }],
      ...spec,
    },
  };
}

/** The same after defaulting. */
export function stored(name: string, spec: { [member: string]: Json } = {}, metadata: JsonObject = {}): JsonObject {
  return sidecarSet.applyDefaults(written(name, spec, metadata), 'v1beta1', { gates: new Map() });
}
