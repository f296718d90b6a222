// The schema of the chart's values and their reference page, both from values.yaml: names, defaults and documentation are
// there, and most types follow from the defaults; the rest is in the table.
import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';
import type { Json, JsonObject } from '../api/core/json.ts';

const strings: JsonObject = { type: 'object', additionalProperties: { type: 'string' } };
const anyObject: JsonObject = { type: 'object' };
const oneOf = (...values: string[]): JsonObject => ({ enum: values });
const objects: JsonObject = { type: 'array', items: anyObject };
const number = (minimum: number, maximum: number): JsonObject => ({ type: 'integer', minimum, maximum });
const countOrShare: JsonObject = { type: ['integer', 'string', 'null'], minimum: 0, pattern: '^\\d+%$' };
const closed = (properties: JsonObject, ...required: string[]): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...(required.length > 0 && { required }),
});

const pullSecrets: JsonObject = {
  type: 'array',
  items: { anyOf: [{ type: 'string' }, closed({ name: { type: 'string' } }, 'name')] },
};
const digest: JsonObject = { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' };
const pullPolicy = oneOf('Always', 'IfNotPresent', 'Never');
const image = closed({
  registry: { type: 'string' },
  repository: { type: 'string' },
  tag: { type: ['string', 'number'] },
  digest,
  pullPolicy,
});

/** Types by the end of a value's path, the longest end first. */
const TYPES: Readonly<Record<string, JsonObject>> = {
  'global.imagePullSecrets': pullSecrets,
  imagePullSecrets: pullSecrets,
  'image.digest': digest,
  'image.pullPolicy': pullPolicy,
  'image.tag': { type: ['string', 'number'] },
  'manager.image': image,
  'daemon.image': image,
  'helmHooks.image': image,
  'crds.enabled': { type: ['boolean', 'null'] },
  'installation.namespace': { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', maxLength: 63 },
  'installation.roleListGroups': { type: 'array', items: { type: 'string' } },
  featureGates: {
    anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: { type: 'boolean' } }],
  },
  'certManager.issuerRef': closed({ name: { type: 'string' }, kind: { type: 'string' }, group: { type: 'string' } }),
  customWorkloads: {
    type: 'array',
    items: closed(
      { apiGroup: { type: 'string' }, resources: { type: 'array', items: { type: 'string' } } },
      'apiGroup',
      'resources',
    ),
  },
  'webhookConfiguration.timeoutSeconds': number(1, 30),
  'failurePolicy.podMutation': oneOf('Fail', 'Ignore'),
  'failurePolicy.podProtection': oneOf('Fail', 'Ignore'),
  'failurePolicy.kinds': oneOf('Fail', 'Ignore'),
  'failurePolicy.deletionProtection': oneOf('Fail', 'Ignore'),
  reinvocationPolicy: oneOf('Never', 'IfNeeded'),
  matchExpressions: objects,
  matchConditions: {
    type: 'array',
    items: closed({ name: { type: 'string' }, expression: { type: 'string' } }, 'name', 'expression'),
  },
  'log.level': { type: ['string', 'integer'], pattern: '^([0-9]+|debug|info|warn|error)$' },
  loggingFormat: oneOf('', 'text', 'json'),
  resyncPeriod: { type: ['string', 'integer'] },
  replicas: number(0, 1000),
  workers: number(1, 64),
  'manager.scope': oneOf('all', 'demand'),
  port: number(1, 65_535),
  minAvailable: countOrShare,
  maxUnavailable: countOrShare,
  strategy: anyObject,
  resources: anyObject,
  nodeSelector: strings,
  nodeAffinity: anyObject,
  affinity: anyObject,
  tolerations: objects,
  topologySpreadConstraints: objects,
  podLabels: strings,
  podAnnotations: strings,
  deploymentAnnotations: strings,
  annotations: strings,
  labels: strings,
  commonLabels: strings,
  extraArgs: { type: 'array', items: { type: 'string' } },
  extraEnv: objects,
  extraEnvs: objects,
  volumes: objects,
  volumeMounts: objects,
  relabelings: objects,
  metricRelabelings: objects,
  extraRules: objects,
  webhookFrom: { type: 'array', items: { type: 'string' } },
  metricsFrom: objects,
  apiServerCIDRs: { type: 'array', items: { type: 'string' } },
  apiServerPorts: { type: 'array', items: number(1, 65_535) },
};

/** The JSON schema of a values.yaml. Throws for a value whose type is neither told by its default nor in the table. */
export function valuesSchema(text: string): JsonObject {
  const schema = schemaOf(rootOf(text), '');
  const properties = schema.properties as Record<string, JsonObject>;
  const { manager, reconcilers, global } = properties;
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...schema,
    properties: {
      ...properties,
      // Whoever has this chart as a part puts values of its own there, and switches it on and off.
      global: { ...global, additionalProperties: true },
      enabled: { type: 'boolean', description: 'Read by charts that have this one as a part.' },
      reconcilers: {
        ...reconcilers,
        properties: { ...(manager?.properties as JsonObject), ...(reconcilers?.properties as JsonObject) },
      },
    },
  };
}

/** The page of all values, as Markdown. */
export function valuesPage(text: string): string {
  const root = rootOf(text);
  const sections = root.items.map((pair) => {
    const [name, doc] = [nameOf(pair), docOf(pair, root)];
    const lines = rowsOf(pair, root, '').map((row) => {
      return `| \`${row.path}\` | \`${JSON.stringify(row.value)}\` | ${row.path === name ? '' : row.doc.replaceAll('|', '\\|')} |`;
    });
    return `## ${name}\n\n${doc === '' ? '' : `${doc}\n\n`}| value | default | |\n|---|---|---|\n${lines.join('\n')}\n`;
  });
  return `# Values of the chart

\`values.schema.json\` in the chart says the same for programs; \`helm install\` refuses values that are not listed here. What
is not set below \`reconcilers\` is as below \`manager\`.

${sections.join('\n')}`;
}

function schemaOf(map: YAMLMap, path: string): JsonObject {
  const properties: JsonObject = {};
  for (const pair of map.items) {
    const name = nameOf(pair);
    const at = path === '' ? name : `${path}.${name}`;
    const doc = docOf(pair, map);
    properties[name] = { ...(doc !== '' && { description: doc }), ...typeOf(pair, at) };
  }
  return { type: 'object', additionalProperties: false, properties };
}

function typeOf(pair: Pair, path: string): JsonObject {
  const names = path.split('.');
  for (let i = 0; i < names.length; i++) {
    const found = TYPES[names.slice(i).join('.')];
    if (found !== undefined) return found;
  }
  if (isMap(pair.value) && pair.value.items.length > 0) return schemaOf(pair.value, path);
  const value = isScalar(pair.value) ? pair.value.value : undefined;
  if (typeof value === 'boolean') return { type: 'boolean' };
  if (typeof value === 'string') return { type: 'string' };
  if (typeof value === 'number') return number(0, 2 ** 31 - 1);
  if (path === 'webhookConfiguration.objectSelector') return anyObject;
  throw new Error(`values.yaml: ${path}: its default does not tell its type; scripts/chart-values.ts must`);
}

type Row = { path: string; value: Json; doc: string };

function rowsOf(pair: Pair, map: YAMLMap, above: string): Row[] {
  const path = `${above}${nameOf(pair)}`;
  const { value } = pair;
  if (isMap(value) && value.items.length > 0 && !isTyped(path)) {
    return value.items.flatMap((inner) => rowsOf(inner, value, `${path}.`));
  }
  return [{ path, value: (value as { toJSON(): Json }).toJSON(), doc: docOf(pair, map) }];
}

function isTyped(path: string): boolean {
  return path.split('.').some((_name, i, names) => Object.hasOwn(TYPES, names.slice(i).join('.')));
}

function rootOf(text: string): YAMLMap {
  const { contents, errors } = parseDocument(text);
  const [error] = errors;
  if (error !== undefined) throw error;
  if (!isMap(contents)) throw new Error('values.yaml: expected a map');
  return contents;
}

function nameOf({ key }: Pair): string {
  return String(isScalar(key) ? key.value : key);
}

// What stands above the first name of a map counts as a comment of the map.
function docOf(pair: Pair, map: YAMLMap): string {
  const own = isScalar(pair.key) ? pair.key.commentBefore : undefined;
  const comment = own ?? (map.items[0] === pair ? map.commentBefore : undefined) ?? '';
  return comment
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim();
}
