// What policies are told about the cluster when all there is are the objects that were handed in.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { readAnswer } from '../../evaluator/fact.ts';
import { Objects } from '../../evaluator/objects.ts';
import type { Question } from '../../evaluator/policies.ts';
import { referenceTo } from '../support/policy-module.ts';

function object(apiVersion: string, kind: string, metadata: JsonObject, status?: JsonObject): JsonObject {
  return { apiVersion, kind, metadata, ...(status === undefined ? {} : { status }) };
}

function holding(...objects: JsonObject[]): Objects {
  const held = new Objects();
  for (const one of objects) held.put(referenceTo(one), one);
  return held;
}

function holdingTexts(...objects: JsonObject[]): Objects {
  const held = new Objects();
  for (const one of objects) held.putText(referenceTo(one), one, JSON.stringify(one));
  return held;
}

describe.each([
  ['objects', holding],
  ['texts', holdingTexts],
])('get, of %s', (_form, holding) => {
  const web = object('apps/v1', 'Deployment', { name: 'web', namespace: 'shop' });
  const node = object('v1', 'Node', { name: 'n1' });
  const bare = object('v1', 'ConfigMap', { name: 'c' });
  const held = holding(web, node, bare);
  const get = (apiVersion: string, kind: string, name: string, namespace?: string) =>
    held.answer({ get: { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) } });

  test.each<[string, ReturnType<typeof get>, JsonObject | null]>([
    ['an object', get('apps/v1', 'Deployment', 'web', 'shop'), web],
    ['an object in whatever version', get('apps/v1beta2', 'Deployment', 'web', 'shop'), web],
    ['nothing of another group', get('extensions/v1', 'Deployment', 'web', 'shop'), null],
    ['nothing of another kind', get('apps/v1', 'ReplicaSet', 'web', 'shop'), null],
    ['nothing of another namespace', get('apps/v1', 'Deployment', 'web', 'other'), null],
    ['nothing of another name', get('apps/v1', 'Deployment', 'web2', 'shop'), null],
    ['an object of no namespace', get('v1', 'Node', 'n1'), node],
    ['in the default namespace what names none', get('v1', 'ConfigMap', 'c', 'default'), bare],
  ])('gives %s', (_what, answer, expected) => {
    expect(readAnswer(answer)).toEqual({ answer: expected });
  });
});

describe.each([
  ['objects', holding],
  ['texts', holdingTexts],
])('count, of %s', (_form, holding) => {
  const gone = { deletionTimestamp: '2026-07-01T08:00:00Z' };
  const held = holding(
    object('v1', 'Pod', { name: 'a', namespace: 'shop' }, { phase: 'Running' }),
    object('v1', 'Pod', { name: 'b', namespace: 'shop' }, { phase: 'Succeeded' }),
    object('v1', 'Pod', { name: 'c', namespace: 'shop' }, { phase: 'Failed' }),
    object('v1', 'Pod', { name: 'd', namespace: 'shop' }),
    object('v1', 'Pod', { name: 'e', namespace: 'shop', ...gone }, { phase: 'Running' }),
    object('v1', 'Pod', { name: 'a', namespace: 'other' }, { phase: 'Pending' }),
    object('v1', 'PersistentVolumeClaim', { name: 'x', namespace: 'shop' }, { phase: 'Bound' }),
    object('v1', 'PersistentVolumeClaim', { name: 'y', namespace: 'shop' }, { phase: 'Pending' }),
    object('v1', 'PersistentVolumeClaim', { name: 'z', namespace: 'shop', ...gone }, { phase: 'Bound' }),
  );

  test.each<[Extract<Question, { count: unknown }>['count'], string[]]>([
    [{ apiVersion: 'v1', kind: 'Pod', namespace: 'shop', where: 'active', limit: 10 }, ['a', 'd']],
    [{ apiVersion: 'v1', kind: 'Pod', namespace: 'shop', where: 'live', limit: 10 }, ['a', 'b', 'c', 'd']],
    [{ apiVersion: 'v1', kind: 'Pod', where: 'active', limit: 10 }, ['a', 'd', 'a']],
    [{ apiVersion: 'v1', kind: 'Pod', where: 'active', limit: 2 }, ['a', 'd']],
    [{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'shop', where: 'bound', limit: 10 }, ['x']],
    [{ apiVersion: 'v1', kind: 'Pod', namespace: 'empty', where: 'live', limit: 10 }, []],
    [{ apiVersion: 'x.io/v1', kind: 'Thing', where: 'live', limit: 10 }, []],
  ])('%o', (count, names) => {
    expect(held.answer({ count })).toEqual({ answer: { count: names.length, names } });
  });
});

test('a text is given as it is, and looked up without losing digits', () => {
  const text = '{"apiVersion":"v1","kind":"Node","metadata":{"name":"ñ"},"x":12345678901234567890}';
  const reference = { apiVersion: 'v1', kind: 'Node', name: 'ñ' };
  const held = new Objects();
  held.putText(reference, JSON.parse(text), text);
  expect(held.answer({ get: reference })).toEqual({ text: new TextEncoder().encode(text) });
  expect(JSON.stringify(held.find('', 'Node', '', 'ñ'))).toBe(text);
  held.put(reference, object('v1', 'Node', { name: 'ñ' }));
  expect(held.answer({ get: reference })).toEqual({ answer: object('v1', 'Node', { name: 'ñ' }) });
});

test('what was deleted or replaced is answered for no more', () => {
  const held = holding(
    object('v1', 'Pod', { name: 'a', namespace: 'shop' }),
    object('v1', 'Pod', { name: 'b', namespace: 'shop' }),
  );
  const reference = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'a' };
  held.put(reference, object('v1', 'Pod', { name: 'a', namespace: 'shop', labels: { new: 'yes' } }));
  expect(held.find('', 'Pod', 'shop', 'a')).toMatchObject({ metadata: { labels: { new: 'yes' } } });
  expect(held.list('', 'Pod', 'shop')).toHaveLength(2);
  held.delete(reference);
  held.delete(reference);
  expect(held.answer({ get: reference })).toEqual({ answer: null });
  expect(held.list('', 'Pod', 'shop')).toHaveLength(1);
});
