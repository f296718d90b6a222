// Tells at once when something changes that a pass over certificates, webhook configurations and CRDs looks at
// (operations.md 9.1). Only names and versions are kept.

import type { Logger } from '../../component/logger.ts';
import type { Client } from '../../kube/client.ts';
import { Mirror } from '../../kube/mirror.ts';
import { type ListTurns, listTurns } from '../../kube/mirror-waits.ts';
import type { KubeObject, ObjectReference } from '../../kube/objects.ts';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  type Resource,
  SECRETS,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from '../../kube/resource.ts';
import { configurationName, DEFINITION_NAMES } from './configurations.ts';

export type TriggerOptions = {
  readonly client: Pick<Client, 'list' | 'watch'>;
  /** The Secret of the certificates; undefined when they are files. */
  readonly secret: Required<ObjectReference> | undefined;
  readonly wake: () => void;
  readonly logger: Logger;
  readonly random: () => number;
  readonly monotonic: () => number;
};

/** Calls `wake` at every change until the signal is aborted. Never rejects: what cannot be watched is looked at by the clock. */
export async function watchTriggers(options: TriggerOptions, signal: AbortSignal): Promise<void> {
  const { secret } = options;
  const named = (name: string) => ({ fieldSelector: `metadata.name=${name}` });
  const watched: [Resource, Selection][] = [
    [MUTATING_WEBHOOK_CONFIGURATIONS, named(configurationName('mutating'))],
    [VALIDATING_WEBHOOK_CONFIGURATIONS, named(configurationName('validating'))],
    [CUSTOM_RESOURCE_DEFINITIONS, {}],
  ];
  if (secret !== undefined) watched.push([SECRETS, { namespace: secret.namespace, ...named(secret.name) }]);
  const shared = { ...options, turns: listTurns(options.monotonic) };
  await Promise.all(watched.map(([resource, selection]) => watch(resource, selection, shared, signal)));
}

type Selection = { namespace?: string | undefined; fieldSelector?: string };

type Shared = TriggerOptions & { readonly turns: ListTurns };

function watch(resource: Resource, selection: Selection, shared: Shared, signal: AbortSignal): Promise<void> {
  const { client, wake, logger, random, monotonic, turns } = shared;
  const mirror = new Mirror({
    client: metadataOnly(client),
    resource,
    selection,
    trim: namesAlone,
    logger,
    random,
    monotonic,
    turns,
  });
  const isOurs = (object: KubeObject | undefined) =>
    resource !== CUSTOM_RESOURCE_DEFINITIONS || DEFINITION_NAMES.includes(object?.metadata.name ?? '');
  mirror.onChange((change) => {
    if (isOurs(change.new ?? change.old)) wake();
  });
  return mirror.run(signal);
}

/** CRDs are large, and there may be a thousand of them. */
function metadataOnly(client: Pick<Client, 'list' | 'watch'>): Pick<Client, 'list' | 'watch'> {
  return {
    list: (resource, options) => client.list(resource, { ...options, metadataOnly: true }),
    watch: (resource, options) => client.watch(resource, { ...options, metadataOnly: true }),
  };
}

function namesAlone({ apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } }: KubeObject): KubeObject {
  return {
    apiVersion,
    kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion },
  };
}
