// Suites of Kyverno's and Gatekeeper's command lines, as far as they fit.

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadAdmission } from '../../../cli/evaluator.ts';
import { testFolder } from '../files.ts';
import { run } from '../stand-in.ts';

const examples = fileURLToPath(new URL('../../../examples', import.meta.url));
const { folder, write } = testFolder();
const real = { loadAdmission };

async function results(file: string): Promise<Record<string, string>> {
  const { stdout, stderr } = await run(['test', file, '-o', 'json'], real);
  if (stdout === '') throw new Error(stderr);
  const { results: rows } = JSON.parse(stdout) as { results: { case: string; result: string }[] };
  return Object.fromEntries(rows.map((row) => [row.case, row.result]));
}

const kyverno = (entries: string): string =>
  write(
    'kyverno-test.yaml',
    `apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata: {name: words}
policies: [${examples}/sidecars]
resources: [${examples}/pods, ${folder}/broken.yaml]
results:
${entries}`,
  );

write(
  'broken.yaml',
  `apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: broken}
spec:
  selector: {matchLabels: {a: b}}
  containers: [{name: agent}]
`,
);

describe("Kyverno's results", () => {
  it('pass where the policy acts, skip where it does not, and fail where the resource is refused', async () => {
    const file = kyverno(`- {policy: mesh, rule: inject, resources: [shop/orders, checkout-0], result: pass}
- {policy: mesh, kind: CronJob, resource: report, result: skip}
- {policy: mesh, kind: SidecarSet, resources: [broken], result: fail}
- {policy: log-shipper, resources: [orders], result: pass}
`);
    expect(await results(file)).toEqual({
      'mesh / inject / Deployment shop/orders': 'pass',
      'mesh / inject / Pod shop/checkout-0': 'pass',
      'mesh / CronJob batch/report': 'pass',
      'mesh / SidecarSet broken': 'pass',
      'log-shipper / Deployment shop/orders': 'fail',
    });
  });

  it('are held against the patched resource', async () => {
    write('same.yaml', 'apiVersion: v1\nkind: Pod\nmetadata: {name: other}\n');
    const file = kyverno('- {policy: mesh, resources: [checkout-0], patchedResources: same.yaml, result: pass}\n');
    expect(await results(file)).toEqual({ 'mesh / Pod shop/checkout-0': 'fail' });
  });

  it('about unknown policies, resources and words are faults with their places', async () => {
    const file = kyverno(`- {policy: mush, resources: [checkout-0], result: pass}
- {policy: mesh, resources: [nobody], result: maybe}
- {policy: mesh, resources: [checkout-0], result: pass, generatedResource: x}
`);
    const { code, stderr } = await run(['test', file], real);
    expect(code).toBe(2);
    expect(
      stderr.replaceAll(`${folder}/`, ''),
    ).toBe(`error: kyverno-test.yaml:7:4: results[0].policy: none of the files in policies has an object "mush"
kyverno-test.yaml:8:18: results[1].resources: none of the files in resources has "nobody"
kyverno-test.yaml:8:39: results[1].result: expected one of pass, fail, skip, warn, got "maybe"
kyverno-test.yaml:9:57: results[2].generatedResource: unknown field; known are policy, rule, kind, namespace, result, patchedResources, patchedResource, resources, resource
`);
  });
});

const gatekeeper = (cases: string, constraint = './broken.yaml'): string =>
  write(
    'suite.yaml',
    `apiVersion: test.gatekeeper.sh/v1alpha1
kind: Suite
tests:
- name: sets
  constraint: ${constraint}
  cases:
${cases}`,
  );

describe("Gatekeeper's violations", () => {
  it('are refusals, whose messages match', async () => {
    const sets = `${examples}/sidecars`;
    const file = gatekeeper(
      `  - name: refused
    object: broken.yaml
    assertions: [{violations: yes}, {message: "Required value"}, {message: image}]
  - {name: once, object: broken.yaml, assertions: [{violations: 1}]}
  - {name: wrong message, object: broken.yaml, assertions: [{message: "too long"}]}
  - {name: allowed, object: ${examples}/pods/checkout.yaml, assertions: [{violations: no}]}
  - {name: left out, skip: true, object: broken.yaml, assertions: [{violations: 0}]}
`,
      sets,
    );
    expect(await results(file)).toEqual({
      'sets / refused': 'pass',
      'sets / once': 'pass',
      'sets / wrong message': 'fail',
      'sets / allowed': 'pass',
      'sets / left out': 'skip',
    });
  });

  it('of templates in other languages and of several at once are faults', async () => {
    write('template.yaml', 'apiVersion: templates.gatekeeper.sh/v1\nkind: ConstraintTemplate\nmetadata: {name: t}\n');
    const file = gatekeeper('  - {name: a, object: broken.yaml, assertions: [{violations: 3}]}\n', 'template.yaml');
    const { code, stderr } = await run(['test', file], real);
    expect(code).toBe(2);
    expect(stderr).toContain('tests[0].constraint: a ConstraintTemplate is code of another engine');
    expect(stderr).toContain('tests[0].cases[0].assertions[0].violations: expected yes, no, 0 or 1');
  });
});
