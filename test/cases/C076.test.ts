// C076: a provider of clusters adds its terms to the namespace selectors of all webhooks, and both sides wrote the
// configuration thousands of times an hour (openkruise/kruise#2220).
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { JsonObject } from '../../api/core/json.ts';
import { configurationName } from '../../gateway/configurations/configurations.ts';
import { installed, RESOURCES, replica } from '../gateway/configurations/settings.ts';
import { ObjectStore } from '../support/object-store.ts';

type Term = { key: string; operator: string; values: string[] };
type Entry = {
  name: string;
  failurePolicy: string;
  clientConfig: { caBundle: string };
  namespaceSelector: { matchExpressions: Term[] };
};
type Configuration = JsonObject & { webhooks: (Entry & JsonObject)[] };

const [document] = parseAllDocuments(readFileSync(new URL('inputs/C076.yaml', import.meta.url), 'utf8'));
const live = document?.toJS() as Configuration;
const terms = live.webhooks[0]?.namespaceSelector.matchExpressions ?? [];

// Validating webhooks are not asked again.
const validating = JSON.parse(JSON.stringify(live).replaceAll(/,\\?"reinvocationPolicy\\?":\\?"Never\\?"/g, ''));

const TYPES = ['mutating', 'validating'] as const;

/** The case for one of the two configurations; the other one is as it should be. */
function start(type: (typeof TYPES)[number]) {
  const store = new ObjectStore();
  const name = configurationName(type);
  for (const other of TYPES) store.put(RESOURCES[other], installed(other));
  const configuration = type === 'mutating' ? live : validating;
  const metadata = { ...(configuration.metadata as JsonObject), name };
  store.put(RESOURCES[type], { ...configuration, kind: RESOURCES[type].kind, metadata });
  let bundle = 'CURRENT';
  const certificates = { sync: async () => bundle };
  const rotate = () => {
    bundle = 'NEW';
  };
  const read = () => store.object<Configuration>(RESOURCES[type], { name }) as Configuration;
  const edit = (change: (entry: Entry) => void) => {
    const configuration = read();
    for (const entry of configuration.webhooks) change(entry);
    store.put(RESOURCES[type], configuration);
  };
  return { store, rotate, read, edit, replicas: [replica(store, { certificates }), replica(store, { certificates })] };
}

test.each(TYPES)(
  'further terms in the %s configuration are tolerated: sixty passes of two replicas write nothing',
  async (type) => {
    const { store, read, replicas } = start(type);
    for (const one of replicas) await one.reconcile();
    const settled = { writes: store.writes, object: read() };
    for (let pass = 0; pass < 60; pass++) for (const one of replicas) await one.reconcile();
    expect(store.writes).toBe(settled.writes);
    expect(read()).toEqual(settled.object);
    expect(read().webhooks).toEqual((type === 'mutating' ? live : validating).webhooks);
  },
);

test.each(TYPES)('a new authority is one write of the %s configuration, and the terms are kept', async (type) => {
  const { store, read, rotate, replicas } = start(type);
  for (const one of replicas) await one.reconcile();
  const before = store.writes;
  rotate();
  for (const one of [...replicas, ...replicas]) await one.reconcile();
  // The other configuration has its own write.
  expect(store.writes).toBe(before + 2);
  expect(read().webhooks[0]?.clientConfig.caBundle).toBe('TkVX');
  expect(read().webhooks[0]?.namespaceSelector.matchExpressions).toEqual(terms);
});

test.each(TYPES)('an edited failure policy in the %s configuration is put back in one write', async (type) => {
  const { store, read, edit, replicas } = start(type);
  for (const one of replicas) await one.reconcile();
  const before = store.writes;
  edit((entry) => {
    entry.failurePolicy = 'Ignore';
  });
  for (const one of replicas) await one.reconcile();
  expect(store.writes).toBe(before + 1);
  expect(read().webhooks[0]).toMatchObject({ failurePolicy: 'Fail', namespaceSelector: { matchExpressions: terms } });
});

test.each(TYPES)(
  'a term of our own that was removed from the %s configuration comes back beside the others',
  async (type) => {
    const { store, read, edit, replicas } = start(type);
    for (const one of replicas) await one.reconcile();
    const before = store.writes;
    edit(({ namespaceSelector }) => {
      namespaceSelector.matchExpressions = terms.filter(({ key }) => key !== 'kubernetes.io/metadata.name');
    });
    for (const one of replicas) await one.reconcile();
    expect(store.writes).toBe(before + 1);
    const present = read().webhooks[0]?.namespaceSelector.matchExpressions ?? [];
    expect(new Set(present.map((term) => JSON.stringify(term)))).toEqual(
      new Set(terms.map((term) => JSON.stringify(term))),
    );
  },
);

test('replicas that write at the same time read again, and end with one result', async () => {
  const { store, read, rotate, replicas } = start('mutating');
  for (const one of replicas) await one.reconcile();
  rotate();
  const before = store.writes;
  await Promise.all([...replicas, ...replicas].map((one) => one.reconcile()));
  expect(store.writes).toBe(before + 2);
  expect(read().webhooks[0]?.namespaceSelector.matchExpressions).toEqual(terms);
});
