// A module that traps, runs away or takes all memory costs the one review (faults F05, F06). The faults are real: the
// module of these tests has them built in.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { effectiveGates } from '../../api/gates.ts';
import type { Policies } from '../../evaluator/policies.ts';
import { Webhooks } from '../../evaluator/webhooks.ts';
import { richObjects } from '../fuzz/review-subjects.ts';
import { sidecar, sidecarSet } from '../support/builders/sidecarset.ts';
import { eventually } from './support/eventually.ts';
import { buildFaulty, FAULTS, loadFaulty, reviewOf } from './support/faulty.ts';
import { Peer, request } from './support/peer.ts';
import { GatewayProcess } from './support/process.ts';

const SET = sidecarSet('mesh', { containers: [sidecar('mesh')] });
const TRAPS = 'sluice_policy_module_traps_total';
/** A caller with the shortest timeout there is waits so long at most. */
const PATIENCE_MS = 800;
const faults = Object.entries(FAULTS);

type Response = { uid: string; allowed: boolean; patch?: string; status: { code: number; message?: string } };

function responseOf(body: string): Response {
  return (JSON.parse(body) as { response: Response }).response;
}

function operationsOf(body: string): string {
  return Buffer.from(responseOf(body).patch ?? '', 'base64').toString();
}

/** The answer to a sound review: the sidecar is injected, and nothing else is said. */
function expectInjected(body: string, uid: string): void {
  const { patch: _, ...verdict } = responseOf(body);
  expect(verdict).toMatchObject({ uid, allowed: true });
  const operations = operationsOf(body);
  expect(operations).toContain('"name":"mesh"');
  expect(body + operations).not.toContain('do-not-leak');
}

beforeAll(buildFaulty, 300_000);

describe('the policies', () => {
  const settings = { gates: effectiveGates(), systemNamespace: 'kruise-system' };
  let policies: Policies;
  const answer = (body: string): string => Buffer.from(policies.review('/mutate-pod', Buffer.from(body), 0)).toString();

  beforeEach(async () => {
    policies = await loadFaulty();
    policies.configure(settings);
    policies.apply(Buffer.from(JSON.stringify(SET)));
  });

  test.each(faults)('%s is answered as an error, and the next review by an instance like the first', (name, bytes) => {
    const first = answer(reviewOf('next', 900));
    const started = performance.now();
    const failed = answer(reviewOf('faulty', bytes, 'do-not-leak'));
    const ms = performance.now() - started;
    process.stdout.write(`${name}: the event loop stood still for ${Math.round(ms)} ms\n`);
    expect(responseOf(failed)).toEqual({
      uid: 'faulty',
      allowed: false,
      status: { code: 500, message: 'panic: the policy module stopped; it was replaced' },
    });
    expect(ms).toBeLessThan(PATIENCE_MS);
    expect(answer(reviewOf('next', 900))).toBe(first);
    expect(policies.traps).toBe(1);
    expect(policies.size.objects).toBe(1);
  });

  test('objects of a cluster are all the same in the next instance, with what no type knows', () => {
    const webhooks = new Webhooks(policies, settings);
    webhooks.remove({ apiVersion: SET.apiVersion as string, kind: 'SidecarSet', name: 'mesh' });
    for (const object of richObjects()) webhooks.apply(object);
    const annotations = { 'kruise.io/sidecarset-hash': 'h', 'kruise.io/sidecarset-hash-without-image': 'i' };
    const spec = { selector: { matchLabels: { app: 'web' } }, containers: [{ ...sidecar('odd'), weight: 1.5 }] };
    webhooks.apply({ ...SET, metadata: { name: 'odd', annotations }, spec });
    const { objects, objectBytes } = policies.size;
    const answers = () => [answer(reviewOf('next', 900)), answer(reviewOf('other', 5000))];
    const first = answers();
    answer(reviewOf('faulty', FAULTS['a trap']));
    expect(policies.size).toMatchObject({ objects, objectBytes });
    expect(answers()).toEqual(first);
    expect(operationsOf(first[0] ?? '')).toContain('"weight":1.5');
    webhooks.remove({ apiVersion: SET.apiVersion as string, kind: 'SidecarSet', name: 'odd' });
    answer(reviewOf('faulty', FAULTS['a trap']));
    expect(policies.size).toMatchObject({ objects: objects - 1 });
    expect(operationsOf(answer(reviewOf('next', 900)))).not.toContain('"weight":1.5');
  });

  test('a thousand traps in a row leave no instance behind', () => {
    const before = process.memoryUsage().rss;
    for (let i = 0; i < 1000; i++) answer(reviewOf('faulty', FAULTS['a trap']));
    expectInjected(answer(reviewOf('next', 900)), 'next');
    expect(policies.traps).toBe(1000);
    expect(process.memoryUsage().rss - before).toBeLessThan(256 << 20);
  });

  test('reviews that each take all memory do not add up', () => {
    const before = process.memoryUsage().rss;
    for (let i = 0; i < 16; i++) {
      answer(reviewOf('faulty', FAULTS['memory without end']));
      expect(process.memoryUsage().rss - before).toBeLessThan(5 * (64 << 20));
    }
  });
});

describe('a gateway', () => {
  let gateway: GatewayProcess;
  const peers: Peer[] = [];

  beforeAll(async () => {
    const evaluatorModule = new URL('./support/faulty.ts', import.meta.url).href;
    gateway = await GatewayProcess.start({ times: { evaluatorModule } });
    await writeFile(join(gateway.folder, 'mesh.json'), JSON.stringify(SET));
    const peer = await connect();
    await eventually(async () => expectInjected((await ask(peer, reviewOf('ready', 900))).body, 'ready'));
  });
  afterEach(() => {
    for (const peer of peers.splice(0)) peer.close();
  });
  afterAll(async () => {
    await gateway?.close();
  });

  async function connect(): Promise<Peer> {
    const peer = await Peer.tls(gateway.port);
    peers.push(peer);
    return peer;
  }

  function ask(peer: Peer, body: string) {
    return peer.send(request(body, { path: '/mutate-pod?timeout=1s' })).answer();
  }

  test.each(faults)('answers %s in time; other connections wait, and get what they always get', async (name, bytes) => {
    const [faulty, ...others] = await Promise.all([connect(), connect(), connect(), connect()]);
    const traps = await gateway.metric(TRAPS);
    const timed = async (peer: Peer, body: string) => {
      const started = performance.now();
      const answer = await ask(peer, body);
      return { ...answer, ms: Math.round(performance.now() - started) };
    };
    const [failed, ...answers] = await Promise.all([
      timed(faulty, reviewOf('faulty', bytes, 'do-not-leak')),
      ...others.map((peer, at) => timed(peer, reviewOf(`other-${at}`, 900))),
    ]);
    process.stdout.write(
      `${name}: answered in ${failed.ms} ms, others in ${answers.map(({ ms }) => ms).join(', ')} ms\n`,
    );
    expect(failed.status).toBe(200);
    expect(responseOf(failed.body)).toMatchObject({ uid: 'faulty', allowed: false, status: { code: 500 } });
    expect(failed.body).not.toContain('do-not-leak');
    for (const [at, { status, body, ms }] of answers.entries()) {
      expect(status).toBe(200);
      expectInjected(body, `other-${at}`);
      expect(ms).toBeLessThan(PATIENCE_MS);
    }
    expect(failed.ms).toBeLessThan(PATIENCE_MS);
    expectInjected((await ask(faulty, reviewOf('next', 900))).body, 'next');
    await eventually(async () => expect(await gateway.metric(TRAPS)).toBe(traps + 1));
    expect((await gateway.ready()).status).toBe(200);
    expect(gateway.stderr).not.toContain('do-not-leak');
  });
});
