// `sluice convert`: which objects change, which pass through, and what cannot be converted.

import { describe, expect, it } from 'vitest';
import { type Result, run } from './stand-in.ts';

const convert = (stdin: string, ...given: string[]): Promise<Result> =>
  run(['convert', '-f', '-', ...given], { stdin });

const old = `# a comment
apiVersion: apps.kruise.io/v1alpha1
kind: SidecarSet
metadata: {name: mesh}
spec:
  namespace: shop
  selector: {matchLabels: {app: web}}
  containers: [{name: a, image: x}]
`;
const converted = `apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata:
  name: mesh
spec:
  selector:
    matchLabels:
      app: web
  containers:
  - name: a
    image: x
  namespaceSelector:
    matchLabels:
      kubernetes.io/metadata.name: shop
`;
const other = `apiVersion: v1
kind: ConfigMap
metadata:
  name: c
data:
  a: "1e3"
  more: 9007199254740993
`;
const oneVersion = `apiVersion: apps.kruise.io/v1alpha1
kind: EphemeralJob
metadata:
  name: e
unknown: 1
`;

describe('convert', () => {
  it('keeps documents in order, and passes through what is not to be converted, to the digit', async () => {
    const { code, stdout, stderr } = await convert(`${other}---\n${old}---\n${oneVersion}`, '--to', 'v1beta1');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`${other}---\n${converted}---\n${oneVersion}`);
  });

  it('leaves an object that has the version as it is, unknown members too', async () => {
    const text = `${converted}  more: 1\n`;
    expect((await convert(text, '--to', 'v1beta1')).stdout).toBe(text);
    expect((await convert(text, '--to', 'apps.kruise.io/v1beta1')).stdout).toBe(text);
  });

  it('goes back to the older version', async () => {
    const { stdout } = await convert(converted, '--to', 'apps.kruise.io/v1alpha1');
    expect(stdout).toMatch(/^apiVersion: apps\.kruise\.io\/v1alpha1\nkind: SidecarSet\nmetadata:\n {2}name: mesh\n/);
    expect((await convert(stdout, '--to', 'v1beta1')).stdout).toBe(converted);
  });

  it('converts only objects of the group, if one is given', async () => {
    const { code, stdout } = await convert(old, '--to', 'policy.kruise.io/v1beta1');
    expect(code).toBe(0);
    expect(stdout).toContain('apiVersion: apps.kruise.io/v1alpha1\n');
  });

  it('converts the items of lists in their places', async () => {
    const list = `apiVersion: v1
kind: List
metadata: {resourceVersion: ""}
items:
- {apiVersion: v1, kind: Pod, metadata: {name: p}}
- {apiVersion: apps.kruise.io/v1alpha1, kind: BroadcastJob, metadata: {name: b}}
- apiVersion: apps.kruise.io/v1alpha1
  kind: BroadcastJobList
  items: [{metadata: {name: c}}]
- {apiVersion: v1, kind: PodList, items: []}
`;
    const { code, stdout } = await convert(list, '--to', 'v1beta1', '-o', 'json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      apiVersion: 'v1',
      kind: 'List',
      metadata: { resourceVersion: '' },
      items: [
        { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } },
        { apiVersion: 'apps.kruise.io/v1beta1', kind: 'BroadcastJob', metadata: { name: 'b' } },
        {
          apiVersion: 'apps.kruise.io/v1beta1',
          kind: 'BroadcastJobList',
          items: [{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'BroadcastJob', metadata: { name: 'c' } }],
        },
        { apiVersion: 'v1', kind: 'PodList', items: [] },
      ],
    });
  });

  it('tells which unknown members are left out, and keeps those of pod templates', async () => {
    const text = `apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata: {name: web}
spec:
  replcas: 3
  template: {spec: {containers: [{name: a, image: x, newField: 1}]}}
`;
    const { code, stdout, stderr } = await convert(text, '--to', 'v1beta1');
    expect([code, stderr]).toEqual([0, 'warning: -:5:3: spec.replcas: unknown field, left out\n']);
    expect(stdout).toContain('newField: 1\n');
    expect(stdout).not.toContain('replcas');
  });

  it.each([
    [
      'apiVersion: apps.kruise.io/v1\nkind: CloneSet\n',
      'error: -:1:1: apiVersion: CloneSet has no version "v1": expected v1alpha1 or v1beta1',
    ],
    [
      `${old}---\napiVersion: apps.kruise.io/v1alpha1\nkind: CloneSet\nspec:\n  replicas: x\n`,
      'error: -:13:3: spec.replicas: expected integer, got string',
    ],
    ['kind: [', 'error: -:1:8: '],
    ['', 'error: -: holds no object'],
    [
      'apiVersion: v1\nkind: List\nitems:\n- apiVersion: apps.kruise.io/v1alpha1\n  kind: CloneSet\n  spec: 3\n',
      'error: -:6:3: spec: expected object, got number',
    ],
  ])('prints nothing if one object cannot be converted: %j', async (text, message) => {
    const { code, stdout, stderr } = await convert(text, '--to', 'v1beta1');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  it.each([
    [[], 'error: --to is required'],
    [
      ['--to', 'v2'],
      'error: --to: expected v1alpha1 or v1beta1, alone or behind apps.kruise.io/ or policy.kruise.io/, got "v2"',
    ],
    [['--to', 'apps/v1beta1'], 'got "apps/v1beta1"'],
    [['--to', ''], 'got ""'],
  ])('refuses %j', async (given, message) => {
    const { code, stdout, stderr } = await convert(old, ...given);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  it('prints JSON documents one after the other, and reads them again', async () => {
    const { stdout } = await convert(`${old}---\n${other}`, '--to', 'v1beta1', '-o', 'json');
    expect((await convert(stdout, '--to', 'v1beta1')).stdout).toBe(`${converted}---\n${other}`);
  });
});
