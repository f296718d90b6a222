// `sluice explain` against a stand-in evaluator: what it prints for each format, and what it refuses.

import { describe, expect, it } from 'vitest';
import { run } from './stand-in.ts';

const explanations = [
  { kind: 'SidecarSet', name: 'log', matched: true, reason: 'Matched', message: 'Injects container log.' },
  {
    kind: 'SidecarSet',
    name: 'mesh\u001b[31m',
    matched: false,
    reason: 'SelectorMismatch',
    message: 'The label app is web, the selector wants api.',
    details: { key: 'app' },
  },
];
const pod = '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-0","namespace":"shop"},"spec":{"containers":[]}}';

describe('sluice explain', () => {
  it('prints a table without spaces at line ends, and control characters as escapes', async () => {
    const { code, stdout, stderr } = await run(['explain', '-f', '-'], { explanations, stdin: pod });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`KIND         NAME             MATCHED   REASON             MESSAGE
SidecarSet   log              yes       Matched            Injects container log.
SidecarSet   mesh\\u001b[31m   no        SelectorMismatch   The label app is web, the selector wants api.
`);
  });

  it('adds details with -o wide and the namespace where there is one', async () => {
    const one = {
      kind: 'PodUnavailableBudget',
      name: 'web',
      namespace: 'shop',
      matched: false,
      reason: '',
      message: 'm',
      details: { a: 1 },
    };
    const { stdout } = await run(['explain', '-f', '-', '-o', 'wide'], {
      explanations: [one, ...explanations],
      stdin: pod,
    });
    const [titles, first, second] = stdout.split('\n');
    expect(titles?.split(/\s{3,}/)).toEqual(['KIND', 'NAMESPACE', 'NAME', 'MATCHED', 'REASON', 'MESSAGE', 'DETAILS']);
    expect(first?.split(/\s{3,}/)).toEqual(['PodUnavailableBudget', 'shop', 'web', 'no', '<none>', 'm', '{"a":1}']);
    expect(second?.split(/\s{3,}/)).toEqual([
      'SidecarSet',
      '<none>',
      'log',
      'yes',
      'Matched',
      'Injects container log.',
      '<none>',
    ]);
  });

  it('prints all it knows as JSON and YAML', async () => {
    const json = await run(['explain', '-f', '-', '-o', 'json'], { explanations, stdin: pod });
    expect(JSON.parse(json.stdout)).toEqual({ subject: 'Pod shop/web-0', explanations });
    const yaml = await run(['explain', '-f', '-', '-o', 'yaml'], { explanations, stdin: pod });
    expect(yaml.stdout).toContain('explanations:\n- kind: SidecarSet\n  name: log\n  matched: true\n');
  });

  it('says when the API server would not ask about the pod', async () => {
    const stdin = pod.replace('"shop"', '"kruise-system"');
    const { stdout, stderr } = await run(['explain', '-f', '-', '-o', 'json'], { explanations, stdin });
    const note =
      'namespace kruise-system is excluded by the webhook configurations of the chart: in a cluster this pod is not reviewed';
    expect(JSON.parse(stdout).notes).toEqual([note]);
    expect(stderr).toBe(`warning: Pod kruise-system/web-0: ${note}\n`);
  });

  it('says when nothing is known that could act', async () => {
    const { code, stdout, stderr } = await run(['explain', '-f', '-'], { stdin: pod });
    expect([code, stdout, stderr]).toEqual([
      0,
      '',
      'warning: Pod shop/web-0: no policy object is known; see --objects\n',
    ]);
  });

  it('takes workloads and reviews, and refuses what is no pod', async () => {
    const deployment =
      '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"template":{"spec":{"containers":[]}}}}';
    expect((await run(['explain', '-f', '-'], { explanations, stdin: deployment })).code).toBe(0);
    const configMap = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}';
    const { code, stderr } = await run(['explain', '-f', '-'], { explanations, stdin: configMap });
    expect([code, stderr]).toEqual([2, 'error: -:1:20: kind: ConfigMap default/a is no pod and makes none\n']);
  });
});
