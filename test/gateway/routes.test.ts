// From URLs to the paths that are answered.

import { expect, test } from 'vitest';
import { webhookEntries } from '../../api/webhooks.ts';
import { Routes } from '../../gateway/routes.ts';

const routes = new Routes([...new Set(webhookEntries.map(({ path }) => path))], 10_000);

test.each([
  ['/mutate-apps-kruise-io-v1alpha1-cloneset', '/mutate-apps-kruise-io-cloneset'],
  ['/validate-apps-kruise-io-v1alpha1-cloneset?timeout=5s', '/validate-apps-kruise-io-cloneset'],
  ['/validate-policy-kruise-io-v1alpha1-podunavailablebudget', '/validate-policy-kruise-io-podunavailablebudget'],
  ['/validate-apps-kruise-io-v1alpha1-ephemeraljob', '/validate-apps-kruise-io-v1alpha1-ephemeraljob'],
])('%s of an older configuration is answered as %s', (url, path) => {
  expect(routes.find(url)?.path).toBe(path);
  expect(routes.find(url)?.index).toBe(routes.paths.indexOf(path));
});

test.each(['/mutate-apps-kruise-io-v1alpha1-thing', '/mutate-apps-kruise-io-v1alpha2-cloneset', '/v1alpha1-', ''])(
  '%s is not served',
  (url) => {
    expect(routes.find(url)).toBeUndefined();
  },
);
