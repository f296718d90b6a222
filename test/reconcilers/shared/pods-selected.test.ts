// Pods are found by labels through an index, and they are those that the selector selects.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesSelector } from '../../../api/core/selector.ts';
import type { KubeObject } from '../../../kube/objects.ts';
import type { Reader } from '../../../kube/reader.ts';
import { byLabel, LABEL_INDEX, podsSelected } from '../../../reconcilers/shared/workloads.ts';

/** Pods as a mirror has them; `read` gets those that were looked at. */
function holding(pods: readonly KubeObject[], read: KubeObject[] = []): Reader {
  const given = (found: readonly KubeObject[]) => {
    read.push(...found);
    return found;
  };
  return {
    get: () => undefined,
    list: (_, namespace) => given(pods.filter(({ metadata }) => metadata.namespace === namespace)),
    indexed: (_, index, key) => given(pods.filter((pod) => index === LABEL_INDEX && byLabel(pod).includes(key))),
  };
}

function pod(name: string, namespace: string, labels: Record<string, string> | undefined): KubeObject {
  const metadata = { name, namespace, uid: name, resourceVersion: '1', ...(labels && { labels }) };
  return { apiVersion: 'v1', kind: 'Pod', metadata };
}

const names = fc.constantFrom('app', 'tier', 'app.kubernetes.io/name');
const values = fc.constantFrom('', 'a', 'web', 'a=b');
const labels = fc.dictionary(names, values);
const expression = fc.record({
  key: names,
  operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
  values: fc.array(values, { minLength: 1 }),
});
const selectors = fc.record(
  { matchLabels: labels, matchExpressions: fc.array(expression, { maxLength: 2 }) },
  { requiredKeys: [] },
);

test('they are the pods of the namespace that the selector matches', () => {
  const spaces = fc.constantFrom('shop', 'shop2');
  const property = fc.property(
    fc.array(fc.tuple(spaces, fc.option(labels, { nil: undefined }))),
    selectors,
    (made, selector) => {
      const pods = made.map(([namespace, own], i) => pod(`pod-${i}`, namespace, own));
      const expected = pods.filter(
        ({ metadata }) => metadata.namespace === 'shop' && matchesSelector(selector, metadata.labels),
      );
      expect(podsSelected(holding(pods), selector, 'shop')).toEqual(expected);
    },
  );
  fc.assert(property);
});

test('of a large namespace few are read', () => {
  const pods = Array.from({ length: 1000 }, (_, i) => pod(`pod-${i}`, 'shop', { app: `app-${i % 100}`, tier: 'web' }));
  const read: KubeObject[] = [];
  expect(podsSelected(holding(pods, read), { matchLabels: { app: 'app-7', tier: 'web' } }, 'shop')).toHaveLength(10);
  expect(read).toHaveLength(10);
});
