// Objects of a cluster in files, in an order that no cluster could have got them in.
import { describe, expect, it } from 'vitest';
import { loadAdmission, loadKindAdmission } from '../../cli/evaluator.ts';
import { testFolder } from './files.ts';
import { run } from './stand-in.ts';

const { write } = testFolder();

const set = (name: string, image: string, metadata: string, spec: string): string => `apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: ${name}${metadata}}
spec:
  selector: {matchLabels: {app: web}}
  containers: [{name: agent, image: "${image}"}]
  ${spec}
`;
const MARK = ', annotations: {apps.kruise.io/sidecarset-canary: "true", apps.kruise.io/sidecarset-base: z-base}';
const canary = set('a-canary', 'agent:2', MARK, 'updateStrategy: {type: NotUpdate}');
const base = set('z-base', 'agent:1', '', 'patchPodMetadata: [{annotations: {note: "1"}}]');
const whitelist = `apiVersion: v1
kind: ConfigMap
metadata: {name: kruise-configuration, namespace: kruise-system}
data: {SidecarSet_PatchPodMetadata_WhiteList: '{"rules":[{"allowedAnnotationKeyExprs":["note"]}]}'}
`;
const pod =
  'apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {app: web}}\nspec: {containers: [{name: app, image: a}]}\n';
const all = [canary, base, whitelist].join('---\n');

describe('objects in any order', () => {
  it('are a cluster to review in', async () => {
    const objects = write('cluster.yaml', all);
    const given = ['review', '-f', '-', '--objects', objects, '-o', 'yaml'];
    const { code, stdout } = await run(given, { stdin: pod, loadAdmission });
    expect(code).toBe(0);
    expect(stdout).toContain('kruise.io/sidecarset-injected-list: a-canary\n');
    expect(stdout).toContain('image: agent:2');
  });

  it('are found right', async () => {
    const { code, stdout, stderr } = await run(['lint', '-f', '-'], { stdin: all, loadKindAdmission });
    expect([code, stdout, stderr]).toEqual([0, '', '2 objects checked, 0 errors, 0 warnings, 1 skipped\n']);
  });

  it('given again count as they were given last, canary or not', async () => {
    const later = set('a-canary', 'agent:3', '', 'namespaceSelector: {matchLabels: {a: b}}');
    const objects = write('again.yaml', [whitelist, base, canary, later].join('---\n'));
    const { code, stderr } = await run(['review', '-f', '-', '--objects', objects], { stdin: pod, loadAdmission });
    expect(code).toBe(2);
    expect(stderr).toContain('container agent already exist in z-base');
  });
});
