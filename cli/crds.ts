// `sluice crds`: the CustomResourceDefinitions of our kinds.

import { isObject, type JsonObject } from '../api/core/json.ts';
import { customResourceDefinition } from '../api/kinds/crd.ts';
import { kinds } from '../api/kinds/index.ts';
import type { Kind } from '../api/kinds/kind.ts';
import { InputError } from '../component/errors.ts';
import { EXIT, type Host } from './host.ts';
import { renderYaml } from './render.ts';

export type CrdsOptions = { kind?: readonly string[]; serviceNamespace?: string; serviceName?: string };

/** The names of services and namespaces: RFC 1123 labels. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Prints them in the order of the reference pages. Throws InputError for a kind that there is not. */
export async function runCrds(
  host: Host,
  { kind: names, serviceNamespace, serviceName }: CrdsOptions,
): Promise<number> {
  const service = {
    ...(serviceNamespace !== undefined && { namespace: checkedLabel(serviceNamespace, '--service-namespace') }),
    ...(serviceName !== undefined && { name: checkedLabel(serviceName, '--service-name') }),
  };
  const wanted = names === undefined ? undefined : new Set(names.map(kindNamed));
  const chosen = kinds.filter((kind) => wanted?.has(kind) ?? true);
  const texts = chosen.map(({ description }) => renderYaml(servedBy(customResourceDefinition(description), service)));
  host.stdout.write(texts.join('---\n'));
  return EXIT.allowed;
}

function kindNamed(name: string): Kind {
  const wanted = name.toLowerCase();
  const found = kinds.find(({ kind, plural, group, description }) =>
    [kind.toLowerCase(), plural, `${plural}.${group}`, ...(description.shortNames ?? [])].includes(wanted),
  );
  if (found !== undefined) return found;
  const known = kinds.map(({ kind }) => kind).join(', ');
  throw new InputError(`expected one of ${known}, got ${JSON.stringify(name)}`, { field: '--kind' });
}

function checkedLabel(text: string, field: string): string {
  if (LABEL.test(text)) return text;
  throw new InputError(`expected lower-case letters, digits and "-", at most 63, got ${JSON.stringify(text)}`, {
    field,
  });
}

/** The definition with other names of the service that converts, if a service does. */
function servedBy(definition: JsonObject, service: JsonObject): JsonObject {
  const path = ['spec', 'conversion', 'webhook', 'clientConfig', 'service'] as const;
  return within(definition, path, service);
}

function within(object: JsonObject, [first, ...rest]: readonly string[], members: JsonObject): JsonObject {
  if (first === undefined) return { ...object, ...members };
  const inner = object[first];
  return isObject(inner) ? { ...object, [first]: within(inner, rest, members) } : object;
}
