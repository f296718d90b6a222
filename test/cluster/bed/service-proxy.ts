// A program of beds with nodes: keeps the packet filters of all its networks so that Services are reached by address.
// Arguments: the bed's folder, the URL of the API server, and every network as a file.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isObject, type JsonObject } from '../../../api/core/json.ts';
import { processInput } from '../../../component/flags.ts';
import { Client } from './client.ts';
import { feed, within } from './network.ts';
import { systemProgram } from './packages.ts';
import { CHAINS, serviceRules } from './service-rules.ts';

const PATHS = ['/api/v1/services', '/apis/discovery.k8s.io/v1/endpointslices'];
const WATCH_SECONDS = 300;
const RETRY_MS = 200;

const [folder = '', server = '', ...networks] = processInput().arguments;
const pem = (name: string) => readFileSync(join(folder, name), 'utf8');
const client = new Client(server, { ca: pem('ca.crt'), certificate: pem('admin.crt'), key: pem('admin.key') });

let applied = '';
await apply(CHAINS);
for (;;) {
  try {
    const lists = await Promise.all(PATHS.map((path) => client.must(client.get(path))));
    const [services = [], slices = []] = lists.map(({ items }) => (Array.isArray(items) ? items.filter(isObject) : []));
    const rules = serviceRules(services, slices);
    if (rules !== applied) await apply(rules);
    applied = rules;
    await anyChange(lists);
  } catch (error) {
    // The API server may be on its way down or up.
    process.stderr.write(`${String(error)}\n`);
    await wait(RETRY_MS);
  }
}

async function apply(rules: string): Promise<void> {
  const command = [systemProgram('iptables-restore'), '--noflush'];
  await Promise.all(networks.map((network) => feed(within({ network }, command), rules)));
}

async function anyChange(lists: readonly JsonObject[]): Promise<void> {
  const done = new AbortController();
  const watches = lists.map(({ metadata }, index) => {
    const version = isObject(metadata) ? String(metadata.resourceVersion) : '';
    const query = `watch=true&resourceVersion=${version}&timeoutSeconds=${WATCH_SECONDS}`;
    return client.change(`${PATHS[index]}?${query}`, done.signal);
  });
  try {
    await Promise.race(watches);
  } finally {
    done.abort();
    await Promise.allSettled(watches);
  }
}
