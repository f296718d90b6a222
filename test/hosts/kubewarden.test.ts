// policy-kubewarden.wasm in a waPC host, the one that Kubewarden's server is built with: it decides as the plain module
// does, and says what it cannot do.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { isObject, type JsonObject, parseJson } from '../../api/core/json.ts';
import { gateTable } from '../../api/gates.ts';
import { processInput } from '../../component/flags.ts';
import { Policies } from '../../evaluator/policies.ts';
import type { Case } from '../support/corpus.ts';
import { coveredCases } from '../support/coverage.ts';
import { RECORDED_GATES } from '../support/gates.ts';
import { clusterLine, type Decided, isCarried, listLine, Plain } from './support/kubewarden.ts';
import { HOSTS, isReady, isRequired } from './support/programs.ts';
import { answersOf } from './support/running.ts';

const TIME_LIMIT_MS = 120_000;
const root = new URL('../..', import.meta.url).pathname;
const module = `${root}dist/policy-kubewarden.wasm`;
const { environment } = processInput();
const host = HOSTS.find(({ name }) => name === 'wapc');
const isLeftOut = host === undefined || !(isRequired(environment) || isReady(host, environment));
const GATES = { ...RECORDED_GATES, WorkloadSpread: false };

const SIDECARSET = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name: 'logs', annotations: { 'kruise.io/sidecarset-hash': 'h' } },
  spec: { selector: { matchLabels: { app: 'web' } }, containers: [{ name: 'logs', image: 'logs:1' }] },
};

beforeAll(async () => {
  await promisify(execFile)(process.execPath, ['scripts/build.ts', 'kubewarden'], { cwd: root });
}, TIME_LIMIT_MS);

test('it imports what waPC hosts give, and nothing else', async () => {
  const compiled = new WebAssembly.Module(await readFile(module));
  expect(new Set(WebAssembly.Module.imports(compiled).map((one) => one.module))).toEqual(new Set(['wapc']));
  expect(
    WebAssembly.Module.exports(compiled)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['__guest_call', 'memory']);
});

test('it carries its metadata where kwctl looks for it', async () => {
  const [section] = WebAssembly.Module.customSections(
    new WebAssembly.Module(await readFile(module)),
    'io.kubewarden.metadata',
  );
  const metadata = JSON.parse(Buffer.from(section ?? new ArrayBuffer()).toString()) as Metadata;
  expect(metadata).toMatchObject({ protocolVersion: 'v1', mutating: true, executionMode: 'kubewarden-wapc' });
  const sent = metadata.rules.flatMap(({ apiGroups, resources }) => resources.map((name) => `${apiGroups[0]}/${name}`));
  expect(sent).toEqual(expect.arrayContaining(['/pods', '/pods/eviction', '/namespaces', 'apps.kruise.io/clonesets']));
});

type Metadata = { rules: { apiGroups: string[]; resources: string[] }[] };

test('the gates that are on without a setting are those that decisions depend on and that are on by default', async () => {
  const gates = await readFile(`${root}assembly/gates.ts`, 'utf8');
  const known = [...gates.matchAll(/^ {2}'(\w+)',$/gm)].map(([, name]) => name);
  const expected = gateTable.filter(
    (gate) => gate.default && known.includes(gate.name) && gate.name !== 'WorkloadSpread',
  );
  const settings = await readFile(`${root}assembly/kubewarden/settings.ts`, 'utf8');
  const on = JSON.parse(/GATES_ON: string =\s+'(.*)'/.exec(settings)?.[1] ?? '{}') as Record<string, boolean>;
  expect(Object.keys(on).toSorted()).toEqual(expected.map(({ name }) => name).toSorted());
});

test('what is left out is said in one line', () => {
  if (isLeftOut) console.log('test/hosts: left out: Kubewarden; "npm run hosts:setup" builds its host');
});

describe.skipIf(isLeftOut)('in a waPC host', { timeout: TIME_LIMIT_MS }, () => {
  test('it speaks version 1 of the protocol', async () => {
    expect(await ask(['protocol_version'])).toEqual(['v1']);
  });

  test.each([
    [{}, { valid: true }],
    [{ objects: [SIDECARSET], gates: { ResourcesDeletionProtection: true }, cluster: ['SidecarSet'] }, { valid: true }],
    [[], { valid: false, message: 'settings: expected an object' }],
    [{ object: [] }, { valid: false, message: 'object: there is no such setting' }],
    [{ objects: [SIDECARSET, { kind: 'Pod' }] }, invalid('objects[1].kind: expected one that the policies keep')],
    [{ objects: [{ ...SIDECARSET, metadata: {} }] }, invalid('objects[0].metadata.name: expected the name')],
    [{ gates: { WorkloadSpread: true } }, invalid('gates.WorkloadSpread: counts pods in the status of objects')],
    [{ gates: { ResourceDeletionProtection: true } }, invalid('gates.ResourceDeletionProtection: no decision depends')],
    [{ gates: { ResourcesDeletionProtection: 'true' } }, invalid('gates.ResourcesDeletionProtection: expected true')],
    [
      { objects: [SIDECARSET, { ...SIDECARSET, apiVersion: 'apps.kruise.io/v1alpha1' }] },
      invalid('objects[1].apiVersion: expected apps.kruise.io/v1beta1, the version that is stored'),
    ],
    [{ objects: [{ ...SIDECARSET, spec: [] }] }, invalid('objects[0].spec: expected an object')],
    [
      { objects: [{ ...SIDECARSET, metadata: { name: 'logs' } }] },
      invalid('objects[0].metadata.annotations: expected kruise.io/sidecarset-hash'),
    ],
    [{ systemNamespace: 1 }, { valid: false, message: 'systemNamespace: expected the name of a namespace' }],
    [{ cluster: ['Secret'] }, invalid('cluster: expected kinds that the policies keep')],
  ])('settings %j are judged', async (settings, expected) => {
    expect(await ask([`validate_settings ${JSON.stringify(settings)}`])).toEqual([expected]);
  });

  test('what is no JSON, and no operation, is refused and not passed', async () => {
    const [broken, unknown] = await ask(['validate {"request":', 'inspect {}']);
    expect(broken).toMatchObject({ accepted: false, code: 400 });
    expect(unknown).toMatch(/expected protocol_version, validate_settings or validate/);
  });

  test('every recorded review is decided as the plain module decides it', async () => {
    const plain = await Plain.load(GATES);
    const cases = coveredCases('module').filter(isOfPolicies);
    const expected: [Case, Decided][] = [];
    const lines = cases.flatMap((question) => {
      const told = ['cluster'];
      const decided = plain.decide(question, (asked, answer) => {
        told.push(clusterLine(asked, answer, question.objects));
      });
      expected.push([question, decided]);
      const settings = { objects: question.objects.filter(isCarried), gates: GATES, cluster: [] };
      return [...told, `validate ${JSON.stringify({ request: question.request, settings })}`];
    });
    const answers = await ask(lines);
    expect(cases.length).toBeGreaterThan(400);
    expect(answers.length).toBe(cases.length);
    for (const [index, [{ name, request }, decided]] of expected.entries()) {
      expect.soft(answers[index], name).toEqual(asKubewarden(request, decided));
    }
  });

  test('objects are read from the cluster where the settings say so, and follow it', async () => {
    const settings = { cluster: ['SidecarSet'] };
    const validate = `validate ${JSON.stringify({ request: creation(), settings })}`;
    const list = (image: string) => {
      const spec = { ...SIDECARSET.spec, containers: [{ name: 'logs', image }] };
      return listLine('apps.kruise.io/v1beta1', 'SidecarSet', [{ ...SIDECARSET, spec }]);
    };
    const none = listLine('apps.kruise.io/v1beta1', 'SidecarSet', []);
    const answers = await ask([
      list('logs:1'),
      validate,
      list('logs:2'),
      validate,
      none,
      validate,
      'cluster',
      validate,
    ]);
    expect(answers.map(imagesOf)).toEqual([['web:1', 'logs:1'], ['web:1', 'logs:2'], ['web:1'], []]);
    expect(answers.at(-1)).toMatchObject({ accepted: false, code: 500, message: expect.stringMatching('SidecarSet') });
  });

  test('settings that differ from call to call leave nothing of each other', async () => {
    const call = (objects: JsonObject[]) =>
      `validate ${JSON.stringify({ request: creation(), settings: { objects } })}`;
    const answers = await ask([call([SIDECARSET]), call([]), call([SIDECARSET])]);
    expect(answers.map(imagesOf)).toEqual([['web:1', 'logs:1'], ['web:1'], ['web:1', 'logs:1']]);
  });

  test('a budget that would be charged is advice, and says so', async () => {
    const [answer] = await ask([
      `validate ${JSON.stringify({ request: deletion(), settings: { objects: [budget(1)] } })}`,
    ]);
    expect(answer).toEqual({
      accepted: true,
      warnings: [expect.stringMatching(/^PodUnavailableBudget shop\/web: advice only, no unit was taken/)],
    });
  });

  test('a budget that has nothing left refuses', async () => {
    const [answer] = await ask([
      `validate ${JSON.stringify({ request: deletion(), settings: { objects: [budget(0)] } })}`,
    ]);
    expect(answer).toMatchObject({ accepted: false, code: 403 });
  });

  test('requests that no policy is about are accepted', async () => {
    const request = { ...creation(), resource: { group: '', version: 'v1', resource: 'secrets' } };
    expect(await ask([`validate ${JSON.stringify({ request, settings: {} })}`])).toEqual([{ accepted: true }]);
  });
});

/** A review that a policy is sent: what is no creation of a pod goes to another webhook than the one that mutates. */
function isOfPolicies({ via, path, request }: Case): boolean {
  const { resource } = request;
  const isPod = isObject(resource) && resource.resource === 'pods' && (request.subResource ?? '') === '';
  const isElsewhere = path === '/mutate-pod' && !(request.operation === 'CREATE' && isPod);
  return via === undefined && Policies.paths.includes(path) && !isElsewhere;
}

function invalid(beginning: string): JsonObject {
  return { valid: false, message: expect.stringContaining(beginning) };
}

/** The answer of the plain module in Kubewarden's words. */
function asKubewarden({ object }: JsonObject, { verdict, audit, effects }: Decided): JsonObject {
  const advice = effects.map(
    (one) => `${one}: advice only, no unit was taken: a Kubewarden policy cannot write its status`,
  );
  const warnings = [...(verdict.warnings ?? []), ...(verdict.allowed ? advice : [])];
  const told = {
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(audit === undefined ? {} : { audit_annotations: audit }),
  };
  if (!verdict.allowed) {
    return { accepted: false, code: verdict.code ?? 0, message: verdict.message ?? '', ...told };
  }
  const mutated = verdict.operations.length > 0 && isObject(object) ? { mutated_object: verdict.object ?? null } : {};
  return { accepted: true, ...mutated, ...told };
}

/** Of the containers of the pod that was created; none when it was refused. */
function imagesOf(answer: unknown): string[] {
  const { accepted, mutated_object: mutated } = answer as { accepted: boolean; mutated_object?: { spec: PodSpec } };
  const { containers } = mutated?.spec ?? { containers: [{ image: 'web:1' }] };
  return accepted ? containers.map(({ image }) => image) : [];
}

type PodSpec = { containers: { image: string }[] };

const PODS = { group: '', version: 'v1', resource: 'pods' };

function pod(): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web-0',
      namespace: 'shop',
      labels: { app: 'web' },
      annotations: { 'kruise.io/related-pub': 'web' },
    },
    spec: { containers: [{ name: 'web', image: 'web:1' }] },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [{ name: 'web', image: 'web:1', imageID: 'web@sha256:1', ready: true }],
    },
  };
}

function creation(): JsonObject {
  return { uid: '1', operation: 'CREATE', namespace: 'shop', resource: PODS, object: pod() };
}

function deletion(): JsonObject {
  return { uid: '1', operation: 'DELETE', namespace: 'shop', name: 'web-0', resource: PODS, oldObject: pod() };
}

function budget(unavailableAllowed: number): JsonObject {
  return {
    apiVersion: 'policy.kruise.io/v1beta1',
    kind: 'PodUnavailableBudget',
    metadata: { name: 'web', namespace: 'shop', uid: 'b', resourceVersion: '7' },
    spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 1 },
    status: { desiredAvailable: 2, currentAvailable: 3, totalReplicas: 3, unavailableAllowed },
  };
}

/** The answers to the calls among the lines; an error is its text. */
async function ask(lines: readonly string[]): Promise<unknown[]> {
  if (host === undefined) throw new Error('there is no waPC host');
  const given = { module, lines, signal: AbortSignal.timeout(TIME_LIMIT_MS) };
  const written = await answersOf(host.command(environment), given);
  const answers: unknown[] = [];
  for (let at = 0; at < written.length; ) {
    const end = written.indexOf('\n', at);
    const [isGood, length] = written.toString('utf8', at, end).split(' ').map(Number);
    const text = written.toString('utf8', end + 1, end + 1 + (length ?? 0));
    answers.push(isGood === 1 ? parseJson(text) : text);
    at = end + 2 + (length ?? 0);
  }
  return answers;
}
