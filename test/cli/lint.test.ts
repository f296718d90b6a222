// `sluice lint` against the built policy module: what it finds, where, and the exit codes.

import { describe, expect, it } from 'vitest';
import { loadKindAdmission } from '../../cli/evaluator.ts';
import { testFolder } from './files.ts';
import { type Result, run } from './stand-in.ts';

const { folder, write } = testFolder();

const lint = (...given: string[]): Promise<Result> => run(['lint', ...given], { loadKindAdmission });
const lintText = (stdin: string, ...given: string[]): Promise<Result> =>
  run(['lint', '-f', '-', ...given], { stdin, loadKindAdmission });

const sidecarSet = (name: string, container = 'a'): string => `apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: ${name}}
spec:
  selector: {matchLabels: {app: web}}
  containers: [{name: ${container}, image: x}]
`;
const configMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n';

describe('lint', () => {
  it('has nothing to say about valid objects, and counts what it skips', async () => {
    const { code, stdout, stderr } = await lintText(`${configMap}---\n${sidecarSet('mesh')}`);
    expect([code, stdout, stderr]).toEqual([0, '', '1 object checked, 0 errors, 0 warnings, 1 skipped\n']);
  });

  it('finds every broken rule of every object, each at its place', async () => {
    const file = write(
      'rules.yaml',
      `# sets
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata:
  name: mesh
spec: {}
---
apiVersion: v1
kind: List
items:
- apiVersion: apps.kruise.io/v1alpha1
  kind: SidecarSet
  metadata:
    name: logs
  spec:
    selector:
      matchLabels: {app: web}
    containers:
    - image: x
    - name: b
      image: x
    - name: b
      image: x
`,
    );
    const { code, stdout, stderr } = await lint('-f', file);
    expect(code).toBe(1);
    expect(stdout.split('\n')).toEqual([
      `${file}:6:1: error: spec.selector: Required value: no selector defined for SidecarSet (SidecarSet mesh)`,
      `${file}:6:1: error: spec: Required value: no initContainer or container defined for SidecarSet (SidecarSet mesh)`,
      expect.stringMatching(/:19:7: error: spec\.containers\[0\]\.name: Required value.* \(SidecarSet logs\)$/),
      expect.stringMatching(/:22:7: error: spec\.containers\[2\]\.name: Duplicate value: "b" \(SidecarSet logs\)$/),
      '',
    ]);
    expect(stderr).toBe('2 objects checked, 4 errors, 0 warnings, 0 skipped\n');
  });

  it('names every member of a wrong type, and unknown members', async () => {
    const { code, stdout } = await lintText(`apiVersion: apps.kruise.io/v1beta1
kind: CloneSet
metadata: {name: web}
spec:
  replicas: "3"
  minReadySeconds: true
  replcas: 3
  template:
    spec:
      containers: [{name: a, image: b, imgae: c}]
`);
    expect(code).toBe(1);
    expect(stdout.split('\n').slice(0, -1)).toEqual([
      '-:5:3: error: spec.replicas: expected integer, got string (CloneSet web)',
      '-:6:3: error: spec.minReadySeconds: expected integer, got boolean (CloneSet web)',
      '-:7:3: warning: spec.replcas: unknown field, which is dropped (CloneSet web)',
      expect.stringContaining('warning: spec.template.spec.containers[0].imgae: unknown field, unless a newer'),
    ]);
  });

  it.each([
    [
      'apiVersion: apps.kruise.io/v1\nkind: CloneSet\nmetadata: {name: a}\n',
      1,
      ':1:1: error: apiVersion: CloneSet has no version "v1"',
    ],
    [
      'apiVersion: apps.kruise.io/v1beta1\nkind: CloneSet\nmetadata: {}\n',
      1,
      ':3:1: error: metadata.name: Required value',
    ],
    ['apiVersion: apps.kruise.io/v1beta1\nkind: CloneSet\n', 1, ':1:1: error: metadata.name: Required value'],
    [
      `${sidecarSet('a')}---\n${sidecarSet('a')}`,
      0,
      ':10:12: warning: metadata.name: SidecarSet a was given before, at -:1',
    ],
    [
      `${sidecarSet('a')}---\napiVersion: apps.kruise.io/v1beta1\nkind: CloneSett\n`,
      0,
      ':9:1: warning: kind: apps.kruise.io has no kind "CloneSett"',
    ],
  ])('%j', async (text, code, expected) => {
    const result = await lintText(text);
    expect(result.code).toBe(code);
    expect(result.stdout).toContain(expected);
  });

  it('places a refusal in one plain sentence at the field that it is about', async () => {
    const image = 'apiVersion: apps.kruise.io/v1beta1\nkind: ImagePullJob\nmetadata: {name: a}\nspec:\n  image: ""\n';
    const { code, stdout } = await lintText(image, '--feature-gates', 'ImagePullJobGate=true');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^-:5:3: error: spec\.image: /);
  });

  it('finds what the schema of the CRD refuses, each at its place, and goes on with other fields', async () => {
    const text = `apiVersion: policy.kruise.io/v1beta1
kind: PodUnavailableBudget
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  maxUnavailable: 1
  minAvailable: 1
  protectOperations:
  - DELETE
  - PATCH
  protectTotalReplicas: 0
`;
    const { code, stdout } = await lintText(text);
    expect(code).toBe(1);
    expect(stdout.split('\n').slice(0, -1)).toEqual([
      '-:10:5: error: spec.protectOperations[1]: Unsupported value: "PATCH": supported values: "DELETE", "UPDATE", "EVICT", "RESIZE" (PodUnavailableBudget web)',
      '-:11:3: error: spec.protectTotalReplicas: Invalid value: 0: spec.protectTotalReplicas in body should be greater than or equal to 1 (PodUnavailableBudget web)',
      expect.stringMatching(/maxUnavailable and minAvailable are mutually exclusive/),
    ]);
  });

  it('says once what the schema and the rules of the kind have against a field', async () => {
    const text = 'apiVersion: apps.kruise.io/v1beta1\nkind: CloneSet\nmetadata: {name: a}\nspec:\n  replicas: -1\n';
    const { stdout } = await lintText(text);
    expect(stdout.split('\n').filter((line) => line.includes('spec.replicas'))).toEqual([
      '-:5:3: error: spec.replicas: Invalid value: -1: should be a non-negative integer (CloneSet a)',
    ]);
  });

  it('asks the schema after the webhook that completes the object, as an API server does', async () => {
    const job = 'apiVersion: apps.kruise.io/v1beta1\nkind: ImagePullJob\nmetadata: {name: a}\nspec: {image: x}\n';
    const { code, stdout } = await lintText(job, '--feature-gates', 'ImagePullJobGate=true');
    expect([code, stdout]).toEqual([0, '']);
  });

  it('takes no object of --objects that the schema refuses, unless it was stored', async () => {
    const budget = (metadata: string): string =>
      `apiVersion: policy.kruise.io/v1beta1\nkind: PodUnavailableBudget\nmetadata: {${metadata}}\nspec: {protectOperations: [PATCH]}\n`;
    const written = write('written.yaml', budget('name: web'));
    const stored = write('stored.yaml', budget('name: web, uid: 3d1c6a0e-0000-4000-8000-000000000001'));
    const refused = await lintText(sidecarSet('a'), '--objects', written);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('written.yaml:4:');
    expect(refused.stderr).toContain('spec.protectOperations[0]: Unsupported value: "PATCH"');
    expect((await lintText(sidecarSet('a'), '--objects', stored)).code).toBe(0);
  });

  it('says so when a gate that the kind needs is off', async () => {
    const { code, stdout } = await lintText(
      sidecarSet('a')
        .replace('SidecarSet', 'ImagePullJob')
        .replace(/spec:[\s\S]*/, 'spec: {image: x}\n'),
    );
    expect(code).toBe(1);
    expect(stdout).toContain('error: feature-gate ImagePullJobGate is not enabled (ImagePullJob a)');
  });

  it('judges an object by those before it and by those of --objects, whatever their kinds', async () => {
    const first = write('one/first.yaml', sidecarSet('first', 'same'));
    const second = write('one/second.yaml', sidecarSet('second', 'same'));
    const clash = /^[^\n]*second\.yaml:6:3: error: spec\.containers: [^\n]* already exist in first [^\n]*\n$/;
    const together = await lint('-f', `${folder}/one`);
    expect([together.code, together.stderr]).toEqual([1, '2 objects checked, 1 error, 0 warnings, 0 skipped\n']);
    expect(together.stdout).toMatch(clash);
    const alone = await lint('-f', second);
    expect(alone.code).toBe(0);
    const stored = await lint('-f', second, '--objects', first);
    expect([stored.code, stored.stdout]).toEqual([1, together.stdout]);
  });

  it('does not let a refused object count for the next', async () => {
    const broken = sidecarSet('first', 'same').replace('image: x', 'image: ""');
    const { stdout } = await lintText(`${broken}---\n${sidecarSet('second', 'same')}`);
    expect(stdout).toMatch(/first/);
    expect(stdout).not.toMatch(/second/);
  });

  it('refuses objects of another namespace than that of -n', async () => {
    const object = 'apiVersion: apps.kruise.io/v1beta1\nkind: CloneSet\nmetadata: {name: a, namespace: x}\n';
    const { code, stdout } = await lintText(object, '-n', 'shop');
    expect(code).toBe(1);
    expect(stdout).toContain(`metadata.namespace: the object's namespace "x" is not "shop" of --namespace`);
  });

  it('knows an object again that names the namespace of -n', async () => {
    const broadcast = (metadata: string): string =>
      `apiVersion: apps.kruise.io/v1beta1\nkind: BroadcastJob\nmetadata: {${metadata}}\n`;
    const text = `${broadcast('name: a')}---\n${broadcast('name: a, namespace: shop')}`;
    expect((await lintText(text, '-n', 'shop')).stdout).toContain('was given before, at -:1');
    expect((await lintText(text)).stdout).not.toContain('was given before');
  });

  it('ends with the code that is wanted for warnings alone', async () => {
    const text = `${sidecarSet('a')}  more: 1\n`;
    expect((await lintText(text)).code).toBe(0);
    expect((await lintText(text, '--warn-exit-code', '7')).code).toBe(7);
    expect((await lintText(text, '--warn-exit-code', 'x')).code).toBe(2);
  });

  it.each([
    ['', '-: holds no object (--allow-empty accepts that)'],
    [configMap, "-: holds no object of OpenKruise's kinds, but 1 of others (--allow-empty accepts that)"],
  ])('takes files without an object to check for a mistake: %j', async (text, message) => {
    const refused = await lintText(text);
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([2, '', `error: ${message}\n`]);
    expect((await lintText(text, '--allow-empty')).code).toBe(0);
  });

  it.each([
    ['kind: [', /^error: -:1:8: /],
    ['a: 1\na: 2\n', /^error: -:2:1: /],
    [`apiVersion: v1\nkind: List\nitems: 3\n`, /^error: -:3:1: items: expected a list/],
  ])('ends with 2 for input that cannot be read: %j', async (text, message) => {
    const { code, stdout, stderr } = await lintText(text);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  it('checks an object that only has a generateName, and makes no name out of it', async () => {
    const text = sidecarSet('a').replace('name: a}', 'generateName: a-}');
    const { code, stderr } = await lintText(`${text}---\n${text}`);
    expect([code, stderr]).toEqual([0, '2 objects checked, 0 errors, 0 warnings, 0 skipped\n']);
  });
});
