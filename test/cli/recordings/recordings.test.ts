// `sluice review --record` and `--replay`: what is recorded answers the same anywhere, and redacted it tells no secrets.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { loadAdmission } from '../../../cli/evaluator.ts';
import { Redaction } from '../../../cli/recordings/redact.ts';
import { writeEviction } from '../eviction.ts';
import { testFolder } from '../files.ts';
import { type Result, run } from '../stand-in.ts';

const examples = fileURLToPath(new URL('../../../examples', import.meta.url));
const { folder, write } = testFolder();
const { budget, eviction } = writeEviction(write);
const real = { loadAdmission };

async function record(...given: string[]): Promise<{ result: Result; text: string; file: string }> {
  const file = `${folder}/recording.json`;
  const result = await run(['review', ...given, '--record', file], real);
  return { result, text: readFileSync(file, 'utf8'), file };
}

const replay = (file: string) => run(['review', '--replay', file], real);
const checkout = ['-f', `${examples}/pods/checkout.yaml`, '--objects', `${examples}/sidecars`];

/** With the patches of the answers decoded. */
function readable(text: string): string {
  return text.replace(/\\"patch\\":\\"([^\\]*)/g, (_all, patch: string) => Buffer.from(patch, 'base64').toString());
}

describe('a recording', () => {
  it('answers the same, byte for byte, and changes nothing of the review', async () => {
    const plain = await run(['review', ...checkout], real);
    const { result, text, file } = await record(...checkout);
    expect(result.stdout).toBe(plain.stdout);
    expect(JSON.parse(text)).toMatchObject({
      kind: 'ReviewRecording',
      now: '2026-07-01T08:00:00.000Z',
      systemNamespace: 'kruise-system',
      featureGates: { PodWebhook: true },
      exchanges: [{ path: '/mutate-pod', status: 200 }],
    });
    const { code, stdout, stderr } = await replay(file);
    expect([code, stdout, stderr]).toEqual([
      0,
      '/mutate-pod Pod shop/checkout-0: same\n',
      '1 answer replayed, 0 differ\n',
    ]);
  });

  it('has the questions of policies and what they write, in the order in which it happened', async () => {
    const { text, file } = await record('-f', eviction, '-f', eviction, '--objects', budget);
    const { exchanges } = JSON.parse(text);
    expect(exchanges).toMatchObject([
      {
        path: '/validate-pod',
        facts: [{ question: { get: { kind: 'Pod', name: 'web-0' } }, answer: { kind: 'Pod' } }],
        effects: [{ kind: 'PodUnavailableBudget', status: { unavailableAllowed: 0 } }],
      },
      { path: '/validate-pod' },
    ]);
    expect((await replay(file)).code).toBe(0);
  });

  it('has the owners that a workload implies', async () => {
    const { text, file } = await record('-f', `${examples}/pods/orders.yaml`, '--objects', `${examples}/sidecars`);
    const kinds = JSON.parse(text).exchanges[0].objects.map(({ kind }: JsonObject) => kind);
    expect(kinds.slice(-2)).toEqual(['ReplicaSet', 'Deployment']);
    expect((await replay(file)).code).toBe(0);
  });

  it('that is answered otherwise shows how, and ends with 1', async () => {
    const { text } = await record(...checkout);
    const other = write('other.json', text.replaceAll('mesh/proxy:1.14.2', 'mesh/proxy:1.14.3'));
    const { code, stdout, stderr } = await replay(other);
    expect([code, stderr]).toEqual([1, '1 answer replayed, 1 differ\n']);
    expect(stdout).toContain('-            "image": "registry.example.com/mesh/proxy:1.14.2",\n');
    expect(stdout).toContain('+            "image": "registry.example.com/mesh/proxy:1.14.3",\n');
  });

  it('made by another module is replayed with a warning', async () => {
    const { text } = await record(...checkout);
    const { code, stderr } = await replay(write('other.json', text.replace('"not built"', '"sha256:0"')));
    expect([code, stderr]).toEqual([0, expect.stringContaining('recorded with policy.wasm sha256:0')]);
  });

  it('that is none is refused, with all that is wrong', async () => {
    const wrong = write('wrong.json', '{"kind": "ReviewRecording", "exchanges": [{"path": 1, "answr": "x"}]}');
    const { code, stderr } = await replay(wrong);
    expect(code).toBe(2);
    for (const field of ['now: required', 'exchanges[0].answr: unknown', 'exchanges[0].request: required']) {
      expect(stderr).toContain(field);
    }
  });

  it('that is another object is told in one line', async () => {
    const pod = write('pod.json', '{"apiVersion": "v1", "kind": "Pod"}');
    const { code, stderr } = await replay(pod);
    expect([code, stderr.split('\n')]).toEqual([
      2,
      [expect.stringContaining('kind: expected ReviewRecording, as "sluice review --record" writes it, got "Pod"'), ''],
    ]);
  });

  it.each([
    [['--replay', 'a', '-f', 'b'], '--replay takes no --filename'],
    [['--replay', 'a', '--record', 'b'], '--replay takes no --record'],
    [['-f', 'a', '--redact'], '--redact needs --record'],
    [[...checkout, '--record', `${folder}/nowhere/a`], 'nowhere/a: no such file or folder'],
  ])('%j ends with 2', async (given, message) => {
    const { code, stderr } = await run(['review', ...given], real);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('a redacted recording', () => {
  it('tells no value, and answers the same, byte for byte', async () => {
    const { text, file } = await record('-f', eviction, '--objects', budget, ...checkout, '--redact');
    expect(JSON.parse(text).redacted).toBe(true);
    for (const secret of ['hunter2', '/usr/local/bin/proxy', '15000"']) expect(readable(text)).not.toContain(secret);
    expect((await replay(file)).code).toBe(0);
  });

  it('keeps what policies decide by, and equal values equal', () => {
    const redaction = new Redaction();
    const object = redaction.object({
      kind: 'Pod',
      metadata: {
        name: 'a',
        labels: { app: 'web' },
        annotations: {
          'kruise.io/related-pub': 'web',
          'example.com/key': 's3cret',
          'example.com/json': '{"a":["s3cret"]}',
        },
        managedFields: [{ manager: 'kubectl' }],
      },
      spec: {
        containers: [
          {
            name: 'app',
            image: 'web:1',
            args: ['--user=$(USER)', '--flag', '$(A)$(B)'],
            env: [
              { name: 'KRUISE_CONTAINER_PRIORITY', value: '5' },
              { name: 'A', value: 's3cret' },
              { name: 'B', value: '' },
              { name: 'C', valueFrom: { secretKeyRef: { name: 'x', key: 'y' } } },
            ],
            livenessProbe: { httpGet: { httpHeaders: [{ name: 'Authorization', value: 's3cret' }] } },
          },
        ],
      },
    });
    expect(object).toEqual({
      kind: 'Pod',
      metadata: {
        name: 'a',
        labels: { app: 'web' },
        annotations: {
          'kruise.io/related-pub': 'web',
          'example.com/key': 'redacted-1',
          'example.com/json': '{"a":["redacted-1"]}',
        },
      },
      spec: {
        containers: [
          {
            name: 'app',
            image: 'web:1',
            args: ['redacted-2$(USER)', 'redacted-3', '$(A)$(B)'],
            env: [
              { name: 'KRUISE_CONTAINER_PRIORITY', value: '5' },
              { name: 'A', value: 'redacted-1' },
              { name: 'B', value: '' },
              { name: 'C', valueFrom: { secretKeyRef: { name: 'x', key: 'y' } } },
            ],
            livenessProbe: { httpGet: { httpHeaders: [{ name: 'Authorization', value: 'redacted-1' }] } },
          },
        ],
      },
    });
  });

  it('has Secrets and ConfigMaps without content, wherever they stand, but for the configuration of the policies', () => {
    const secret = { kind: 'Secret', data: { a: 'czNjcmV0' }, stringData: { b: 's3cret' } };
    const settings = { kind: 'ConfigMap', metadata: { name: 'kruise-configuration' }, data: { key: 'value' } };
    const list = new Redaction().object({ items: [secret, { spec: { resource: secret } }, settings] });
    expect(JSON.stringify(list)).not.toMatch(/s3cret|czNjcmV0/);
    expect(list).toMatchObject({ items: [{ data: { a: 'cmVkYWN0ZWQtMQ==' } }, {}, settings] });
  });

  it('names no people', () => {
    const userInfo = { username: 'jane', uid: '1', groups: ['dev', 'system:authenticated'], extra: { a: ['b'] } };
    expect(new Redaction().object({ userInfo })).toEqual({
      userInfo: { username: 'redacted-1', groups: ['system:authenticated'] },
    });
    const system = { username: 'system:serviceaccount:kube-system:replicaset-controller', groups: [] };
    expect(new Redaction().object({ userInfo: system })).toEqual({ userInfo: system });
  });
});
