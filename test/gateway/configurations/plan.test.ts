// What is made of a webhook configuration, from what it is (operations.md 9.2, 22: cases 1, 11, 12, 15, 30).

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/core/json.ts';
import { planConfiguration } from '../../../gateway/configurations/plan.ts';
import type { KubeObject } from '../../../kube/objects.ts';
import { CA_BUNDLE, installed, SERVICE, settings, webhook } from './settings.ts';

type Configuration = KubeObject & { webhooks: JsonObject[] };
type Type = 'mutating' | 'validating';

/** The configuration after one pass. */
function revised(live: JsonObject, change: Parameters<typeof settings>[0] = {}): Configuration {
  const { update } = planConfiguration(live as unknown as KubeObject, settings(change));
  return (update ?? live) as unknown as Configuration;
}

function entry(configuration: Configuration, name: string): JsonObject {
  const found = configuration.webhooks.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

function names({ webhooks }: { webhooks: JsonObject[] }): unknown[] {
  return webhooks.map(({ name }) => name);
}

/** The template that a configuration keeps. */
function template({ metadata }: KubeObject): JsonObject[] {
  return JSON.parse(metadata.annotations?.template ?? 'null');
}

function edited(configuration: Configuration, name: string, change: JsonObject): JsonObject {
  const webhooks = configuration.webhooks.map((one) => (one.name === name ? { ...one, ...change } : one));
  return { ...configuration, webhooks } as unknown as JsonObject;
}

describe('a configuration as it was installed', () => {
  test.each<Type>(['mutating', 'validating'])(
    '%s: all calls go to the Service of this installation, in their order',
    (type) => {
      const live = installed(type) as unknown as Configuration;
      const result = revised(installed(type));
      expect(names(result)).toEqual(names(live));
      for (const [index, { clientConfig }] of result.webhooks.entries()) {
        const [given = {}] = live.webhooks.slice(index);
        const { service } = given.clientConfig as { service: JsonObject };
        expect(clientConfig).toEqual({ service: { ...SERVICE, path: service.path, port: 443 }, caBundle: CA_BUNDLE });
      }
    },
  );

  test.each<Type>(['mutating', 'validating'])('%s: a second pass finds nothing to do', (type) => {
    const plan = planConfiguration(revised(installed(type)), settings());
    expect(plan).toEqual({ update: undefined, changed: [], narrowed: [] });
  });

  test('pods of the own namespace and of kube-system are not sent, and dry runs have no side effects', () => {
    for (const [type, name] of [
      ['mutating', 'mpod.kb.io'],
      ['validating', 'vpod.kb.io'],
      ['validating', 'vpodeviction.kb.io'],
    ] as const) {
      expect(entry(revised(installed(type)), name)).toMatchObject({
        sideEffects: 'NoneOnDryRun',
        namespaceSelector: {
          matchExpressions: [
            { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kruise-system', 'kube-system'] },
          ],
        },
      });
    }
    expect(entry(revised(installed('mutating')), 'mcloneset.kb.io')).toMatchObject({
      sideEffects: 'None',
      namespaceSelector: {},
    });
  });

  test('a namespace that is left out by name already is not named twice', () => {
    const term = { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system'] };
    const live = edited(installed('mutating') as unknown as Configuration, 'mpod.kb.io', {
      namespaceSelector: { matchExpressions: [term] },
    });
    expect(entry(revised(live), 'mpod.kb.io').namespaceSelector).toEqual({
      matchExpressions: [term, { ...term, values: ['kruise-system'] }],
    });
  });

  test('outside of a cluster calls go to the host', () => {
    const result = revised(installed('mutating'), { address: { host: '10.0.0.5:9876', caBundle: CA_BUNDLE } });
    expect(entry(result, 'mpod.kb.io').clientConfig).toEqual({
      url: 'https://10.0.0.5:9876/mutate-pod',
      caBundle: CA_BUNDLE,
    });
    expect(
      planConfiguration(result, settings({ address: { host: '10.0.0.5:9876', caBundle: CA_BUNDLE } })).update,
    ).toBeUndefined();
  });

  test('one without webhooks stays as it is and is adopted when they come', () => {
    const empty = { ...installed('mutating'), webhooks: [] };
    expect(planConfiguration(empty as unknown as KubeObject, settings()).update).toBeUndefined();
    const stuck = installed('mutating', { template: 'null' });
    expect(template(revised(stuck))).toHaveLength(12);
  });
});

describe('the paths that are served', () => {
  test('entries of others are taken out, stay in the template, and come back', () => {
    const live = revised(installed('validating'));
    const without = revised(live as unknown as JsonObject, { isServed: (path) => path !== '/validate-pod' });
    expect(names(without)).not.toContain('vpod.kb.io');
    expect(names(without)).not.toContain('vpodeviction.kb.io');
    expect(names({ webhooks: template(without) })).toContain('vpod.kb.io');
    expect(revised(without as unknown as JsonObject).webhooks).toEqual(live.webhooks);
  });

  test('protection that is switched off takes out services and ingresses alone', () => {
    const isServed = (path: string) => path !== '/validate-service' && path !== '/validate-ingress';
    const all = names(revised(installed('validating')));
    const rest = names(revised(installed('validating'), { isServed }));
    expect(all.filter((name) => !rest.includes(name))).toEqual(['vingress.kb.io', 'vservice.kb.io']);
  });

  test('an entry that points nowhere is an error that names it', () => {
    const live = edited(installed('mutating') as unknown as Configuration, 'mpod.kb.io', { clientConfig: {} });
    expect(() => revised(live)).toThrow('webhooks[mpod.kb.io].clientConfig: expected a service with a path, or a url');
  });
});

describe('an edit', () => {
  const settled = revised(installed('mutating'));
  test.each<[string, JsonObject]>([
    ['rules that were deleted', { rules: [] }],
    ['other rules', { rules: [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['*'] }] }],
    ['another failure policy', { failurePolicy: 'Ignore' }],
    ['another timeout', { timeoutSeconds: 1 }],
    ['another reinvocation policy', { reinvocationPolicy: 'IfNeeded' }],
    [
      'another Service',
      { clientConfig: { service: { namespace: 'a', name: 'b', path: '/mutate-pod' }, caBundle: CA_BUNDLE } },
    ],
    ['another authority', { clientConfig: { service: { ...SERVICE, path: '/c', port: 443 }, caBundle: 'Cg==' } }],
    ['a URL', { clientConfig: { url: 'https://example.com/mutate-pod', caBundle: CA_BUNDLE } }],
  ])('%s: is put back', (_what, change) => {
    const plan = planConfiguration(edited(settled, 'mcloneset.kb.io', change) as unknown as KubeObject, settings());
    expect(plan.changed).toEqual(['mcloneset.kb.io']);
    expect((plan.update as unknown as Configuration).webhooks).toEqual(settled.webhooks);
  });

  test.each<[string, JsonObject]>([
    [
      'a further term of the namespace selector',
      { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } },
    ],
    ['a label that namespaces must have', { namespaceSelector: { matchLabels: { a: 'b' } } }],
    [
      'a further term of the object selector',
      { objectSelector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } },
    ],
    ['a match condition', { matchConditions: [{ name: 'a', expression: 'true' }] }],
  ])('%s: narrows, and is left alone', (_what, change) => {
    const live = edited(settled, 'mcloneset.kb.io', change);
    expect(planConfiguration(live as unknown as KubeObject, settings())).toEqual({
      update: undefined,
      changed: [],
      narrowed: ['mcloneset.kb.io'],
    });
    const other = edited(live as unknown as Configuration, 'mcloneset.kb.io', { failurePolicy: 'Ignore' });
    expect(entry(revised(other), 'mcloneset.kb.io')).toMatchObject({ ...change, failurePolicy: 'Fail' });
  });

  test.each<[string, JsonObject]>([
    ['lists in another order', { admissionReviewVersions: ['v1beta1', 'v1'] }],
    ['empty lists', { matchConditions: [] }],
    [
      'defaults that are not said',
      { matchPolicy: null, timeoutSeconds: null, objectSelector: null, reinvocationPolicy: null },
    ],
  ])('%s: is no difference', (_what, change) => {
    const live = edited(settled, 'mcloneset.kb.io', change);
    expect(planConfiguration(live as unknown as KubeObject, settings()).update).toBeUndefined();
  });

  test('entries that were added, removed or put in another order', () => {
    const [first, second, ...rest] = settled.webhooks;
    const lists = [
      [second, first, ...rest],
      [second, ...rest],
      [...settled.webhooks, webhook('added.example.com', '/mutate-pod')],
    ];
    for (const webhooks of lists) {
      expect(revised({ ...settled, webhooks } as unknown as JsonObject).webhooks).toEqual(settled.webhooks);
    }
  });
});

describe('a new installation', () => {
  const APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
  const settled = revised(installed('mutating'));
  const listOf = (...paths: string[]) =>
    paths.map((path, index) => webhook(`new${index}.kb.io`, path, { timeoutSeconds: 7 }));

  test('with an empty template is the new template', () => {
    const webhooks = [...(installed('mutating').webhooks as JsonObject[]), webhook('new.kb.io', '/mutate-new')];
    const annotations = { ...settled.metadata.annotations, template: '' };
    const result = revised({
      ...settled,
      metadata: { ...settled.metadata, annotations },
      webhooks,
    } as unknown as JsonObject);
    expect(names(result)).toEqual([...names(settled), 'new.kb.io']);
    expect(names({ webhooks: template(result) })).toEqual(names(result));
  });

  const applied = (live: Configuration, webhooks: JsonObject[], stays: JsonObject[] = webhooks): JsonObject => {
    const text = JSON.stringify({ webhooks });
    const annotations = { ...live.metadata.annotations, [APPLIED]: text };
    return { ...live, metadata: { ...live.metadata, annotations }, webhooks: stays } as unknown as JsonObject;
  };

  test('by kubectl apply is adopted though it does not name the template, and once', () => {
    const first = revised(applied(installed('mutating') as unknown as Configuration, listOf('/a')));
    const second = revised(applied(first, listOf('/a', '/b')));
    expect(names(second)).toEqual(['new0.kb.io', 'new1.kb.io']);
    expect(names({ webhooks: template(second) })).toEqual(names(second));
    expect(planConfiguration(second, settings()).update).toBeUndefined();
    expect(revised(edited(second, 'new0.kb.io', { rules: [] })).webhooks).toEqual(second.webhooks);
  });

  test('by kubectl apply is adopted after another program has put the old list back', () => {
    const first = revised(applied(installed('mutating') as unknown as Configuration, listOf('/a')));
    expect(names(revised(applied(first, listOf('/a', '/b'), first.webhooks)))).toEqual(['new0.kb.io', 'new1.kb.io']);
  });

  test('by kubectl apply over the template of the system that we replace is adopted', () => {
    const annotations = { template: JSON.stringify(listOf('/old')) };
    const old = { ...installed('mutating', annotations), webhooks: listOf('/old') } as unknown as Configuration;
    expect(names(revised(applied(old, listOf('/old', '/b'))))).toEqual(['new0.kb.io', 'new1.kb.io']);
    const same = revised(applied(old, listOf('/old')));
    expect(template(same)).toEqual(listOf('/old'));
  });

  test('by server-side apply is adopted when it was applied again', () => {
    const byApply = (live: Configuration, time: string, webhooks: JsonObject[]): JsonObject => {
      const managedFields = [{ manager: 'kubectl', operation: 'Apply', time, fieldsV1: { 'f:webhooks': {} } }];
      return { ...live, metadata: { ...live.metadata, managedFields }, webhooks } as unknown as JsonObject;
    };
    const first = revised(
      byApply(installed('mutating') as unknown as Configuration, '2026-01-01T00:00:00Z', listOf('/a')),
    );
    expect(revised(byApply(first, '2026-01-01T00:00:00Z', listOf('/x'))).webhooks).toEqual(first.webhooks);
    expect(names(revised(byApply(first, '2026-02-01T00:00:00Z', listOf('/a', '/b'))))).toEqual([
      'new0.kb.io',
      'new1.kb.io',
    ]);
  });

  test('drops the terms of the template before, and keeps those of others', () => {
    const term = (key: string) => ({ key, operator: 'Exists' });
    const withTerms = (...keys: string[]) => [
      webhook('new.kb.io', '/a', { namespaceSelector: { matchExpressions: keys.map(term) } }),
    ];
    const first = revised(applied(installed('mutating') as unknown as Configuration, withTerms('old')));
    const narrowed = withTerms('old', 'provider');
    const second = revised(applied(first, withTerms('new'), narrowed));
    expect(entry(second, 'new.kb.io').namespaceSelector).toEqual({ matchExpressions: [term('new'), term('provider')] });
  });

  test.each(['no JSON', '{}', '[1]', '[{}]'])('a template of %s is an error that names the annotation', (text) => {
    expect(() => revised(installed('mutating', { template: text }))).toThrow(
      'metadata.annotations[template]: expected a JSON array of webhooks, or an empty text',
    );
  });

  test('whose authorities cert-manager writes is refused, naming annotation and gate', () => {
    expect(() => revised(installed('mutating', { 'cert-manager.io/inject-ca-from': 'a/b' }))).toThrow(
      /metadata.annotations\[cert-manager.io\/inject-ca-from\]: .*EnableExternalCerts/,
    );
  });
});
