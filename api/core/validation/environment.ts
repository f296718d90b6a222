// Environment of containers, and the references to fields and resources that environment and volumes share.
import type { EnvFromSource, EnvVar, EnvVarSource, ObjectFieldSelector, ResourceFieldSelector } from '../containers.ts';
import { isZero, parseQuantity } from '../quantity.ts';
import type { Field } from './field.ts';
import { annotationKey, configKey, dnsSubdomain, envName, qualifiedName } from './names.ts';
import { wording } from './wording.ts';

const ENV_FIELD_PATHS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
const VOLUME_FIELD_PATHS = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];
/** Paths that the API knows but that neither environment nor volumes may use. */
const OTHER_FIELD_PATHS = ['spec.host', 'spec.restartPolicy', 'spec.schedulerName', 'status.phase'];
const CONVERTIBLE_PATHS: ReadonlySet<string> = new Set([
  ...ENV_FIELD_PATHS,
  ...VOLUME_FIELD_PATHS,
  ...OTHER_FIELD_PATHS,
]);
const RESOURCES = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const HUGE_PAGES = /^(limits|requests)\.hugepages-/;
const BYTE_DIVISORS = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];
const CPU_DIVISORS = ['1m', '1'];

/** Names and sources of environment variables. */
export function validateEnv(env: Field<EnvVar[] | undefined>): void {
  for (const variable of env.items()) {
    if (variable.at('name').require()) variable.at('name').follow(envName);
    if (variable.value?.valueFrom !== undefined) {
      validateEnvSource(variable.at('valueFrom'), variable.value.value ?? '');
    }
  }
}

/** Prefixes and sources of whole environments. */
export function validateEnvFrom(envFrom: Field<EnvFromSource[] | undefined>): void {
  for (const source of envFrom.items()) {
    source.at('prefix').followIfSet(envName);
    const references = [source.at('configMapRef'), source.at('secretRef')].filter((field) => field.value !== undefined);
    for (const reference of references) {
      if (reference.at('name').require()) reference.at('name').follow(dnsSubdomain);
    }
    // Compatibility: these two carry no index.
    if (references.length === 0) envFrom.invalid(wording.envFromSourceMissing, '');
    if (references.length > 1) envFrom.invalid(wording.oneSourceOnly, '');
  }
}

function validateEnvSource(source: Field<EnvVarSource | undefined>, value: string): void {
  const keys = [source.at('configMapKeyRef'), source.at('secretKeyRef')];
  if (source.at('fieldRef').isSet) validateFieldRef(source.at('fieldRef'), ENV_FIELD_PATHS);
  if (source.at('resourceFieldRef').isSet) validateResourceFieldRef(source.at('resourceFieldRef'));
  for (const reference of keys.filter((field) => field.isSet)) {
    reference.at('name').follow(dnsSubdomain);
    if (reference.at('key').require()) reference.at('key').follow(configKey);
  }
  const given = [source.at('fieldRef'), source.at('resourceFieldRef'), ...keys].filter((field) => field.isSet).length;
  if (given === 0) source.invalid(wording.envSourceMissing, '');
  else if (value !== '') source.invalid(wording.envSourceWithValue, '');
  else if (given > 1) source.invalid(wording.oneSourceOnly, '');
}

/** A reference to a field of the pod for a volume. */
export function validateVolumeFieldRef(reference: Field<ObjectFieldSelector | undefined>): void {
  validateFieldRef(reference, VOLUME_FIELD_PATHS);
}

function validateFieldRef(reference: Field<ObjectFieldSelector | undefined>, supported: readonly string[]): void {
  const apiVersion = reference.at('apiVersion');
  const fieldPath = reference.at('fieldPath');
  if (!apiVersion.require() || !fieldPath.require()) return;
  const path = fieldPath.value ?? '';
  const fault = conversionFault(apiVersion.value ?? '', path, CONVERTIBLE_PATHS);
  if (fault !== undefined) {
    fieldPath.invalid(wording.fieldPathUnconverted(fault));
    return;
  }
  if (validateSubscript(reference, path)) return;
  // The name that the first clients used.
  const converted = path === 'spec.host' ? 'spec.nodeName' : path;
  if (!supported.includes(converted)) fieldPath.unsupported(supported, converted);
}

/**
 * Why a field path of the downward API cannot be read: another version than v1, a subscript where there is none, a path
 * that is not among `paths`. Undefined if it can; subscripts of labels and annotations always can.
 */
export function conversionFault(apiVersion: string, path: string, paths: ReadonlySet<string>): string | undefined {
  if (apiVersion !== 'v1') return `unsupported pod version: ${apiVersion}`;
  const subscripted = splitSubscript(path);
  if (subscripted !== undefined) {
    const [map] = subscripted;
    const isMap = map === 'metadata.labels' || map === 'metadata.annotations';
    return isMap ? undefined : `field label does not support subscript: ${path}`;
  }
  return paths.has(path) ? undefined : `field label not supported: ${path}`;
}

/** The key in `metadata.labels['key']` must be a label key, that in annotations an annotation key; false if there is none. */
export function validateSubscript(reference: Field<unknown>, path: string): boolean {
  const subscripted = splitSubscript(path);
  if (subscripted === undefined) return false;
  const [map, key] = subscripted;
  for (const detail of map === 'metadata.annotations' ? annotationKey(key) : qualifiedName(key)) {
    reference.invalid(detail, key);
  }
  return true;
}

function splitSubscript(path: string): readonly [map: string, key: string] | undefined {
  const open = path.indexOf("['");
  if (open <= 0 || !path.endsWith("']") || path.length < open + 4) return undefined;
  return [path.slice(0, open), path.slice(open + 2, -2)];
}

/** A reference to a limit or request of a container; volumes must name the container. */
export function validateResourceFieldRef(reference: Field<ResourceFieldSelector | undefined>, forVolume = false): void {
  const resource = reference.at('resource');
  const name = resource.value ?? '';
  if (forVolume && !reference.at('containerName').isSet) reference.at('containerName').required();
  else if (resource.require() && !HUGE_PAGES.test(name)) resource.among(RESOURCES);
  validateDivisor(reference.at('divisor'), name);
}

function validateDivisor(divisor: Field<string | undefined>, resource: string): void {
  const text = divisor.value ?? '0';
  const quantity = parseQuantity(text);
  if (quantity === undefined || isZero(quantity)) return;
  const kind = resource.replace(/^(limits|requests)\./, '');
  if (kind === 'cpu' && !CPU_DIVISORS.includes(text)) {
    divisor.invalid(wording.divisors('1m and 1', 'cpu'), resource);
  }
  const bytes = BYTE_RESOURCES.get(HUGE_PAGES.test(resource) ? 'hugepages' : kind);
  if (bytes !== undefined && kind !== resource && !BYTE_DIVISORS.includes(text)) {
    divisor.invalid(wording.divisors(BYTE_DIVISORS.join(', '), bytes), resource);
  }
}

const BYTE_RESOURCES: ReadonlyMap<string, string> = new Map([
  ['memory', 'memory'],
  ['ephemeral-storage', 'local ephemeral storage'],
  ['hugepages', 'hugepages'],
]);
