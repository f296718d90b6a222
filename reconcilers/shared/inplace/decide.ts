// Whether pods of one revision can be made pods of another in place, and what changes in them then (inplace-update 2).

import { encodeSorted } from '../../../api/core/encode.ts';
import { isObject, type Json, type JsonObject } from '../../../api/core/json.ts';
import { changesOf } from '../../../api/core/json-changes.ts';
import { parseQuantity } from '../../../api/core/quantity.ts';
import { type Gates, isEnabled } from '../../../api/gates.ts';
import { CLONESET_CLAIM_TEMPLATES_HASH } from '../../../api/names.ts';
import type { KubeObject } from '../../../kube/objects.ts';
import type { PodContainer } from '../pod.ts';
import { metadataReferences } from './environment.ts';
import { metadataPatch } from './metadata-patch.ts';
import { qualityOf } from './quality.ts';
import type { UpdateSpec } from './state.ts';

export type DecisionOptions = {
  readonly gates: Gates;
  /** How the workload calls the new revision on its pods; the name of the ControllerRevision if absent. */
  readonly revision?: string;
  readonly graceSeconds?: number;
  /** Claim templates do not count: the workload never recreates pods. */
  readonly ignoreClaimTemplates?: boolean;
};

/** What changes in pods between two ControllerRevisions; undefined if they must be recreated. */
export function decideUpdate(
  old: KubeObject | undefined,
  wanted: KubeObject | undefined,
  options: DecisionOptions,
): UpdateSpec | undefined {
  const before = templateOf(old);
  const after = templateOf(wanted);
  if (old === undefined || wanted === undefined || before === undefined || after === undefined) return undefined;
  if (!haveSameClaims(old, wanted, options)) return undefined;
  const { graceSeconds = 0, gates } = options;
  const changes = classify(old.data as Json, wanted.data as Json, { before, gates });
  if (changes === undefined) return undefined;
  if (changes.resources.size > 0 && qualityOf(allContainers(before)) !== qualityOf(allContainers(after)))
    return undefined;
  return {
    revision: options.revision ?? wanted.metadata.name,
    ...(changes.images.size > 0 && { containerImages: Object.fromEntries(changes.images) }),
    ...(changes.resources.size > 0 && { containerResources: Object.fromEntries(changes.resources) }),
    ...(changes.isMetadata && metadataChanges(before, after, gates)),
    ...(graceSeconds > 0 && { graceSeconds }),
  };
}

/** A pod template as a revision records it. */
type Template = {
  readonly metadata: JsonObject;
  readonly containers: readonly PodContainer[];
  readonly initContainers: readonly PodContainer[];
};

type Resources = { limits?: Record<string, string>; requests?: Record<string, string> };
type Changes = {
  readonly images: Map<string, string>;
  readonly resources: Map<string, Resources>;
  isMetadata: boolean;
};

function templateOf(revision: KubeObject | undefined): Template | undefined {
  const template = member(member(revision?.data as Json | undefined, 'spec'), 'template');
  if (!isObject(template)) return undefined;
  const { metadata, spec } = template;
  const containers = (name: string): PodContainer[] => {
    const list = member(spec, name);
    return (Array.isArray(list) ? list.filter(isObject) : []) as unknown as PodContainer[];
  };
  return {
    metadata: isObject(metadata) ? metadata : {},
    containers: containers('containers'),
    initContainers: containers('initContainers'),
  };
}

function member(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function allContainers({ containers, initContainers }: Template): PodContainer[] {
  return [...containers, ...initContainers];
}

// A revision that says nothing about claims was made before that was recorded.
function haveSameClaims(
  old: KubeObject,
  wanted: KubeObject,
  { gates, ignoreClaimTemplates }: DecisionOptions,
): boolean {
  if (ignoreClaimTemplates === true || !isEnabled(gates, 'RecreatePodWhenChangeVCTInCloneSetGate')) return true;
  const [before, after] = [old, wanted].map(({ metadata }) => metadata.annotations?.[CLONESET_CLAIM_TEMPLATES_HASH]);
  return before === undefined || after === undefined || before === after;
}

const imagePath = /^\/spec\/containers\/(\d+)\/image$/;
const resourcePath = /^\/spec\/containers\/(\d+)\/resources\/(limits|requests)\/(cpu|memory)$/;

// Undefined if something changes that a running pod cannot change.
function classify(old: Json, wanted: Json, { before, gates }: { before: Template; gates: Gates }): Changes | undefined {
  const changes: Changes = { images: new Map(), resources: new Map(), isMetadata: false };
  for (const { op, path: whole } of changesOf(old, wanted)) {
    const path = whole.replace('/spec/template', '');
    if (path.startsWith('/metadata/')) {
      changes.isMetadata = true;
      continue;
    }
    const [match, index, kind, resource] = imagePath.exec(path) ?? resourcePath.exec(path) ?? [];
    const name = before.containers[Number(index)]?.name;
    if (match === undefined || op !== 'replace' || name === undefined) return undefined;
    const value = valueAt(wanted, whole);
    if (kind === undefined || resource === undefined) {
      changes.images.set(name, value);
      continue;
    }
    if (!isEnabled(gates, 'InPlaceWorkloadVerticalScaling') || parseQuantity(value) === undefined) return undefined;
    const resources = changes.resources.get(name) ?? {};
    resources[kind as keyof Resources] = { ...resources[kind as keyof Resources], [resource]: value };
    changes.resources.set(name, resources);
  }
  return changes;
}

// Paths of images and resources have no escapes.
function valueAt(document: Json, path: string): string {
  let value: Json | undefined = document;
  for (const segment of path.slice(1).split('/')) {
    value = Array.isArray(value) ? value[Number(segment)] : member(value, segment);
  }
  return String(value ?? '');
}

type References = Map<string, { labels?: Record<string, string>; annotations?: Record<string, string> }>;

// Values that are in the environment of containers change together with these, all others at once.
function metadataChanges(before: Template, after: Template, gates: Gates): Partial<UpdateSpec> {
  const references: References = new Map();
  const referenced: { labels: Set<string>; annotations: Set<string> } = { labels: new Set(), annotations: new Set() };
  if (isEnabled(gates, 'InPlaceUpdateEnvFromMetadata')) {
    for (const container of after.containers) {
      for (const { from, key } of metadataReferences(container)) {
        const value = member(after.metadata[from], key);
        if (typeof value !== 'string' || value === member(before.metadata[from], key)) continue;
        const metadata = references.get(container.name) ?? {};
        metadata[from] = { ...metadata[from], [key]: value };
        references.set(container.name, metadata);
        referenced[from].add(key);
      }
    }
  }
  const without = (metadata: JsonObject): JsonObject => ({
    ...metadata,
    ...keptOf(metadata, 'labels', referenced.labels),
    ...keptOf(metadata, 'annotations', referenced.annotations),
  });
  const patch = metadataPatch(without(before.metadata), without(after.metadata));
  return {
    ...(references.size > 0 && { containerRefMetadata: Object.fromEntries(references), updateEnvFromMetadata: true }),
    metaDataPatch: Buffer.from(encodeSorted(patch)).toString('base64'),
  };
}

function keptOf(metadata: JsonObject, name: string, left: ReadonlySet<string>): JsonObject {
  const values = metadata[name];
  if (!isObject(values) || left.size === 0) return {};
  return { [name]: Object.fromEntries(Object.entries(values).filter(([key]) => !left.has(key))) };
}
