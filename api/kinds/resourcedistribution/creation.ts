// What an API server would answer to creating the distributed Secret or ConfigMap: decoding and validation of these kinds
// (core/v1 of Kubernetes 1.32). It stands for the trial creation that needs a cluster (resourcedistribution 2, 6c).
import { decode } from '../../core/decode.ts';
import { aggregate, type FieldError, quote } from '../../core/field-error.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { jsonSyntaxFault } from '../../core/json-syntax.ts';
import { ObjectMeta } from '../../core/meta.ts';
import { always, boolean, map, optional, pointer, type Static, struct, text } from '../../core/schema.ts';
import { boundedErrors, Field, sortedKeys } from '../../core/validation/field.ts';
import { validateObjectMeta } from '../../core/validation/metadata.ts';
import { configKey, dnsSubdomain } from '../../core/validation/names.ts';
import { wording } from './wording.ts';

/** The greatest size of all values together, in bytes. */
const MOST_BYTES = 1024 * 1024;
const REDACTED = '<secret contents redacted>';
const SERVICE_ACCOUNT_NAME = 'kubernetes.io/service-account.name';

const head = { kind: optional(text()), apiVersion: optional(text()), metadata: always(ObjectMeta) };
const ConfigMap = struct('v1.ConfigMap', {
  ...head,
  immutable: pointer(boolean()),
  data: optional(map(text())),
  binaryData: optional(map(text('[]uint8'))),
});
type ConfigMap = Static<typeof ConfigMap>;
const Secret = struct('v1.Secret', {
  ...head,
  immutable: pointer(boolean()),
  data: optional(map(text('[]uint8'))),
  stringData: optional(map(text())),
  type: optional(text('v1.SecretType')),
});
type Secret = Static<typeof Secret>;

/** The answer: created, refused because the object is wrong, or failed for another reason; with what is told. */
export type Creation = { outcome: 'created' } | { outcome: 'invalid' | 'failed'; message: string };

/** Creates a Secret or ConfigMap of the core group in `namespace`, whatever namespace it names itself. */
export function tryCreation(resource: JsonObject, namespace: string): Creation {
  const { kind, apiVersion } = resource;
  const name = String(kind);
  if (apiVersion !== 'v1') return { outcome: 'failed', message: wording.noMatch(name, String(apiVersion ?? '')) };
  const isSecret = kind === 'Secret';
  const { value, errors } = decode(isSecret ? Secret : ConfigMap, resource);
  const [fault] = errors.map((error) => error.goText);
  const bytes = isSecret ? (value as Secret).data : (value as ConfigMap).binaryData;
  const undecodable = fault ?? base64Fault(bytes ?? {});
  if (undecodable !== undefined) return { outcome: 'invalid', message: wording.undecodable(name, undecodable) };
  const object = { ...value, metadata: named(value.metadata ?? {}, namespace) };
  const found = boundedErrors(() => {
    const errors: FieldError[] = [];
    if (isSecret) validateSecret(Field.root(object as Secret, errors));
    else validateConfigMap(Field.root(object as ConfigMap, errors));
    return errors;
  });
  if (found.length === 0) return { outcome: 'created' };
  const objectName = quote(object.metadata.name ?? '');
  return { outcome: 'invalid', message: wording.invalid(name, objectName, aggregate(found)) };
}

// The server completes a name and forgets what only it may set.
function named(metadata: ObjectMeta, namespace: string): ObjectMeta {
  const { name = '', generateName = '', generation: _set, ...rest } = metadata;
  if (name !== '' || generateName === '') return { ...rest, name, generateName, namespace };
  return { ...rest, generateName, name: `${generateName.slice(0, 58)}xxxxx`, namespace };
}

function validateConfigMap(object: Field<ConfigMap>): void {
  validateObjectMeta(object.at('metadata'), { name: dnsSubdomain, namespaced: true });
  const { data = {}, binaryData = {} } = object.value ?? {};
  let size = 0;
  for (const key of sortedKeys(data)) {
    const place = object.place('data', `[${key}]`);
    for (const detail of configKey(key)) place.invalid(detail, key);
    if (Object.hasOwn(binaryData, key)) place.invalid(wording.keyInBoth, key);
    size += byteLength(data[key] ?? '');
  }
  for (const key of sortedKeys(binaryData)) {
    for (const detail of configKey(key)) object.place('binaryData', `[${key}]`).invalid(detail, key);
    size += atob(binaryData[key] ?? '').length;
  }
  if (size > MOST_BYTES) object.place('[]').tooLong(MOST_BYTES);
}

function validateSecret(object: Field<Secret>): void {
  validateObjectMeta(object.at('metadata'), { name: dnsSubdomain, namespaced: true });
  const { data = {}, stringData = {} } = object.value ?? {};
  // Values of `stringData` win.
  const keys = sortedKeys({ ...data, ...stringData });
  let size = 0;
  for (const key of keys) {
    for (const detail of configKey(key)) object.place('data', `[${key}]`).invalid(detail, key);
    size += Object.hasOwn(stringData, key) ? byteLength(stringData[key] ?? '') : atob(data[key] ?? '').length;
  }
  if (size > MOST_BYTES) object.place('data').tooLong(MOST_BYTES);
  validateSecretType(object, new Set(keys));
}

// Types of the platform need certain keys.
function validateSecretType(object: Field<Secret>, keys: ReadonlySet<string>): void {
  const place = (key: string) => object.place('data', `[${key}]`);
  const { type, metadata, data = {}, stringData = {} } = object.value ?? {};
  const value = (key: string) => stringData[key] ?? (keys.has(key) ? atob(data[key] ?? '') : undefined);
  const requireKey = (key: string) => {
    if (!keys.has(key)) place(key).required();
  };
  switch (type) {
    case 'kubernetes.io/service-account-token':
      if ((metadata?.annotations?.[SERVICE_ACCOUNT_NAME] ?? '') === '') {
        object.place('metadata', 'annotations', `[${SERVICE_ACCOUNT_NAME}]`).required();
      }
      break;
    case 'kubernetes.io/dockercfg':
      validateJson(place('.dockercfg'), value('.dockercfg'));
      break;
    case 'kubernetes.io/dockerconfigjson':
      validateJson(place('.dockerconfigjson'), value('.dockerconfigjson'));
      break;
    case 'kubernetes.io/basic-auth':
      if (!keys.has('username') && !keys.has('password')) {
        requireKey('username');
        requireKey('password');
      }
      break;
    case 'kubernetes.io/ssh-auth':
      if ((value('ssh-privatekey') ?? '') === '') place('ssh-privatekey').required();
      break;
    case 'kubernetes.io/tls':
      requireKey('tls.crt');
      requireKey('tls.key');
      break;
  }
}

function validateJson(place: Field<undefined>, json: string | undefined): void {
  if (json === undefined) {
    place.required();
    return;
  }
  const fault = jsonSyntaxFault(json);
  if (fault !== undefined) place.invalid(fault, REDACTED);
}

function byteLength(value: string): number {
  return new TextEncoder().encode(value).length;
}

function base64Fault(values: { [key: string]: Json }): string | undefined {
  for (const value of Object.values(values)) {
    const digits = String(value ?? '').replace(/[\r\n]/g, '');
    const isWhole = digits.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(digits);
    if (!isWhole) return wording.notBase64(digits.search(/[^A-Za-z0-9+/]|$/));
  }
  return undefined;
}
