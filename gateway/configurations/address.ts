// Where the API server calls us, and whom it trusts there.

import { isObject, type JsonObject } from '../../api/core/json.ts';
import type { KubeObject } from '../../kube/objects.ts';

/** A Service, or a host (`host:port`) when the gateway runs outside of the cluster; `caBundle` is base64. */
export type Address = { readonly caBundle: string } & (
  | { readonly service: { readonly namespace: string; readonly name: string } }
  | { readonly host: string }
);

/** An entry that calls this address; a Service keeps its port, and a URL stays one where a Service is not said. */
export function addressed(entry: JsonObject, path: string, address: Address): JsonObject {
  const { caBundle } = address;
  if ('host' in address) return { ...entry, clientConfig: { url: `https://${address.host}${path}`, caBundle } };
  const given = isObject(entry.clientConfig) ? entry.clientConfig : {};
  if (!isObject(given.service)) return { ...entry, clientConfig: { ...given, caBundle } };
  const { namespace, name } = address.service;
  return { ...entry, clientConfig: { service: { ...given.service, namespace, name, path }, caBundle } };
}

/** The client configuration of a path of ours from nothing. */
export function clientConfigOf(path: string, address: Address): JsonObject {
  const { caBundle } = address;
  if ('host' in address) return { url: `https://${address.host}${path}`, caBundle };
  const { namespace, name } = address.service;
  return { service: { namespace, name, path, port: 443 }, caBundle };
}

const INJECTED = ['inject-ca-from', 'inject-ca-from-secret', 'inject-apiserver-ca'].map((n) => `cert-manager.io/${n}`);

/** Throws when cert-manager would write the same caBundle again and again. */
export function refuseInjection({ metadata }: KubeObject): void {
  const name = INJECTED.find((annotation) => (metadata.annotations?.[annotation] ?? '') !== '');
  if (name === undefined) return;
  throw new Error(
    `metadata.annotations[${name}]: cert-manager writes the caBundle; set the feature gate EnableExternalCerts, or remove the annotation`,
  );
}
