// `sluice test`: what it finds, what it holds against what, what it prints and how it ends.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadAdmission } from '../../../cli/evaluator.ts';
import { testFolder } from '../files.ts';
import { run } from '../stand-in.ts';

const examples = fileURLToPath(new URL('../../../examples', import.meta.url));
const { folder, write } = testFolder();
const real = { loadAdmission };
const short = (text: string): string => text.replaceAll(`${folder}/`, '');

const suite = (cases: string, more = ''): string => `# a suite
apiVersion: sluice.dev/v1alpha1
kind: PolicyTest
metadata: {name: demo}
objects: [${examples}/sidecars]
${more}cases:
${cases}`;

async function testOf(text: string, ...flags: string[]) {
  const file = write('suite.yaml', text);
  const result = await run(['test', file, ...flags], real);
  return { ...result, stdout: short(result.stdout), stderr: short(result.stderr) };
}

const orders = `input: ${examples}/pods/orders.yaml`;

describe('sluice test', () => {
  it('passes with the examples', async () => {
    const { code, stdout, stderr } = await run(['test', `${examples}/suites`, '-o', 'tap'], real);
    expect([code, stdout.match(/^not ok.*/gm), stderr]).toEqual([0, null, 'pass: 8, fail: 0, error: 0, skip: 0\n']);
  });

  it('ends with 1 and shows place and difference when a case is not as expected', async () => {
    const { code, stdout, stderr } = await testOf(
      suite(`- name: wrong
  ${orders}
  expect:
    verdict: denied
- name: other image
  ${orders}
  expect:
    contains:
      spec:
        containers:
        - {name: mesh-proxy, image: "registry.example.com/mesh/proxy:2"}
`),
    );
    expect(stdout).toBe(`SUITE   CASE          RESULT   REASON
demo    wrong         fail     not as expected: verdict
demo    other image   fail     not as expected: contains

suite.yaml:10:5: wrong: verdict: expected denied, got allowed

suite.yaml:14:5: other image: contains: the resulting object differs
--- expected
+++ actual
@@ -1,4 +1,4 @@
 spec:
   containers:
   - name: mesh-proxy
-    image: registry.example.com/mesh/proxy:2
+    image: registry.example.com/mesh/proxy:1.14.2
`);
    expect([code, stderr]).toEqual([1, 'pass: 0, fail: 2, error: 0, skip: 0\n']);
  });

  it('tells all that is wrong in a suite, with places and what was expected', async () => {
    const { code, stdout, stderr } = await testOf(
      suite(
        `- nme: x
  input: missing.yaml
  expect: {verdict: maybe, message: {like: x}, colour: red}
- name: z
  input: 7
  operation: PATCH
- name: z
  input: ${examples}/pods
  expect: {verdict: denied, object: {a: 1}, message: {matches: "("}}
- text
`,
        'now: 2026-02-30T00:00:00Z\nfeatureGates: {Nope: true, PodWebhook: maybe}\n',
      ),
    );
    expect([code, stdout]).toEqual([2, '']);
    expect(
      stderr,
    ).toBe(`error: suite.yaml:6:1: now: expected a time such as 2026-07-01T08:00:00Z, got "2026-02-30T00:00:00Z"
suite.yaml:7:16: featureGates.Nope: unknown feature gate "Nope"
suite.yaml:7:28: featureGates.PodWebhook: expected true or false, got text
suite.yaml:9:3: cases[0].name: required
suite.yaml:9:3: cases[0].nme: unknown field; known are name, input, operation, path, continues, skip, now, featureGates, systemNamespace, namespace, objects, facts, expect
suite.yaml:10:3: cases[0].input: missing.yaml: no such file or folder
suite.yaml:11:12: cases[0].expect.verdict: expected one of allowed, denied, got "maybe"
suite.yaml:11:28: cases[0].expect.message: expected text, or an object with the text "contains" or the pattern "matches"
suite.yaml:11:48: cases[0].expect.colour: unknown field; known are verdict, code, message, warnings, changed, object, contains, lacks, effects, explanation
suite.yaml:12:3: cases[1].expect: required: what must the answer be? --update records what it is
suite.yaml:13:3: cases[1].input: expected an object or the path of a file, got a number
suite.yaml:14:3: cases[1].operation: expected one of CREATE, UPDATE, DELETE, got "PATCH"
suite.yaml:16:3: cases[2].input: ${examples}/pods: expected one object, got 3
suite.yaml:17:29: cases[2].expect.object: a denied review has no resulting object
suite.yaml:17:55: cases[2].expect.message.matches: Invalid regular expression: /(/u: Unterminated group
suite.yaml:18:3: cases[3]: expected an object, got text
`);
  });

  it('ends with 2 when there is nothing to run, unless that is allowed', async () => {
    write('empty/deployment.yaml', 'kind: Deployment\n');
    write('empty/broken.yaml', '{{ a template }}: [\n');
    const none = await run(['test', `${folder}/empty`], real);
    expect([none.code, short(none.stderr)]).toEqual([
      2,
      `error: no suite in ${short(`${folder}/empty`)}: expected a file with kind: PolicyTest (--allow-empty accepts none)\n`,
    ]);
    expect((await run(['test', `${folder}/empty`, '--allow-empty'], real)).code).toBe(0);
    const named = await run(['test', `${folder}/empty/deployment.yaml`], real);
    expect(short(named.stderr)).toBe('error: empty/deployment.yaml: holds no suite: expected kind: PolicyTest\n');
    const filtered = await testOf(suite(`- {name: a, ${orders}, expect: {verdict: allowed}}\n`), '--run', 'nothing');
    expect([filtered.code, filtered.stderr]).toEqual([
      2,
      'error: no case in suite.yaml matches --run nothing (suite/case; --allow-empty accepts none)\n',
    ]);
  });

  it('runs the cases that --run names, and those that they continue', async () => {
    const { code, stderr } = await run(['test', `${examples}/suites`, '--run', '^budget/the second one'], real);
    expect([code, stderr]).toEqual([0, 'pass: 1, fail: 0, error: 0, skip: 0\n']);
    const wrong = await run(['test', '--run', '('], real);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Unterminated group')]);
  });

  it('says of a case that cannot be run why, and ends with 2', async () => {
    const { code, stdout } = await testOf(
      suite(`- {name: update, ${orders}, operation: UPDATE, expect: {verdict: allowed}}\n`),
    );
    expect([code, stdout]).toEqual([2, expect.stringContaining('an UPDATE needs the stored object')]);
  });

  it('does not depend on the clock', async () => {
    const pod = '{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: a}]}}';
    const times: number[] = [];
    for (const more of ['', 'now: 2026-07-01T08:00:00Z\n']) {
      const file = write('time.yaml', suite(`- {name: a, input: ${pod}, expect: {verdict: allowed}}\n`, more));
      times.push(...(await run(['test', file], { rules: { '/mutate-pod': () => ({}) } })).times);
    }
    expect(times).toEqual([Date.parse('2026-01-01T00:00:00Z'), Date.parse('2026-07-01T08:00:00Z')]);
  });
});

describe('sluice test -o', () => {
  const failing = suite(`- name: a <b> & "c"
  ${orders}
  expect: {verdict: denied}
- {name: later, skip: not yet, ${orders}}
- {name: good, ${orders}, expect: {verdict: allowed}}
`);

  it('junit prints suites, cases, failures and skips', async () => {
    const { stdout } = await testOf(failing, '-o', 'junit');
    expect(stdout).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="sluice" tests="3" failures="1" errors="0" skipped="1">
  <testsuite name="demo" file="suite.yaml" tests="3" failures="1" errors="0" skipped="1">
    <testcase classname="demo" name="a &lt;b&gt; &amp; &quot;c&quot;" file="suite.yaml" line="7">
      <failure message="not as expected: verdict">verdict: expected denied, got allowed</failure>
    </testcase>
    <testcase classname="demo" name="later" file="suite.yaml" line="10">
      <skipped message="not yet"/>
    </testcase>
    <testcase classname="demo" name="good" file="suite.yaml" line="11"/>
  </testsuite>
</testsuites>
`);
  });

  it('tap, github and sarif name the place of the failure', async () => {
    expect((await testOf(failing, '-o', 'tap')).stdout).toBe(`TAP version 14
1..3
not ok 1 - demo: a <b> & "c"
  ---
  message: "verdict: expected denied, got allowed"
  severity: fail
  at: "suite.yaml:7"
  ...
ok 2 - demo: later # SKIP not yet
ok 3 - demo: good
`);
    expect((await testOf(failing, '-o', 'github')).stdout).toBe(
      '::error file=suite.yaml,line=9,col=12,title=demo%3A a <b> & "c"::verdict: expected denied, got allowed\n',
    );
    const log = JSON.parse((await run(['test', `${folder}/suite.yaml`, '-o', 'sarif'], real)).stdout);
    expect(log.runs[0].results).toMatchObject([
      { ruleId: 'test-failed', locations: [{ physicalLocation: { region: { startLine: 9, startColumn: 12 } } }] },
    ]);
  });

  it('a refusal that was not expected is told with its reason', async () => {
    const review =
      '{uid: "1", operation: CREATE, resource: {resource: pods, version: v1}, namespace: default, object: {spec: {}}}';
    const spread =
      'objects: [{apiVersion: apps.kruise.io/v1beta1, kind: WorkloadSpread, metadata: {name: s, namespace: default}, ' +
      'spec: {targetRef: {apiVersion: apps/v1, kind: ReplicaSet, name: w}, subsets: [{name: a}]}}]';
    const text = suite(`- {name: a, ${spread}, input: ${review}, expect: {code: 200, contains: {spec: {}}}}\n`);
    const { stdout } = await testOf(text);
    expect(stdout).toContain('code: expected 200, got 500: there is no content to decode\n');
    expect(stdout).toContain('contains: there is no resulting object: there is no content to decode\n');
  });

  it('json has results, summary and coverage', async () => {
    const { stdout } = await testOf(failing, '-o', 'json', '--coverage');
    expect(JSON.parse(stdout)).toMatchObject({
      results: [{ result: 'fail', line: 7, failures: [{ field: 'verdict', line: 9 }] }, { reason: 'not yet' }, {}],
      summary: { pass: 1, fail: 1, error: 0, skip: 1 },
      coverage: {
        rules: { hit: 3, all: 7, percent: 42 },
        objects: [
          { name: 'log-shipper', rules: [{ reason: 'Injected', acts: true, cases: 0 }, { cases: 2 }] },
          { name: 'mesh', rules: [{ reason: 'Injected', cases: 2 }, { cases: 0 }, { cases: 0 }] },
          { name: 'metrics-agent', rules: [{ cases: 0 }, { reason: 'SelectorMismatch', acts: false, cases: 2 }] },
        ],
      },
    });
  });
});

describe('sluice test --update', () => {
  it('writes what is missing and what differs, and leaves the rest as it is written', async () => {
    const before = suite(`# which sidecars
- name:   "orders"   # odd spaces stay
  ${orders}
  expect:
    verdict: denied # wrong
    contains:
      spec:
        containers:
        # the proxy
        - {name: mesh-proxy, image: "x:1"} # flow
        - name: app
          image: y   # not this one
    explanation: [{name: mesh, reason: Paused}]
- name: new # nothing yet
  ${orders.replace('orders', 'report')}
- {name: flow, input: ${examples}/pods/report.yaml}
- name: last
  expect:
    message: |
      one
      two
  input: {apiVersion: apps.kruise.io/v1beta1, kind: SidecarSet, metadata: {name: s}, spec: {selector: {matchLabels: {a: b}}, containers: [{name: a}]}}
`);
    // A denial has no resulting object, so this is two steps.
    const ready = before.replace('verdict: denied # wrong', 'verdict: allowed # right');
    const first = await testOf(ready, '--update');
    expect([first.code, first.stderr]).toEqual([0, 'recorded 4 cases\npass: 4, fail: 0, error: 0, skip: 0\n']);
    const written = readFileSync(`${folder}/suite.yaml`, 'utf8');
    expect(written).toBe(
      ready
        .replace('image: "x:1"', 'image: "registry.example.com/mesh/proxy:1.14.2"')
        .replace('image: y ', 'image: registry.example.com/shop/orders:2.0 ')
        .replace('reason: Paused', 'reason: "Injected"')
        .replace('report.yaml\n', 'report.yaml\n  expect:\n    verdict: allowed\n    changed: false\n')
        .replace('report.yaml}', 'report.yaml, "expect": {"verdict":"allowed","changed":false}}')
        .replace('|\n      one\n      two\n', "'spec.containers[0].image: Required value'\n"),
    );
    expect((await run(['test', `${folder}/suite.yaml`], real)).code).toBe(0);
  });

  it('writes a whole expected object into the file that it comes from', async () => {
    const expected = write('expected.yaml', 'kind: Pod\n');
    const { code } = await testOf(suite(`- {name: a, ${orders}, expect: {object: expected.yaml}}\n`), '--update');
    expect([code, readFileSync(expected, 'utf8')]).toEqual([0, expect.stringContaining('- name: mesh-proxy')]);
    expect((await run(['test', `${folder}/suite.yaml`], real)).code).toBe(0);
  });
});

describe('the guide', () => {
  const guide = readFileSync(new URL('../../../docs/guide/policy-tests.md', import.meta.url), 'utf8');
  const blocks = [...guide.matchAll(/^( *)```\w+\n([\s\S]*?)^ *```/gm)].map(([, indent = '', text = '']) =>
    text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
  const suites = blocks.slice(4).filter((text) => text.includes('kind: PolicyTest'));

  it('has suites for a budget, a spread, a protected Namespace and lookups', () => {
    expect(suites.map((text) => /^ {2}name: (\w+)$/m.exec(text)?.[1])).toEqual([
      'budget',
      'spread',
      'protected',
      'lookups',
    ]);
  });

  it.each(suites)('shows suites that pass: %#', async (text) => {
    expect(await testOf(text)).toMatchObject({ code: 0, stderr: expect.stringMatching(/^pass: [12], fail: 0/) });
  });

  it('shows a first test that does as it says', async () => {
    const [set = '', suiteText = '', shown = '', coverage = ''] = blocks;
    write('policies/agent.yaml', set);
    write('policies/tests/agent.yaml', suiteText);
    const { code, stdout, stderr } = await run(['test', `${folder}/policies`], real);
    expect([code, `$ sluice test policies\n${short(stdout)}${stderr}`]).toEqual([1, shown]);
    const covered = await run(['test', `${folder}/policies`, '--coverage'], real);
    expect(covered.stdout).toContain(coverage.split('...\n')[1]);
  });
});
