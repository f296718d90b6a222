// Health questions are answered as Kubernetes' own programs do.

import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Health } from '../../component/health.ts';
import { Metrics } from '../../component/metrics.ts';
import { openStatusPort, type StatusParts, type StatusPort } from '../../component/status-port.ts';

const open: StatusPort[] = [];

afterEach(async () => {
  for (const port of open.splice(0)) await port.close();
});

function sick(): Health {
  const health = new Health();
  health.addReadiness('first', () => undefined);
  health.addReadiness('second', () => 'the reason');
  health.addReadiness('third', () => {
    throw new Error('with a secret');
  });
  return health;
}

test('a program without checks is well', () => {
  for (const path of ['/livez', '/readyz', '/healthz'])
    expect(new Health().answer(path)).toEqual({ status: 200, body: 'ok' });
  expect(new Health().answer('/livez?verbose')?.body).toBe('[+]ping ok\nhealthz check passed\n');
});

test('failures are named, and explained only when asked for', () => {
  const health = sick();
  expect(health.isReady()).toBe(false);
  expect(health.answer('/livez')).toEqual({ status: 200, body: 'ok' });
  expect(health.answer('/readyz')).toEqual({
    status: 500,
    body: '[+]first ok\n[-]second failed: reason withheld\n[-]third failed: reason withheld\nhealthz check failed\n',
  });
  expect(health.answer('/readyz?verbose')?.body).toContain('[-]second failed: the reason\n');
  expect(health.answer('/readyz?verbose')?.body).not.toContain('secret');
});

test('checks can be left out and asked for alone', () => {
  const health = sick();
  expect(health.answer('/readyz?exclude=second&exclude=third')).toEqual({ status: 200, body: 'ok' });
  expect(health.answer('/readyz?verbose&exclude=second&exclude=third&exclude=none')?.body).toBe(
    '[+]first ok\n[+]second excluded: ok\n[+]third excluded: ok\nwarn: no check is called "none"\nhealthz check passed\n',
  );
  expect(health.answer('/readyz/first')).toEqual({ status: 200, body: 'ok' });
  expect(health.answer('/readyz/second')?.status).toBe(500);
  expect(health.answer('/readyz/none')?.status).toBe(404);
  expect(health.answer('/readyz/first/more')).toBeUndefined();
  expect(health.answer('/readyzz')).toBeUndefined();
});

async function listen(parts: StatusParts): Promise<string> {
  const port = await openStatusPort('127.0.0.1', 0, parts);
  open.push(port);
  return `http://127.0.0.1:${port.port}`;
}

test('a port serves its parts and nothing else', async () => {
  const base = await listen({ health: sick() });
  expect((await fetch(`${base}/livez`)).status).toBe(200);
  expect((await fetch(`${base}/readyz`)).status).toBe(500);
  expect((await fetch(`${base}/metrics`)).status).toBe(404);
  expect((await fetch(`${base}/`)).status).toBe(404);
  expect((await fetch(`${base}/livez`, { method: 'POST', body: 'x' })).status).toBe(405);
  const metrics = await listen({ metrics: new Metrics('test', '1.2.3') });
  const answer = await fetch(`${metrics}/metrics`);
  expect(answer.headers.get('content-type')).toContain('version=0.0.4');
  expect(await answer.text()).toContain('sluice_build_info{program="test",version="1.2.3"');
  expect((await fetch(`${metrics}/livez`)).status).toBe(404);
});

test('a port that is taken rejects, and closing ends connections that are open', async () => {
  const base = await listen({ health: new Health() });
  const port = Number(new URL(base).port);
  await expect(openStatusPort('127.0.0.1', port, {})).rejects.toMatchObject({ code: 'EADDRINUSE' });
  const idle = connect(port, '127.0.0.1');
  await once(idle, 'connect');
  const closed = once(idle, 'close');
  await open.pop()?.close();
  await closed;
});
