// The chart as helm renders it, without a cluster.
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { isObject, type Json, type JsonObject } from '../../api/core/json.ts';
import { effectiveGates, isEnabled, parseGates } from '../../api/gates.ts';
import { customResourceDefinition } from '../../api/kinds/crd.ts';
import { kinds } from '../../api/kinds/index.ts';
import { webhookEntries } from '../../api/webhooks.ts';
import { readGatewayFlags } from '../../gateway/flags.ts';
import { readReconcilersFlags } from '../../reconcilers/flags.ts';
import { CHART, find, hasHelm, helm, nameOf, namesOf, render, renderText } from './helm.ts';
import { VALUE_SETS } from './value-sets.ts';

const sets = Object.entries(VALUE_SETS).map(([name, values]) => ({ name, values }));

describe.skipIf(!hasHelm)('the chart', () => {
  test.each(sets)('with $name: passes lint, and renders the same bytes twice', async ({ values }) => {
    const input = JSON.stringify(values);
    const lint = await helm(['lint', CHART, '--strict', '--values', '-'], { input });
    expect([lint.stdout, lint.code]).toEqual([expect.stringContaining('0 chart(s) failed'), 0]);
    expect(await renderText(values)).toBe(await renderText(values));
  });

  test.each(sets)('with $name: names each object once, with the labels of the release', async ({ values }) => {
    const objects = await render(values);
    const keys = objects.map(({ kind, metadata }) => `${String(kind)} ${JSON.stringify(keyOf(metadata))}`);
    expect(keys).toEqual([...new Set(keys)]);
    for (const object of objects) {
      const { labels } = object.metadata as JsonObject;
      expect(labels, nameOf(object)).toMatchObject({
        'app.kubernetes.io/name': 'sluice',
        'app.kubernetes.io/instance': 'kruise',
      });
    }
  });

  test('has the objects that others refer to, under the names of OpenKruise', async () => {
    expect(namesOf(await render())).toEqual(
      expect.arrayContaining([
        'ClusterRole/aggregate-kruise-admin',
        'ClusterRole/aggregate-kruise-edit',
        'ClusterRole/aggregate-kruise-view',
        'ClusterRole/kruise-certs-role',
        'ClusterRole/kruise-manager-role',
        'Deployment/kruise-controller-manager',
        'Job/kruise-finalizer',
        'MutatingWebhookConfiguration/kruise-mutating-webhook-configuration',
        'Namespace/kruise-daemon-config',
        'Namespace/kruise-system',
        'Role/kruise-leader-election-role',
        'Secret/kruise-webhook-certs',
        'Service/kruise-webhook-service',
        'ServiceAccount/kruise-helm-hook',
        'ServiceAccount/kruise-manager',
        'ValidatingWebhookConfiguration/kruise-validating-webhook-configuration',
      ]),
    );
  });

  test('refuses a value that is not its own, or of another type, and names it', async () => {
    const wrong: [JsonObject, string][] = [
      [{ manager: { replica: 2 } }, "at '/manager': additional properties 'replica' not allowed"],
      [{ reconcilers: { replica: 2 } }, "at '/reconcilers': additional properties 'replica' not allowed"],
      [{ manager: { replicas: 'two' } }, "at '/manager/replicas': got string, want integer"],
      [{ manager: { webhook: { port: 70_000 } } }, "at '/manager/webhook/port': maximum"],
      [{ webhookConfiguration: { timeoutSeconds: 31 } }, "at '/webhookConfiguration/timeoutSeconds': maximum"],
      [
        { webhookConfiguration: { failurePolicy: { kinds: 'fail' } } },
        "at '/webhookConfiguration/failurePolicy/kinds'",
      ],
      [{ image: { digest: 'sha256:12' } }, "at '/image/digest'"],
      [{ customWorkloads: [{ resources: ['a'] }] }, "at '/customWorkloads/0': missing property 'apiGroup'"],
      [{ nonsense: true }, "additional properties 'nonsense' not allowed"],
      [{ featureGates: 'NoSuch=true' }, 'featureGates: unknown gate "NoSuch"'],
      [{ featureGates: 'PodWebhook=maybe' }, 'featureGates: PodWebhook: expected true or false, got "maybe"'],
      [{ featureGates: { NoSuch: true } }, 'featureGates: unknown gate "NoSuch"'],
    ];
    for (const [values, message] of wrong) await expect(render(values)).rejects.toThrow(message);
  });

  test('may be a part of another chart', async () => {
    await expect(render({ enabled: true, global: { somebodyElses: { value: 1 } } })).resolves.not.toEqual([]);
  });
});

describe.skipIf(!hasHelm)('gates', () => {
  const texts = [
    '',
    'PodWebhook=false',
    'AllAlpha=true,AllBeta=false',
    'AllAlpha=1, CloneSetShortHash = F',
    'KruiseDaemon=false,PreDownloadImageForInPlaceUpdate=true',
    'PreDownloadImageForDaemonSetUpdate=true,ImagePullJobGate=false',
    'AllAlpha=true,AllBeta=true,EnableExternalCerts=false,TemplateNoDefaults=false',
    'ResourcesDeletionProtection=true',
    'StatefulSetAutoResizePVCGate=true,WorkloadSpread=false',
    'PodUnavailableBudgetDeleteGate=false',
    'PodUnavailableBudgetDeleteGate=false,PodUnavailableBudgetUpdateGate=true',
    'EnableExternalCerts=true',
  ];

  // What depends on gates shows which of them the templates take to be on.
  test.each(texts)('%j: entries and certificates are those of the programs', async (text) => {
    const gates = effectiveGates(parseGates(text));
    const objects = await render({ featureGates: text, daemon: { enabled: true }, crds: { managed: false } });
    const paths = configurations(objects).flatMap(({ webhooks }) => webhooks.map(pathOf));
    expect(paths.includes('/mutate-pod')).toBe(isEnabled(gates, 'PodWebhook'));
    expect(paths.includes('/validate-service')).toBe(isEnabled(gates, 'ResourcesDeletionProtection'));
    const names = namesOf(objects);
    expect(names.includes('Secret/kruise-webhook-certs')).toBe(!isEnabled(gates, 'EnableExternalCerts'));
    const role = JSON.stringify(find(objects, 'ClusterRole', 'kruise-gateway-role'));
    expect(role.includes('storageclasses')).toBe(isEnabled(gates, 'StatefulSetAutoResizePVCGate'));
    expect(role.includes('workloadspreads/status')).toBe(isEnabled(gates, 'WorkloadSpread'));
    const budgets = ['PodUnavailableBudgetDeleteGate', 'PodUnavailableBudgetUpdateGate'];
    expect(role.includes('podunavailablebudgets/status')).toBe(budgets.some((gate) => isEnabled(gates, gate)));
    expect(names.includes('DaemonSet/kruise-daemon')).toBe(isEnabled(gates, 'KruiseDaemon'));
  });
});

describe.skipIf(!hasHelm)('the definitions', () => {
  test('are those of the kinds, converted by the gateway where it was installed', async () => {
    const objects = await render({ installation: { namespace: 'elsewhere' } });
    const rendered = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
    expect(rendered).toHaveLength(kinds.length);
    for (const { description } of kinds) {
      const expected = JSON.parse(
        JSON.stringify(customResourceDefinition(description)).replaceAll(
          '"namespace":"kruise-system"',
          '"namespace":"elsewhere"',
        ),
      ) as JsonObject;
      const { spec, metadata } = find(objects, 'CustomResourceDefinition', nameOf(expected));
      expect(spec).toEqual(expected.spec);
      expect((metadata as JsonObject).annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
    }
  });

  test('go with the release if they are not to be kept, and are left out if others manage them', async () => {
    const gone = await render({ crds: { keep: false } });
    expect(find(gone, 'CustomResourceDefinition', 'clonesets.apps.kruise.io').metadata).not.toHaveProperty(
      'annotations',
    );
    for (const crds of [{ managed: false }, { enabled: false }]) {
      expect((await render({ crds })).some(({ kind }) => kind === 'CustomResourceDefinition')).toBe(false);
    }
  });

  test('and the webhooks carry the authority and the annotations of certificates from outside', async () => {
    const objects = await render({ certManager: { enabled: true }, externalCerts: { caBundle: 'PEM' } });
    const annotation = { 'cert-manager.io/inject-ca-from': 'kruise-system/kruise-webhook-certs' };
    const crd = find(objects, 'CustomResourceDefinition', 'clonesets.apps.kruise.io');
    const caBundle = Buffer.from('PEM').toString('base64');
    expect(crd).toMatchObject({
      metadata: { annotations: annotation },
      spec: { conversion: { webhook: { clientConfig: { caBundle } } } },
    });
    for (const { metadata, webhooks } of configurations(objects)) {
      expect(metadata).toMatchObject({ annotations: annotation });
      for (const webhook of webhooks) expect(webhook).toMatchObject({ clientConfig: { caBundle } });
    }
  });
});

describe.skipIf(!hasHelm)('the webhooks', () => {
  test('are those of the API, in its order', async () => {
    const objects = await render({ featureGates: 'ResourcesDeletionProtection=true' });
    const rendered = configurations(objects).flatMap(({ webhooks }) => webhooks);
    expect(rendered.map(({ name }) => name)).toEqual(webhookEntries.map(({ name }) => name));
    expect(rendered.map(pathOf)).toEqual(webhookEntries.map(({ path }) => path));
    expect(rendered.map(({ rules }) => rules)).toEqual(
      webhookEntries.map(({ group, versions, operations, resource }) => [
        { apiGroups: [group], apiVersions: versions, operations, resources: [resource], scope: '*' },
      ]),
    );
  });

  test('say what they do: nothing on a dry run; never wait for Sluice about its own pods', async () => {
    const objects = await render({
      installation: { namespace: 'elsewhere' },
      featureGates: 'ResourcesDeletionProtection=true',
    });
    for (const webhook of configurations(objects).flatMap(({ webhooks }) => webhooks)) {
      const isForPods = ['/mutate-pod', '/validate-pod'].includes(pathOf(webhook));
      expect(webhook.sideEffects).toBe(isForPods ? 'NoneOnDryRun' : 'None');
      if (!isForPods) continue;
      expect(webhook.namespaceSelector).toEqual({
        matchExpressions: [
          { key: 'control-plane', operator: 'NotIn', values: ['openkruise'] },
          { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', 'elsewhere'] },
        ],
      });
    }
  });
});

describe.skipIf(!hasHelm)('the programs', () => {
  test.each(sets)('with $name: the programs understand their arguments', async ({ values }) => {
    const read = { gateway: readGatewayFlags, reconcilers: readReconcilersFlags };
    for (const { kind, spec } of await render(values)) {
      if (kind !== 'Deployment') continue;
      const [command = '', ...flags] = containerOf({ spec: spec ?? null }).args as string[];
      expect(Object.keys(read)).toContain(command);
      expect(() => read[command as keyof typeof read](flags, {})).not.toThrow();
    }
  });

  test.each(sets)(
    'with $name: pods may run under the restricted standard, or their namespace says why not',
    async ({ values }) => {
      const objects = await render(values);
      for (const { kind, spec } of objects) {
        if (kind !== 'Deployment' && kind !== 'Job') continue;
        const pod = ((spec as JsonObject).template as JsonObject).spec as JsonObject;
        expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
        for (const container of pod.containers as JsonObject[]) {
          expect(container.securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
        }
      }
    },
  );

  test('the reconcilers are as the manager where nothing else is said', async () => {
    const objects = await render({
      manager: { replicas: 3, nodeSelector: { a: 'b' }, hostNetwork: true, log: { level: '6' } },
      reconcilers: { nodeSelector: { c: 'd' } },
    });
    const { spec } = find(objects, 'Deployment', 'kruise-reconcilers') as { spec: JsonObject };
    const pod = (spec.template as JsonObject).spec as JsonObject;
    expect(spec.replicas).toBe(3);
    expect(pod).toMatchObject({ nodeSelector: { c: 'd' }, hostNetwork: false, serviceAccountName: 'kruise-manager' });
    expect(containerOf(find(objects, 'Deployment', 'kruise-reconcilers')).args).toContain('--v=5');
  });

  test.each([
    [{}, 'sluice:0.1.0'],
    [{ image: { registry: 'r.example.com' } }, 'r.example.com/sluice:0.1.0'],
    [{ global: { imageRegistry: 'r.example.com/' } }, 'r.example.com/sluice:0.1.0'],
    [{ manager: { image: { repository: 'a/b', tag: '1.2' } } }, 'a/b:1.2'],
    [{ image: { digest: `sha256:${'0'.repeat(64)}` } }, `sluice@sha256:${'0'.repeat(64)}`],
  ])('%j: the image is %s', async (values, image) => {
    const objects = await render(values);
    expect(containerOf(find(objects, 'Deployment', 'kruise-controller-manager')).image).toBe(image);
  });

  test('the namespace that the release lies in is not made by it', async () => {
    const names = namesOf(await render({}, ['--namespace', 'kruise-system']));
    expect(names).not.toContain('Namespace/kruise-system');
  });

  test('the namespace is as strict as what runs in it allows', async () => {
    const level = async (values: JsonObject) => {
      const { labels } = find(await render(values), 'Namespace', 'kruise-system').metadata as { labels: JsonObject };
      return labels['pod-security.kubernetes.io/enforce'];
    };
    expect(await level({})).toBe('restricted');
    expect(await level({ daemon: { enabled: true } })).toBe('privileged');
    expect(await level({ manager: { hostNetwork: true } })).toBe('privileged');
  });
});

describe.skipIf(!hasHelm)('rights', () => {
  test('nobody may do everything, and nobody may hand out rights', async () => {
    for (const { name, values } of sets) {
      for (const { kind, metadata, rules } of await render(values)) {
        if (kind !== 'ClusterRole' && kind !== 'Role') continue;
        for (const rule of rules as { verbs: string[]; resources: string[] }[]) {
          const where = `${name}: ${JSON.stringify(keyOf(metadata as Json))}: ${JSON.stringify(rule)}`;
          expect(rule.verbs, where).not.toContain('*');
          for (const verb of ['escalate', 'bind', 'impersonate']) expect(rule.verbs, where).not.toContain(verb);
          if (rule.resources.includes('*')) expect(rule.verbs, where).toEqual(['list']);
        }
      }
    }
  });

  test('features that are off have none', async () => {
    const objects = await render({ featureGates: 'PodWebhook=false,KruiseDaemon=false' });
    const text = JSON.stringify(find(objects, 'ClusterRole', 'kruise-gateway-role'));
    for (const resource of ['podunavailablebudgets/status', 'workloadspreads/status', '"nodes"', 'storageclasses']) {
      expect(text).not.toContain(resource);
    }
  });

  test('whose certificate comes from outside writes neither Secrets nor webhook configurations', async () => {
    const objects = await render({ certManager: { enabled: true } });
    for (const [kind, name] of [
      ['ClusterRole', 'kruise-certs-role'],
      ['Role', 'kruise-webhook-role'],
    ] as const) {
      const rules = find(objects, kind, name).rules as { verbs: string[] }[];
      expect([...new Set(rules.flatMap(({ verbs }) => verbs))].toSorted()).toEqual(['get', 'list', 'watch']);
    }
  });

  test('custom workloads are readable for both programs', async () => {
    const objects = await render({ customWorkloads: [{ apiGroup: 'games.example.com', resources: ['gamesets'] }] });
    for (const name of ['kruise-gateway-role', 'kruise-manager-role']) {
      const { rules } = find(objects, 'ClusterRole', name);
      expect(rules).toContainEqual({
        apiGroups: ['games.example.com'],
        resources: ['gamesets'],
        verbs: ['get', 'list', 'watch'],
      });
    }
  });

  test('users of the roles view, edit and admin may use every kind', async () => {
    const objects = await render();
    const resources = ['view', 'edit', 'admin'].flatMap((role) => {
      const { rules } = find(objects, 'ClusterRole', `aggregate-kruise-${role}`) as unknown as {
        rules: { apiGroups: string[]; resources: string[] }[];
      };
      return rules.flatMap((rule) => rule.resources.map((resource) => `${rule.apiGroups[0]}/${resource}`));
    });
    expect(resources).toEqual(expect.arrayContaining(kinds.map(({ group, plural }) => `${group}/${plural}`)));
  });
});

test('the dashboards and alerts ask for metrics that exist', async () => {
  const { METRICS } = await import('../../gateway/metrics/rows.ts');
  const known = new Set<string>(Object.values(METRICS).map(({ name }) => name));
  const { readFileSync } = await import('node:fs');
  const alerts = parse(readFileSync(`${CHART}files/alerts.yaml`, 'utf8')) as { expr: string }[];
  const text =
    alerts.map(({ expr }) => expr).join('\n') + readFileSync(`${CHART}files/dashboards/gateway.json`, 'utf8');
  const used = [...text.matchAll(/\b((?:sluice|controller_runtime)_[a-z_]+)\b/g)].map(([, name = '']) => name);
  expect(used.length).toBeGreaterThan(5);
  for (const name of used) expect(known).toContain(name.replace(/_bucket$/, ''));
});

type Configuration = { metadata: JsonObject; webhooks: JsonObject[] };

function configurations(objects: readonly JsonObject[]): Configuration[] {
  return ['Mutating', 'Validating'].map((type) => {
    const name = `kruise-${type.toLowerCase()}-webhook-configuration`;
    return find(objects, `${type}WebhookConfiguration`, name) as unknown as Configuration;
  });
}

function pathOf({ clientConfig }: JsonObject): string {
  return String(((clientConfig as JsonObject).service as JsonObject).path);
}

function containerOf({ spec }: JsonObject): JsonObject {
  const { containers } = ((spec as JsonObject).template as JsonObject).spec as { containers: JsonObject[] };
  const [first = {}] = containers;
  return first;
}

function keyOf(metadata: Json | undefined): string[] {
  if (!isObject(metadata)) return [];
  return [String(metadata.namespace ?? ''), String(metadata.name)];
}
