// Acceptance cases 2 to 6 and 23 of ephemeraljob.md, and the rules of section 2.
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../api/core/json.ts';
import { ephemeralJob } from '../../../../api/kinds/ephemeraljob/kind.ts';
import { KindAdmission } from '../../../support/kind-admission.ts';

let admission: KindAdmission;
beforeAll(async () => {
  admission = await KindAdmission.start();
});

const debug: JsonObject = {
  name: 'dbg',
  image: 'busybox',
  imagePullPolicy: 'IfNotPresent',
  terminationMessagePolicy: 'File',
};

function job(...ephemeralContainers: JsonObject[]): JsonObject {
  return {
    apiVersion: 'apps.kruise.io/v1alpha1',
    kind: 'EphemeralJob',
    metadata: { name: 'j', namespace: 'default' },
    spec: { selector: { matchLabels: { app: 'web' } }, template: { ephemeralContainers } },
  };
}

const without = (member: string): JsonObject => {
  const { [member]: _left, ...rest } = debug;
  return rest;
};
const forbidden = (path: string) =>
  `ephemeralContainers[0].${path}: Forbidden: cannot be set for an Ephemeral Container`;

describe('a job is admitted', () => {
  test.each<[string, JsonObject[]]>([
    ['with one container', [debug]],
    ['without containers', []],
    [
      'with a volume and a target that nobody knows',
      [{ ...debug, volumeMounts: [{ name: 'x', mountPath: '/x' }], targetContainerName: 'y' }],
    ],
    ['with a privileged container', [{ ...debug, securityContext: { privileged: true } }]],
    ['with members of a newer Kubernetes', [{ ...debug, newMember: { a: 1 } }]],
    [
      'with everything that may be said',
      [
        {
          ...debug,
          command: ['a'],
          args: ['b'],
          workingDir: '/',
          stdin: true,
          stdinOnce: true,
          tty: true,
          terminationMessagePath: '/x',
        },
      ],
    ],
  ])('%s', (_what, containers) => {
    expect(admission.validate(job(...containers))).toMatchObject({ allowed: true });
  });

  test('whatever an update changes', () => {
    const changed = job({ ...debug, image: 'busybox:2' });
    (changed.spec as JsonObject).selector = {};
    expect(admission.validate(changed, job(debug))).toMatchObject({ allowed: true });
  });
});

describe('a job is refused', () => {
  test.each<[string, JsonObject[], string]>([
    ['without a pull policy', [without('imagePullPolicy')], 'ephemeralContainers[0].imagePullPolicy: Required value'],
    [
      'without a termination message policy',
      [without('terminationMessagePolicy')],
      'ephemeralContainers[0].terminationMessagePolicy: Required value',
    ],
    ['without a name', [without('name')], 'ephemeralContainers[0].name: Required value'],
    ['without an image', [without('image')], 'ephemeralContainers[0].image: Required value'],
    ['with a name twice', [debug, debug], 'ephemeralContainers[1].name: Duplicate value: "dbg"'],
    [
      'with blanks around an image',
      [{ ...debug, image: ' busybox' }],
      'ephemeralContainers[0].image: Invalid value: " busybox": must not have leading or trailing whitespace',
    ],
    [
      'with a pull policy that nobody knows',
      [{ ...debug, imagePullPolicy: 'Sometimes' }],
      'ephemeralContainers[0].imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"',
    ],
    [
      'with a termination message policy that nobody knows',
      [{ ...debug, terminationMessagePolicy: 'Mail' }],
      'ephemeralContainers[0].terminationMessagePolicy: Unsupported value: "Mail": supported values: "File", "FallbackToLogsOnError"',
    ],
    ['with resources', [{ ...debug, resources: { limits: { cpu: '1' } } }], forbidden('resources')],
    ['with ports', [{ ...debug, ports: [{ containerPort: 1, protocol: 'TCP' }] }], forbidden('ports')],
    ['with a lifecycle', [{ ...debug, lifecycle: {} }], forbidden('lifecycle')],
    ['with a restart policy', [{ ...debug, restartPolicy: 'Always' }], forbidden('restartPolicy')],
    [
      'with a resize policy',
      [{ ...debug, resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] }],
      forbidden('resizePolicy'),
    ],
    ['with a startup probe', [{ ...debug, startupProbe: {} }], forbidden('startupProbe')],
    [
      'with a part of a volume',
      [{ ...debug, volumeMounts: [{ name: 'x', mountPath: '/x', subPath: 'y' }] }],
      forbidden('volumeMounts[0].subPath'),
    ],
    [
      'with a part of a volume by expression',
      [{ ...debug, volumeMounts: [{ name: 'x', mountPath: '/x', subPathExpr: '$(A)' }] }],
      forbidden('volumeMounts[0].subPathExpr'),
    ],
  ])('%s', (_what, containers, message) => {
    expect(admission.validate(job(...containers))).toMatchObject({ allowed: false, code: 400, message });
    expect(admission.validate(job(...containers), job(debug))).toMatchObject({ allowed: false, code: 400, message });
  });

  test('with all its faults at once', () => {
    const verdict = admission.validate(
      job({ ...without('image'), ports: [{ containerPort: 0 }] }, without('imagePullPolicy')),
    );
    expect(verdict.message).toBe(
      `[${[
        'ephemeralContainers[0].image: Required value',
        'ephemeralContainers[0].ports[0].containerPort: Required value',
        'ephemeralContainers[0].ports[0].protocol: Required value',
        forbidden('ports'),
        'ephemeralContainers[1].imagePullPolicy: Required value',
        'ephemeralContainers[1].name: Duplicate value: "dbg"',
      ].join(', ')}]`,
    );
  });
});

test('no gate matters', async () => {
  const closed = await KindAdmission.start({ KruiseDaemon: false });
  expect(closed.validate(job(debug))).toMatchObject({ allowed: true });
});

test('a job of 200 KB is validated within 10 ms', () => {
  const env = Array.from({ length: 40 }, (_, i) => ({ name: `A_${i}`, value: 'x'.repeat(20) }));
  const given = job(...Array.from({ length: 110 }, (_, i) => ({ ...debug, name: `c${i}`, env })));
  expect(JSON.stringify(given).length).toBeGreaterThan(200_000);
  const once = (): number => {
    const started = performance.now();
    const decoded = ephemeralJob.applyDefaults(given, 'v1alpha1', { gates: new Map() });
    expect(ephemeralJob.validate(decoded, undefined, {} as never)).toEqual([]);
    return performance.now() - started;
  };
  // The best of many: the machine may be busy.
  expect(Math.min(...Array.from({ length: 30 }, once))).toBeLessThan(10);
});
