// `sluice review` against a stand-in evaluator: inputs, webhooks called, outputs, exit codes, errors.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { type Rules, run } from './stand-in.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'review-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const pod = `apiVersion: v1
kind: Pod
metadata:
  name: web-0
  labels: {app: web}
spec:
  containers:
  - name: app
    image: registry.example.com/web:1
`;

const injects: Rules = {
  '/mutate-pod': () => ({
    patch: [
      { op: 'add', path: '/metadata/annotations', value: { injected: 'true' } },
      { op: 'add', path: '/spec/containers/-', value: { name: 'log', image: 'registry.example.com/log:2' } },
    ],
  }),
  '/validate-pod': () => ({}),
};

const sidecarSet = `apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata:
  name: demo
spec:
  containers:
  - name: log
  - image: x
`;

const kind: Rules = {
  '/mutate-apps-kruise-io-sidecarset': () => ({
    patch: [{ op: 'add', path: '/spec/updateStrategy', value: { type: 'RollingUpdate' } }],
  }),
  '/validate-apps-kruise-io-sidecarset': ({ object }) => {
    const spec = (object as JsonObject).spec as JsonObject;
    if (spec.updateStrategy === undefined) return { allowed: false, message: 'not mutated', code: 500 };
    if (spec.selector !== undefined) return {};
    return {
      allowed: false,
      code: 500,
      message: '[spec.selector: Required value: no selector, spec.containers[1].name: Required value]',
    };
  },
};

describe('the review that is made', () => {
  it('of a pod is a CREATE of it in namespace default', async () => {
    const { code, requests } = await run(['review', '-f', '-'], { rules: injects, stdin: pod });
    expect(code).toBe(0);
    expect(requests.map(({ path }) => path)).toEqual(['/mutate-pod']);
    expect(requests[0]?.request).toMatchObject({
      kind: { group: '', version: 'v1', kind: 'Pod' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      operation: 'CREATE',
      namespace: 'default',
      name: 'web-0',
      dryRun: false,
      oldObject: null,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
      object: { metadata: { name: 'web-0', namespace: 'default' } },
    });
  });

  it('has a UID that follows from its content', async () => {
    const uids = await Promise.all(
      [pod, pod, pod.replace('web:1', 'web:2')].map(async (stdin) => {
        const { requests } = await run(['review', '-f', '-'], { rules: injects, stdin });
        return requests[0]?.request.uid;
      }),
    );
    expect(uids[0]).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(uids[1]).toBe(uids[0]);
    expect(uids[2]).not.toBe(uids[0]);
  });

  it('takes the namespace of -n, and refuses another one than the object names', async () => {
    const { requests } = await run(['review', '-f', '-', '-n', 'shop'], { rules: injects, stdin: pod });
    expect(requests[0]?.request.namespace).toBe('shop');
    const named = pod.replace('name: web-0', 'name: web-0\n  namespace: media');
    const { code, stderr } = await run(['review', '-f', '-', '-n', 'shop'], { rules: injects, stdin: named });
    expect([code, stderr]).toEqual([
      2,
      'error: -:5:3: metadata.namespace: the object\'s namespace "media" is not "shop" of --namespace\n',
    ]);
  });

  it('is the given one when a review or a bare request is given', async () => {
    const request = {
      uid: 'u-1',
      operation: 'CREATE',
      resource: { group: '', version: 'v1', resource: 'pods' },
      object: { a: 1.5 },
    };
    for (const given of [
      { apiVersion: 'admission.k8s.io/v1beta1', kind: 'AdmissionReview', request },
      request,
      { request },
    ]) {
      const { requests, stdout } = await run(['review', '-f', '-', '-o', 'review'], {
        rules: { '/mutate-pod': () => ({}) },
        stdin: JSON.stringify(given),
      });
      expect(requests).toEqual([{ path: '/mutate-pod', request }]);
      expect(JSON.parse(stdout).response.uid).toBe('u-1');
    }
  });

  it('of UPDATE and DELETE has the stored object as the old one', async () => {
    const stored = await file('stored.yaml', sidecarSet.replace('name: log', 'name: old'));
    const given = await file('given.yaml', sidecarSet);
    const update = await run(['review', '-f', given, '--objects', stored, '--operation', 'UPDATE'], { rules: kind });
    expect(update.requests[0]?.request).toMatchObject({
      operation: 'UPDATE',
      oldObject: { spec: { containers: [{ name: 'old' }, {}] } },
      object: { spec: { containers: [{ name: 'log' }, {}] } },
      options: { kind: 'UpdateOptions' },
    });
    expect((await run(['review', '-f', given, '--operation', 'UPDATE'], { rules: kind })).stderr).toContain(
      `${given}:4:3: metadata.name: an UPDATE needs the stored object, and --objects has none of this name`,
    );
    const rules: Rules = { '/validate-apps-deployment': () => ({ allowed: false, message: 'protected' }) };
    const stdin = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {}\n';
    const removal = await run(['review', '-f', '-', '--operation=DELETE'], { rules, stdin });
    expect(removal.requests).toMatchObject([
      { path: '/validate-apps-deployment', request: { object: null, oldObject: { kind: 'Deployment' } } },
    ]);
    expect(removal.code).toBe(1);
  });

  it('of an Eviction is about the sub-resource of the pod', async () => {
    const stdin = 'apiVersion: policy/v1\nkind: Eviction\nmetadata: {name: web-0, namespace: shop}\n';
    const { requests } = await run(['review', '-f', '-'], { rules: injects, stdin });
    expect(requests).toMatchObject([
      {
        path: '/validate-pod',
        request: { subResource: 'eviction', name: 'web-0', resource: { resource: 'pods' }, kind: { kind: 'Eviction' } },
      },
    ]);
  });

  it('of a cluster-scoped object has no namespace', async () => {
    const { requests } = await run(['review', '-f', '-', '-n', 'shop'], { rules: kind, stdin: sidecarSet });
    expect(requests[0]?.request).not.toHaveProperty('namespace');
    expect(requests[0]?.request.object).not.toHaveProperty('metadata.namespace');
  });

  it('is one for each document and each item of a list', async () => {
    const list = `apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: a}}\n- {apiVersion: v1, kind: Pod, metadata: {name: b}}\n`;
    const { stdout, requests } = await run(['review', '-f', '-', '-o', 'review'], {
      rules: { '/mutate-pod': () => ({}) },
      stdin: `${list}---\n${pod}`,
    });
    expect(requests.map(({ request }) => request.name)).toEqual(['a', 'b', 'web-0']);
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
  });

  it('is decided at the time of --now', async () => {
    const clock = await run(['review', '-f', '-'], { rules: injects, stdin: pod });
    const given = await run(['review', '-f', '-', '--now', '2026-01-02T03:04:05+01:00'], {
      rules: injects,
      stdin: pod,
    });
    expect([clock.times[0], given.times[0]]).toEqual([
      Date.parse('2026-07-01T08:00:00Z'),
      Date.parse('2026-01-02T02:04:05Z'),
    ]);
  });
});

describe('the webhooks that are called', () => {
  it('are the mutating and then, with the mutated object, the validating ones', async () => {
    const valid = sidecarSet.replace('spec:', 'spec:\n  selector: {}');
    const { code, stdout, requests } = await run(['review', '-f', '-', '-o', 'review'], { rules: kind, stdin: valid });
    expect(code).toBe(0);
    expect(requests.map(({ path }) => path)).toEqual([
      '/mutate-apps-kruise-io-sidecarset',
      '/validate-apps-kruise-io-sidecarset',
    ]);
    const { response } = JSON.parse(stdout);
    expect(response).toMatchObject({ uid: requests[0]?.request.uid, allowed: true, patchType: 'JSONPatch' });
    expect(JSON.parse(Buffer.from(response.patch, 'base64').toString())).toEqual([
      { op: 'add', path: '/spec/updateStrategy', value: { type: 'RollingUpdate' } },
    ]);
  });

  it('end at the first refusal, whose answer has no patch', async () => {
    const rules: Rules = {
      ...kind,
      '/mutate-apps-kruise-io-sidecarset': () => ({ allowed: false, code: 400, message: 'bad' }),
    };
    const first = await run(['review', '-f', '-', '-o', 'review'], { rules, stdin: sidecarSet });
    expect([first.code, first.requests.length]).toEqual([1, 1]);
    expect(JSON.parse(first.stdout).response).toMatchObject({ allowed: false, status: { code: 400, message: 'bad' } });
    const second = await run(['review', '-f', '-', '-o', 'review'], { rules: kind, stdin: sidecarSet });
    expect(second.code).toBe(1);
    expect(JSON.parse(second.stdout).response).not.toHaveProperty('patch');
  });

  it('keep numbers that a double would change', async () => {
    const review = `{"request":{"operation":"CREATE","resource":{"group":"apps.kruise.io","resource":"sidecarsets"},"object":{"spec":{"selector":{},"big":9007199254740993}}}}`;
    const { requests } = await run(['review', '-f', '-'], { rules: kind, stdin: review });
    expect(requests.map(({ request }) => JSON.stringify(request))).toEqual([
      expect.stringContaining('"big":9007199254740993'),
      expect.stringContaining('"big":9007199254740993'),
    ]);
  });

  it('are none for a resource without any: the answer is allowed', async () => {
    const stdin = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';
    const { code, stdout } = await run(['review', '-f', '-', '-o', 'review'], { rules: injects, stdin });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'AdmissionReview',
      response: { allowed: true, status: { code: 200 } },
    });
  });

  it('leave out those that are not served', async () => {
    const { requests } = await run(['review', '-f', '-'], {
      rules: { '/validate-apps-kruise-io-sidecarset': () => ({}) },
      stdin: sidecarSet,
    });
    expect(requests.map(({ path }) => path)).toEqual(['/validate-apps-kruise-io-sidecarset']);
  });

  it('are the one of --path, whose answer is printed as it came', async () => {
    const { stdout, requests } = await run(
      ['review', '-f', '-', '--path', '/validate-apps-kruise-io-sidecarset', '-o', 'review'],
      {
        rules: kind,
        stdin: sidecarSet,
      },
    );
    expect(requests).toHaveLength(1);
    expect(JSON.parse(stdout).response.status.message).toBe('not mutated');
    const other = await run(['review', '-f', '-', '--path', '/validate-service'], { rules: kind, stdin: sidecarSet });
    expect([other.code, other.stderr.split('\n')[0]]).toEqual([
      2,
      'error: --path: /validate-service is not served with these feature gates; served are',
    ]);
  });

  it('convert at /convert, with or without --path', async () => {
    const convertRules: Rules = {
      '/convert': ({ desiredAPIVersion }) => ({ allowed: desiredAPIVersion === 'a/v1', message: 'no' }),
    };
    const review = (version: string) =>
      JSON.stringify({
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'ConversionReview',
        request: { uid: 'c', desiredAPIVersion: version, objects: [{ a: 1 }] },
      });
    for (const path of [[], ['--path', '/convert']]) {
      const good = await run(['review', '-f', '-', '-o', 'review', ...path], {
        rules: convertRules,
        stdin: review('a/v1'),
      });
      expect([good.code, JSON.parse(good.stdout).kind]).toEqual([0, 'ConversionReview']);
      const bad = await run(['review', '-f', '-', '-o', 'review', ...path], {
        rules: convertRules,
        stdin: review('b/v1'),
      });
      expect([bad.code, JSON.parse(bad.stdout).response.result]).toEqual([1, { status: 'Failed', message: 'no' }]);
    }
    const pods = await run(['review', '-f', '-', '--path', '/convert'], { rules: convertRules, stdin: pod });
    expect([pods.code, pods.stderr]).toEqual([2, 'error: -:2:1: kind: /convert answers a ConversionReview, got Pod\n']);
  });
});

describe('the output', () => {
  it('is by default a verdict and a diff', async () => {
    const { stdout, stderr } = await run(['review', '-f', '-'], { rules: injects, stdin: pod });
    expect(stderr).toBe('');
    expect(stdout).toBe(`Pod default/web-0: allowed, 2 changes

--- before/v1.Pod.default.web-0
+++ after/v1.Pod.default.web-0
@@ -5,7 +5,11 @@
   labels:
     app: web
   namespace: default
+  annotations:
+    injected: "true"
 spec:
   containers:
   - name: app
     image: registry.example.com/web:1
+  - name: log
+    image: registry.example.com/log:2
`);
  });

  it('of -o patch is the patch, one operation a line', async () => {
    const { stdout } = await run(['review', '-f', '-', '-o', 'patch'], { rules: injects, stdin: pod });
    expect(stdout.split('\n')).toHaveLength(5);
    expect(JSON.parse(stdout)).toHaveLength(2);
    const none = await run(['review', '-f', '-', '-opatch'], { rules: { '/mutate-pod': () => ({}) }, stdin: pod });
    expect(none.stdout).toBe('[]\n');
  });

  it('of -o object, yaml and json is the resulting object', async () => {
    const object = await run(['review', '-f', '-', '-o', 'object'], { rules: injects, stdin: pod });
    expect(object.stdout).toMatch(/^apiVersion: v1\nkind: Pod\nmetadata:\n {2}name: web-0\n/);
    expect(object.stdout).toContain('  annotations:\n    injected: "true"\n');
    const yaml = await run(['review', '-f', '-', '-o=yaml'], { rules: injects, stdin: pod });
    expect(yaml.stdout).toBe(object.stdout);
    const json = await run(['review', '-f', '-', '-ojson'], { rules: injects, stdin: pod });
    expect(JSON.parse(json.stdout).spec.containers).toHaveLength(2);
  });

  it('of -o diff is the diff alone, empty without a change', async () => {
    const { stdout } = await run(['review', '-f', '-', '-o', 'diff'], { rules: injects, stdin: pod });
    expect(stdout).toMatch(/^--- before\/v1\.Pod\.default\.web-0\n/);
    const none = await run(['review', '-f', '-', '-o', 'diff'], { rules: { '/mutate-pod': () => ({}) }, stdin: pod });
    expect([none.code, none.stdout]).toEqual([0, '']);
  });

  it('tells of a refusal where in the file each field stands', async () => {
    const path = await file('demo.yaml', sidecarSet);
    const { code, stdout } = await run(['review', '-f', path], { rules: kind });
    expect(code).toBe(1);
    expect(stdout).toBe(`SidecarSet demo: denied by vsidecarset.kb.io (code 500)
  ${path}:5:1: spec.selector: Required value: no selector
  ${path}:8:5: spec.containers[1].name: Required value
`);
  });

  it('of a refusal goes to standard error when the format is data, and no data is printed', async () => {
    for (const format of ['patch', 'object', 'diff', 'json', 'yaml']) {
      const { code, stdout, stderr } = await run(['review', '-f', '-', '-o', format], {
        rules: kind,
        stdin: sidecarSet,
      });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('SidecarSet demo: denied by vsidecarset.kb.io');
    }
  });

  it('shows warnings of webhooks, of namespaces that a cluster leaves out, and of objects given twice', async () => {
    const twice = await file('twice.yaml', `${sidecarSet}---\n${sidecarSet}`);
    const { stderr, stdout } = await run(
      ['review', '-f', '-', '-n', 'kube-system', '--objects', twice, '-o', 'patch'],
      {
        rules: { '/mutate-pod': () => ({ warnings: ['old field\u001b[2J'] }) },
        stdin: pod,
      },
    );
    expect(stdout).toBe('[]\n');
    expect(stderr).toBe(`warning: ${twice}:10: SidecarSet demo replaces the one of ${twice}:1
warning: Pod kube-system/web-0: old field\\u001b[2J
warning: Pod kube-system/web-0: namespace kube-system is excluded by the webhook configurations of the chart: in a cluster this pod is not reviewed
`);
  });

  it('is coloured on a terminal only, and not with NO_COLOR', async () => {
    const colored = async (given: string[], standIn: object) =>
      (await run(['review', '-f', '-', ...given], { rules: injects, stdin: pod, ...standIn })).stdout.includes(
        '\u001b[',
      );
    expect(await colored([], {})).toBe(false);
    expect(await colored([], { terminal: true })).toBe(true);
    expect(await colored([], { terminal: true, environment: { NO_COLOR: '1' } })).toBe(false);
    expect(await colored([], { terminal: true, environment: { TERM: 'dumb' } })).toBe(false);
    expect(await colored(['--color', 'never'], { terminal: true })).toBe(false);
    expect(await colored(['--color=always'], { environment: { NO_COLOR: '1' } })).toBe(true);
  });

  it('holds no character of the input that a terminal acts on', async () => {
    const evil = 'a\u001b]0;x\u0007\u202e';
    const stdin = JSON.stringify({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: evil, labels: { [evil]: evil } },
      spec: {},
    });
    const rules: Rules = { '/mutate-pod': () => ({ allowed: false, message: evil, warnings: [evil] }) };
    for (const given of [[], ['-o', 'review'], ['-o', 'json']]) {
      for (const which of [injectsNothing, rules]) {
        const { stdout, stderr } = await run(['review', '-f', '-', ...given], { rules: which, stdin });
        expect(`${stdout}${stderr}`).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
      }
    }
  });
});

const injectsNothing: Rules = { '/mutate-pod': () => ({ patch: [{ op: 'add', path: '/spec/x', value: '\u0007' }] }) };

describe('objects and gates', () => {
  it('are given to the evaluator', async () => {
    const objects = await file(
      'objects.yaml',
      `${sidecarSet}---\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n`,
    );
    const { objects: applied, gates } = await run(
      [
        'review',
        '-f',
        '-',
        '--objects',
        objects,
        '--feature-gates',
        'ImagePullJobGate=true',
        '--feature-gates=PodWebhook=true,WorkloadSpread=false',
      ],
      { rules: injects, stdin: pod },
    );
    expect(applied.map((object) => object.kind)).toEqual(['Namespace', 'SidecarSet']);
    expect([gates?.get('ImagePullJobGate'), gates?.get('WorkloadSpread'), gates?.get('PodWebhook')]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('that are wrong are named with file, line and field', async () => {
    const objects = await file('wrong.yaml', sidecarSet);
    const applied = await run(['review', '-f', '-', '--objects', objects], {
      rules: injects,
      stdin: pod,
      refused: { name: 'demo', field: 'spec.containers[1].image' },
    });
    expect([applied.code, applied.stderr]).toEqual([
      2,
      `error: ${objects}:8:5: spec.containers[1].image: expected text, got a number\n`,
    ]);
    const gate = await run(['review', '-f', '-', '--feature-gates', 'Nope=true'], { rules: injects, stdin: pod });
    expect([gate.code, gate.stderr]).toEqual([2, 'error: --feature-gates: unknown feature gate "Nope"\n']);
  });
});

describe('wrong input', () => {
  it.each([
    ['', 'error: -: holds no object'],
    ['a: 1', 'error: -:1:1: kind: required: expected a review, a request or an object'],
    ['kind: Pod', 'error: -:1:1: apiVersion: required'],
    ['kind: Pod\napiVersion: v1', 'error: -:1:1: metadata: required'],
    ['kind: Pod\napiVersion: v1\nmetadata: {}', 'error: -:3:1: metadata.name: required (or metadata.generateName)'],
    ['{"kind":"AdmissionReview"}', 'error: -:1:1: request: required'],
    ['kind: Deployment\napiVersion: apps/v1\nmetadata: {name: a}', 'error: -:1:1: spec.template: required'],
    ['{"a":1,"a":2}', 'error: -:1:8: a: duplicate key'],
  ])('%j is refused with exit code 2', async (stdin, message) => {
    const { code, stdout, stderr } = await run(['review', '-f', '-'], { rules: injects, stdin });
    expect([code, stdout, stderr]).toEqual([2, '', `${message}\n`]);
  });

  it('names a missing file', async () => {
    const path = join(folder, 'missing.yaml');
    const { code, stderr } = await run(['review', '-f', path], { rules: injects });
    expect([code, stderr]).toEqual([2, `error: ${path}: no such file or folder\n`]);
  });
});
