// `sluice test --coverage`: the rules of policy objects that a suite touched, and those that it did not.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadAdmission } from '../../../cli/evaluator.ts';
import { reasonsOf } from '../../../cli/suites/rules.ts';
import { testFolder } from '../files.ts';
import { run } from '../stand-in.ts';

const { write } = testFolder();
const real = { loadAdmission };

type Shown = { percent: number; rules: string[] };

/** `KIND NAME RULE +cases` of rules that act, `-cases` of those that leave alone. */
async function coverageOf(objects: string, cases: string, ...flags: string[]): Promise<Shown> {
  const text = `apiVersion: sluice.dev/v1alpha1
kind: PolicyTest
metadata: {name: demo}
featureGates: {ResourcesDeletionProtection: true}
objects:
${objects}
cases:
${cases}`;
  const given = ['test', write('suite.yaml', text), '--coverage', '-o', 'json', ...flags];
  const { stdout, stderr } = await run(given, real);
  expect(stderr).toMatch(/^pass: \d+, fail: 0, error: 0, skip: \d+\n$/);
  const { coverage } = JSON.parse(stdout) as { coverage: Json };
  const rules = coverage.objects.flatMap(({ kind, name, rules }) =>
    rules.map(({ reason, acts, cases }) => `${kind} ${name} ${reason} ${acts ? '+' : '-'}${cases}`),
  );
  return { percent: coverage.rules.percent, rules };
}

type Json = {
  rules: { hit: number; all: number; percent: number };
  objects: { kind: string; name: string; rules: { reason: string; acts: boolean; cases: number }[] }[];
};

// Containers of two sets that may meet have different names.
const sidecarSet = (name: string, spec: string, annotations = '{}'): string =>
  `- {apiVersion: apps.kruise.io/v1beta1, kind: SidecarSet, metadata: {name: ${name}, annotations: ${annotations}}, ` +
  `spec: {containers: [{name: ${name}, image: "s:1"}], ${spec}}}`;
const pod = (labels: string): string =>
  `{apiVersion: v1, kind: Pod, metadata: {name: p, labels: ${labels}}, spec: {containers: [{name: app, image: "a:1"}]}}`;
const creation = (labels: string): string => `- {name: "${labels}", input: ${pod(labels)}, expect: {verdict: allowed}}`;
const web = 'selector: {matchLabels: {app: web}}';

describe('coverage', () => {
  it('tells the rules of a SidecarSet that its own fields make possible', async () => {
    const shown = await coverageOf(
      [
        sidecarSet('plain', web),
        sidecarSet('namespaced', `${web}, namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}`),
        sidecarSet('paused', `${web}, injectionStrategy: {paused: true}`),
        sidecarSet(
          'canary',
          `${web}, updateStrategy: {type: NotUpdate}`,
          '{apps.kruise.io/sidecarset-canary: "true", apps.kruise.io/sidecarset-base: based}',
        ),
        sidecarSet('based', web),
      ].join('\n'),
      creation('{app: web}'),
    );
    expect(shown.rules).toEqual([
      'SidecarSet plain Injected +1',
      'SidecarSet plain SelectorMismatch -0',
      'SidecarSet namespaced Injected +0',
      'SidecarSet namespaced SelectorMismatch -0',
      'SidecarSet namespaced NamespaceMismatch -1',
      'SidecarSet paused Paused -1',
      'SidecarSet canary Injected +1',
      'SidecarSet canary SelectorMismatch -0',
      'SidecarSet based Injected +0',
      'SidecarSet based SelectorMismatch -0',
      'SidecarSet based ReplacedByCanary -1',
    ]);
    expect(shown.percent).toBe(45);
  });

  it('takes each subset of a spread for a rule, whether it has room for all or for some', async () => {
    const spread =
      '- {apiVersion: apps.kruise.io/v1beta1, kind: WorkloadSpread, metadata: {name: s, namespace: default}, spec: {targetRef: ' +
      '{apiVersion: apps/v1, kind: Deployment, name: web}, subsets: [{name: a, maxReplicas: 1}, {name: b}]}}';
    const owner =
      '{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 2, selector: {matchLabels: ' +
      '{app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: "c:1"}]}}}}';
    const { rules } = await coverageOf(
      spread,
      `- {name: first, input: ${owner}, expect: {verdict: allowed}}
- {name: second, continues: true, input: ${owner}, expect: {verdict: allowed}}`,
    );
    expect(rules).toEqual([
      'WorkloadSpread default/s Subset:a +1',
      'WorkloadSpread default/s Subset:b +1',
      'WorkloadSpread default/s TargetMismatch -0',
    ]);
  });

  it('tells which protected objects were tried to be deleted', async () => {
    const labelled = (name: string, value: string): string =>
      `{apiVersion: v1, kind: Namespace, metadata: {name: ${name}, labels: {policy.kruise.io/delete-protection: ${value}}}}`;
    const objects = [labelled('always', 'Always'), labelled('empty', 'Cascading'), labelled('never', 'Nonsense')];
    const { rules, percent } = await coverageOf(
      objects.map((one) => `- ${one}`).join('\n'),
      `- {name: a, input: ${objects[0]}, operation: DELETE, expect: {verdict: denied}}
- {name: b, input: ${objects[1]}, operation: DELETE, expect: {verdict: allowed}}`,
    );
    expect(rules).toEqual([
      'Namespace always DeletionDenied +1',
      'Namespace empty DeletionDenied +0',
      'Namespace empty DeletionAllowed -1',
    ]);
    expect(percent).toBe(66);
  });

  it('says so where the deletion of a protected object is not judged', async () => {
    const object =
      '{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {policy.kruise.io/delete-protection: Always}}}';
    const file = write(
      'gates.yaml',
      `{apiVersion: sluice.dev/v1alpha1, kind: PolicyTest, metadata: {name: g}, objects: [${object}], ` +
        `cases: [{name: a, input: ${object}, operation: DELETE, expect: {verdict: denied}}]}`,
    );
    const { code, stdout } = await run(['test', file, '--coverage'], real);
    expect(code).toBe(1);
    expect(stdout).toContain('expected denied, got allowed: the feature gate ResourcesDeletionProtection is off\n');
    expect(stdout).toMatch(/Namespace +a +DeletionDenied +acts +<missed>\nNamespace +a +GateOff +leaves-alone +1\n/);
  });

  it('counts what lies in the request alone once it is seen, and never misses it', async () => {
    const gone = pod('{app: web}').replace('spec:', 'status: {phase: Succeeded}, spec:');
    const { rules } = await coverageOf(
      sidecarSet('plain', web),
      `- {name: a, input: ${gone}, expect: {verdict: allowed}}`,
    );
    expect(rules).toContain('SidecarSet plain PodNotActive -1');
  });

  it('is of the cases that ran', async () => {
    const cases = `${creation('{app: web}')}\n${creation('{app: db}')}`;
    expect((await coverageOf(sidecarSet('plain', web), cases)).percent).toBe(100);
    expect((await coverageOf(sidecarSet('plain', web), cases, '--run', 'web')).percent).toBe(50);
  });
});

describe('--coverage-threshold', () => {
  const file = (): string =>
    write(
      'limit.yaml',
      `{apiVersion: sluice.dev/v1alpha1, kind: PolicyTest, metadata: {name: l}, objects: [${sidecarSet('plain', web).slice(2)}], ` +
        `cases: [${creation('{app: web}').slice(2)}]}`,
    );

  it.each([
    ['50', 0, ''],
    ['51', 1, 'coverage 50% is below 51%\n'],
    ['100', 1, 'coverage 50% is below 100%\n'],
  ])('%s ends with %i for a half', async (percent, code, message) => {
    const result = await run(['test', file(), '--coverage-threshold', percent], real);
    expect(result).toMatchObject({ code, stderr: `pass: 1, fail: 0, error: 0, skip: 0\n${message}` });
    expect(result.stdout).toContain('SidecarSet   plain   SelectorMismatch   leaves-alone   <missed>\n');
  });

  it.each(['101', '-1', 'half', '50.5'])('%s is wrong usage', async (percent) => {
    const { code, stderr } = await run(['test', file(), `--coverage-threshold=${percent}`], real);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Expected a whole number from 0 to 100')]);
  });
});

describe('the rules', () => {
  const policies = new URL('../../../assembly/policies/', import.meta.url);
  const explained = readdirSync(policies, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('/explain.ts'))
    .map((file) => readFileSync(new URL(file, policies), 'utf8'))
    .flatMap((text) => {
      const kinds = [...text.matchAll(/about\('(\w+)', /g)].flatMap(([, kind = '']) => kind);
      const given = [...text.matchAll(/say\.(yes|no)\(\s*'(\w+)'/g)].map(([, side = '', reason = '']) => [
        side,
        reason,
      ]);
      return kinds.filter((kind) => reasonsOf(kind).acts.length > 0).map((kind) => ({ kind, given }));
    });

  it('are of five kinds', () => {
    expect(explained.map(({ kind }) => kind).toSorted()).toEqual([
      'PersistentPodState',
      'PodProbeMarker',
      'PodUnavailableBudget',
      'SidecarSet',
      'WorkloadSpread',
    ]);
  });

  it.each(explained)('of $kind are the reasons that its explanation gives', ({ kind, given }) => {
    const { acts, leavesAlone } = reasonsOf(kind);
    const of = (wanted: string): string[] =>
      [...new Set(given.filter(([side]) => side === wanted).map(([, reason = '']) => reason))].toSorted();
    const beside = ['UnitTaken', 'Denied', 'Released'];
    expect(acts.filter((reason) => !beside.includes(reason)).toSorted()).toEqual(of('yes'));
    expect(leavesAlone.toSorted()).toEqual(of('no'));
  });
});
