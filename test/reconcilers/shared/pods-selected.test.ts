// Pods are found by labels through an index, and they are those that the selector selects.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LabelSelector } from '../../../api/core/meta.ts';
import { matchesSelector } from '../../../api/core/selector.ts';
import type { KubeObject } from '../../../kube/objects.ts';
import { NAMESPACE_INDEX, type Reader } from '../../../kube/reader.ts';
import { byLabel, LABEL_INDEX, type MetadataOf, storedPodsSelected } from '../../../reconcilers/shared/workloads.ts';
import { storedIn } from '../../support/stored.ts';

/** Pods as a mirror has them. */
function holding(pods: readonly KubeObject[]): Reader {
  const indexed: Reader['indexed'] = (_, index, key) =>
    pods.filter((pod) => {
      if (index === NAMESPACE_INDEX) return pod.metadata.namespace === key;
      return index === LABEL_INDEX && byLabel(pod).includes(key);
    });
  return { get: () => undefined, list: () => pods, indexed, ...storedIn(indexed), followsKind: () => true };
}

/** The pods of namespace `shop` that the selector selects; `read` gets those that were looked at. */
function selected(pods: readonly KubeObject[], selector: LabelSelector, read: KubeObject[] = []): KubeObject[] {
  const metadataOf: MetadataOf = (stored) => {
    const object = stored.read();
    read.push(object);
    return object.metadata;
  };
  return storedPodsSelected(holding(pods), selector, { namespace: 'shop', metadataOf }).map((stored) => stored.read());
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
      expect(new Set(selected(pods, selector))).toEqual(new Set(expected));
    },
  );
  fc.assert(property);
});

test('of the labels that all must have, the one that the fewest pods have tells which are looked at', () => {
  const common = 'app.kubernetes.io/managed-by';
  const pods = Array.from({ length: 1000 }, (_, i) =>
    pod(`pod-${i}`, 'shop', { app: `app-${i % 100}`, [common]: 'helm' }),
  );
  const few: [string, LabelSelector, number][] = [
    ['by a short label next to a long one', { matchLabels: { app: 'app-7', [common]: 'helm' } }, 10],
    [
      'by a list of values',
      {
        matchLabels: { [common]: 'helm' },
        matchExpressions: [{ key: 'app', operator: 'In', values: ['app-7', 'app-8', 'app-7'] }],
      },
      20,
    ],
    ['by a label that no pod has', { matchLabels: { [common]: 'helm', app: 'none' } }, 0],
  ];
  for (const [_what, selector, count] of few) {
    const read: KubeObject[] = [];
    expect(selected(pods, selector, read)).toHaveLength(count);
    expect(read).toHaveLength(count);
  }
});
