// ResourceDistribution between its versions (resourcedistribution 1.1, case 23).
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../api/core/json.ts';
import { resourceDistribution } from '../../../../api/kinds/resourcedistribution/kind.ts';
import { typedObjects } from '../../../support/typed-objects.ts';

test('the selector and the list of failed namespaces change their names (23)', () => {
  const object = (version: string, selector: string, failed: string): JsonObject => ({
    apiVersion: `apps.kruise.io/${version}`,
    kind: 'ResourceDistribution',
    metadata: { name: 'rd' },
    spec: {
      resource: { kind: 'ConfigMap', odd: [1, null] },
      targets: { excludedNamespaces: {}, includedNamespaces: {}, [selector]: { matchLabels: { team: 'x' } } },
    },
    status: { desired: 1, conditions: [{ type: 'GetResourceFailed', status: 'True', [failed]: ['a'] }] },
  });
  const old = object('v1alpha1', 'namespaceLabelSelector', 'failedNamespace');
  const converted = object('v1beta1', 'namespaceSelector', 'failedNamespaces');
  expect(resourceDistribution.convert(old, 'v1beta1')).toEqual(converted);
  expect(resourceDistribution.convert(converted, 'v1alpha1')).toEqual(old);
});

test.each([
  ['v1alpha1', 'v1beta1', 'namespaceLabelSelector'],
  ['v1beta1', 'v1alpha1', 'namespaceSelector'],
])('from %s there and back again nothing is lost', (from, to, selector) => {
  fc.assert(
    fc.property(typedObjects(resourceDistribution, from), (given) => {
      const { targets, ...spec } = given.spec as JsonObject & { targets: JsonObject };
      const written = { excludedNamespaces: {}, includedNamespaces: {}, [selector]: {}, ...targets };
      const back = resourceDistribution.convert(resourceDistribution.convert(given, to), from);
      expect(back).toEqual({ ...given, spec: { ...spec, targets: written } });
    }),
  );
});
