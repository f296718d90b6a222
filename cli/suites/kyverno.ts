// Reads the test files of Kyverno's command line, as far as they are about what Sluice decides: `policies` are our policy
// objects, `resources` are reviewed, and each result says what must come of one resource.

import type { JsonObject } from '../../api/core/json.ts';
import type { Manifest } from '../../component/manifests.ts';
import { describeObject, kindNameOf, nameOf, namespaceOf } from '../resources.ts';
import { hasPodTemplate } from '../workloads.ts';
import { type Faults, Fields } from './fields.ts';
import type { SuiteFiles } from './files.ts';
import { DEFAULT_NOW_MS, DEFAULT_SYSTEM_NAMESPACE, type Expectation, type Suite, type SuiteCase } from './suite.ts';

const RESULTS = ['pass', 'fail', 'skip', 'warn'] as const;
type Result = (typeof RESULTS)[number];

type Given = { files: SuiteFiles; policies: readonly Manifest[]; resources: readonly Manifest[] };

export function isKyvernoTest({ apiVersion, kind }: JsonObject): boolean {
  return kind === 'Test' && typeof apiVersion === 'string' && apiVersion.startsWith('cli.kyverno.io/');
}

/** A case for each resource of each result. Members that would change the answer and are not known are faults. */
export async function readKyvernoTest(
  manifest: Manifest,
  { files, faults }: { files: SuiteFiles; faults: Faults },
): Promise<Suite> {
  const root = new Fields(manifest, faults);
  const names = [root.text('apiVersion'), root.text('kind'), root.text('name')];
  const name = root.part('metadata')?.requiredText('name') ?? names[2] ?? '';
  const policies = await objectsIn(root, 'policies', files);
  const resources = await objectsIn(root, 'resources', files);
  const results = root.parts('results');
  if (results.length === 0 && root.json('results') === undefined) root.fault('results', 'required');
  root.end();
  const cases: SuiteCase[] = [];
  for (const result of results) cases.push(...(await casesOf(result, { files, policies, resources })));
  return { name, file: manifest.file, dialect: 'Kyverno', cases };
}

async function objectsIn(fields: Fields, name: string, files: SuiteFiles): Promise<Manifest[]> {
  const objects: Manifest[] = [];
  for (const [index, path] of fields.texts(name).entries()) {
    objects.push(...(await files.objects(fields, `${name}[${index}]`, path)));
  }
  return objects;
}

async function casesOf(fields: Fields, { files, policies, resources }: Given): Promise<SuiteCase[]> {
  const policy = fields.requiredText('policy');
  const rule = fields.text('rule');
  const kind = fields.text('kind');
  const namespace = fields.text('namespace');
  const result = fields.oneOf('result', RESULTS);
  if (result === undefined && fields.json('result') === undefined) fields.fault('result', 'required');
  const patched = await patchedResource(fields, files);
  const wanted = [...fields.texts('resources'), ...[fields.text('resource') ?? []].flat()];
  if (wanted.length === 0) fields.fault('resources', 'required');
  fields.end();
  if (!policies.some(({ object }) => nameOf(object) === policy)) {
    fields.fault('policy', `none of the files in policies has an object ${JSON.stringify(policy)}`);
  }
  return wanted.flatMap((text) => {
    const found = resources.filter(({ object }) => isWanted(object, { text, kind, namespace }));
    if (found.length === 0) fields.fault('resources', `none of the files in resources has ${JSON.stringify(text)}`);
    return found.map((input) => ({
      name: [policy, rule, describeObject(input.object)].filter((part) => part !== undefined).join(' / '),
      manifest: fields.manifest,
      expectPath: fields.path,
      input,
      operation: 'CREATE' as const,
      path: undefined,
      namespace: undefined,
      nowMs: DEFAULT_NOW_MS,
      featureGates: '',
      systemNamespace: DEFAULT_SYSTEM_NAMESPACE,
      objects: [...policies, ...resources.filter(({ object }) => object.kind === 'Namespace')],
      facts: [],
      continues: false,
      skip: undefined,
      expect: { ...expectationOf(result, policy, input.object), object: patched },
    }));
  });
}

// A policy that does not apply to a resource is skipped; the words of explanations say the same.
function expectationOf(result: Result | undefined, policy: string, object: JsonObject): Expectation {
  if (result === 'fail') return { verdict: 'denied' };
  if (result === 'warn') return { verdict: 'allowed', warned: true };
  const isExplained = object.kind === 'Pod' || hasPodTemplate(object);
  const explanation = [{ name: policy, matched: result === 'pass' }];
  return { verdict: 'allowed', ...(isExplained && { explanation }) };
}

async function patchedResource(fields: Fields, files: SuiteFiles): Promise<Expectation['object']> {
  for (const name of ['patchedResources', 'patchedResource']) {
    const path = fields.text(name);
    const document = path === undefined ? undefined : await files.document(fields, name, path);
    if (document !== undefined) return { value: document.object, file: document.file };
  }
  return undefined;
}

type Wanted = { text: string; kind: string | undefined; namespace: string | undefined };

// `name` or `namespace/name`.
function isWanted(object: JsonObject, { text, kind, namespace }: Wanted): boolean {
  const slash = text.lastIndexOf('/');
  const place = slash < 0 ? namespace : text.slice(0, slash);
  const isOfKind = kind === undefined || kindNameOf(object).kind === kind;
  return isOfKind && nameOf(object) === text.slice(slash + 1) && (place === undefined || namespaceOf(object) === place);
}
