// `facts` of suites: what they answer, in which order, and what is said of wrong and idle ones.

import { describe, expect, it } from 'vitest';
import { loadAdmission } from '../../../cli/evaluator.ts';
import { testFolder } from '../files.ts';
import { run } from '../stand-in.ts';

const { folder, write } = testFolder();

const suite = (more: string): string => `apiVersion: sluice.dev/v1alpha1
kind: PolicyTest
metadata: {name: facts}
featureGates: {ResourcesDeletionProtection: true}
objects:
- {apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {policy.kruise.io/delete-protection: Cascading}}}
- {apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, status: {phase: Running}}
${more}`;

const budgetOf = (version: string, allowed: number, records: string): string =>
  `{apiVersion: policy.kruise.io/v1beta1, kind: PodUnavailableBudget, metadata: {name: b, namespace: shop, uid: u, resourceVersion: "${version}"},
    spec: {selector: {matchLabels: {app: web}}, maxUnavailable: 1},
    status: {unavailableAllowed: ${allowed}, desiredAvailable: 1, currentAvailable: 2, totalReplicas: 2, disruptedPods: ${records}}}`;

const removal = 'operation: DELETE, input: {apiVersion: v1, kind: Namespace, metadata: {name: shop}}';

async function testOf(more: string, ...flags: string[]) {
  const { code, stdout, stderr } = await run(['test', write('suite.yaml', suite(more)), ...flags], { loadAdmission });
  return { code, stdout, stderr: stderr.replaceAll(`${folder}/`, '') };
}

const passed = (count: number) => ({ code: 0, stderr: `pass: ${count}, fail: 0, error: 0, skip: 0\n` });

describe('facts', () => {
  it('answer in place of the objects, those of the case before those of the suite', async () => {
    const result = await testOf(`facts:
- {count: {kind: Pod}, answer: {count: 0}}
cases:
- {name: suite, ${removal}, expect: {verdict: allowed}}
- {name: case, ${removal}, facts: [{count: {kind: Pod}, answer: {count: 7}}], expect: {message: {contains: pods 7>0}}}
- {name: first, ${removal}, expect: {message: {contains: too slow}}, facts: [
    {count: {kind: Pod, where: active, namespace: shop}, error: too slow}, {count: {kind: Pod}, answer: {count: 1, names: [a]}}]}
- {name: continued, continues: true, ${removal}, expect: {verdict: allowed}}
`);
    expect(result).toMatchObject({ code: 0, stderr: expect.stringContaining('pass: 4, fail: 0') });
    expect(result.stderr).toContain('cases[2].facts[1]: nothing asked for it');
  });

  it('leave questions that they do not fit to the objects', async () => {
    const facts = ['{kind: Pod, namespace: other}', '{kind: Pod, where: live}', '{apiVersion: apps/v1, kind: Pod}'];
    const { code, stderr } = await testOf(`cases:
- {name: a, ${removal}, expect: {message: {contains: pods 1>0}}, facts: [
    ${facts.map((one) => `{count: ${one}, answer: {count: 0}}`).join(', ')}, {get: {}, answer: null}]}
`);
    expect([code, stderr.match(/: nothing asked for it/g)?.length]).toEqual([0, 4]);
  });

  it('end counts at the limit of the question, as a cluster does', async () => {
    const fact = '{count: {kind: Pod, limit: 500}, answer: {count: 90000}}';
    const expected = '{message: {contains: pods 500>0}}';
    expect(await testOf(`cases: [{name: a, ${removal}, facts: [${fact}], expect: ${expected}}]\n`)).toMatchObject(
      passed(1),
    );
  });

  it('say what a lookup of an object gives, and that it fails', async () => {
    const eviction = 'input: {apiVersion: policy/v1, kind: Eviction, metadata: {name: web, namespace: shop}}';
    const budget = `objects: [${budgetOf('1', 1, '{}')}]`;
    const result = await testOf(`cases:
- {name: fails, ${budget}, ${eviction}, facts: [{get: {kind: Pod}, error: slow}], expect: {message: {contains: 'the pod: slow'}}}
- {name: none, ${budget}, ${eviction}, facts: [{get: {name: web}, answer: null}], expect: {message: {contains: not found}}}
- {name: there, ${budget}, ${eviction}, expect: {verdict: allowed}}
`);
    expect(result).toMatchObject(passed(3));
  });

  it('give a budget that takes the place of the older one', async () => {
    const pod = `{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop, annotations: {kruise.io/related-pub: b}},
      spec: {containers: [{name: a, image: a}]}, status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}`;
    const result = await testOf(`cases:
- name: the record is old
  objects: [${pod}, ${budgetOf('1', 0, '{web: "2026-01-01T00:00:00Z"}')}]
  facts: [{get: {kind: PodUnavailableBudget}, answer: ${budgetOf('2', 1, '{}')}}]
  input: {apiVersion: policy/v1, kind: Eviction, metadata: {name: web, namespace: shop}}
  expect: {verdict: allowed, effects: [{name: b, resourceVersion: "2", status: {unavailableAllowed: 0}}]}
`);
    expect(result).toMatchObject(passed(1));
  });

  it('that nothing asked for are told, unless a case that has them did not run', async () => {
    const text = `facts: [{get: {kind: Pod}, error: x}]
cases:
- {name: a, ${removal}, facts: [{count: {kind: Job}, answer: {count: 0}}], expect: {verdict: denied}}
- {name: b, ${removal}, expect: {verdict: denied}}
`;
    const own = 'warning: suite.yaml:10:';
    const all = await testOf(text);
    expect(all.code).toBe(0);
    expect(all.stderr.split('\n')).toEqual([
      expect.stringMatching(`^${own}\\d+: cases\\[0\\].facts\\[0\\]: nothing asked for it$`),
      'warning: suite.yaml:8:9: facts[0]: nothing asked for it',
      'pass: 2, fail: 0, error: 0, skip: 0',
      '',
    ]);
    expect((await testOf(text, '--run', '/b$')).stderr).toBe('pass: 1, fail: 0, error: 0, skip: 0\n');
  });

  it('that are wrong are told with place and what was expected', async () => {
    const { code, stderr } = await testOf(`facts:
- {get: {name: 1}, answer: text}
- {get: {}, count: {}, answer: null}
- {answer: null, error: x}
- {count: {where: here, limit: -1, names: []}}
- {count: {}, answer: {names: [a]}}
- {count: {}, answer: {count: 1, names: [a, b]}, limit: 2}
- {count: {}, answer: null}
- {get: {}, error: ""}
- {count: {}, answer: 3}
cases: []
`);
    expect([code, stderr.replaceAll(/suite\.yaml:(\d+):\d+/g, '$1')]).toEqual([
      2,
      `error: 9: facts[0].get.name: expected text, got a number
9: facts[0].answer: expected an object, or null for none, got text
10: facts[1]: expected one question, "get" or "count"
11: facts[2]: expected one question, "get" or "count"
11: facts[2]: expected either "answer" or "error"
12: facts[3]: expected either "answer" or "error"
12: facts[3].count.where: expected one of active, bound, live, got "here"
12: facts[3].count.limit: expected a whole number, got a number
12: facts[3].count.names: unknown field; known are apiVersion, kind, namespace, where, limit
13: facts[4].answer.count: required
14: facts[5].answer.names: expected at most 1, as counted
14: facts[5].limit: unknown field; known are get, count, answer, error
15: facts[6].answer: expected an object with "count" and "names"
16: facts[7].error: required
17: facts[8].answer: expected an object, got a number
`,
    ]);
  });
});
