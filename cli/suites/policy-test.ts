// Reads `kind: PolicyTest` (docs/guide/policy-tests.md).

import { isObject, type Json } from '../../api/core/json.ts';
import { effectiveGates, GateError, parseGates } from '../../api/gates.ts';
import { InputError } from '../../component/errors.ts';
import { kindOfJson, type Manifest, objectsOf, partOf } from '../../component/manifests.ts';
import { timeOf } from '../options.ts';
import { readExpectation } from './expectation.ts';
import { readFacts } from './facts.ts';
import type { Faults } from './fields.ts';
import { Fields } from './fields.ts';
import type { SuiteFiles } from './files.ts';
import { DEFAULT_NOW_MS, DEFAULT_SYSTEM_NAMESPACE, type Suite, type SuiteCase } from './suite.ts';

export const POLICY_TEST_VERSION = 'sluice.dev/v1alpha1';

/** What cases take from the suite unless they say it themselves. */
type Settings = Pick<SuiteCase, 'nowMs' | 'featureGates' | 'systemNamespace' | 'namespace' | 'objects' | 'facts'>;

const DEFAULTS: Settings = {
  nowMs: DEFAULT_NOW_MS,
  featureGates: '',
  systemNamespace: DEFAULT_SYSTEM_NAMESPACE,
  namespace: undefined,
  objects: [],
  facts: [],
};

/** The suite of a document; what is wrong goes to the faults. `recording` allows cases without expectations. */
export async function readPolicyTest(
  manifest: Manifest,
  { files, faults, recording }: { files: SuiteFiles; faults: Faults; recording: boolean },
): Promise<Suite> {
  const root = new Fields(manifest, faults);
  if (root.text('apiVersion') !== POLICY_TEST_VERSION) {
    root.fault('apiVersion', `expected ${POLICY_TEST_VERSION}`);
  }
  root.text('kind');
  const metadata = root.part('metadata');
  const name = metadata?.requiredText('name') ?? '';
  if (metadata === undefined) root.fault('metadata', 'required');
  metadata?.json('labels');
  metadata?.json('annotations');
  metadata?.end();
  const settings = await readSettings(root, DEFAULTS, files);
  const parts = root.parts('cases');
  if (root.json('cases') === undefined) root.fault('cases', 'required');
  root.end();
  const cases: SuiteCase[] = [];
  for (const part of parts) {
    const one = await readCase(part, settings, { files, recording });
    if (cases.some((other) => other.name === one?.name)) part.fault('name', 'another case has this name');
    if (one?.continues === true && cases.length === 0) part.fault('continues', 'there is no case before the first one');
    if (one !== undefined) cases.push(one);
  }
  return { name, file: manifest.file, dialect: 'PolicyTest', cases };
}

async function readCase(
  fields: Fields,
  suite: Settings,
  { files, recording }: { files: SuiteFiles; recording: boolean },
): Promise<SuiteCase | undefined> {
  const name = fields.requiredText('name');
  const input = await readInput(fields, files);
  const operation = fields.oneOf('operation', ['CREATE', 'UPDATE', 'DELETE']) ?? 'CREATE';
  const path = fields.text('path');
  const continues = fields.boolean('continues') ?? false;
  const skip = fields.text('skip');
  const settings = await readSettings(fields, continues ? { ...suite, objects: [] } : suite, files);
  for (const member of ['featureGates', 'systemNamespace']) {
    if (continues && fields.json(member) !== undefined) {
      fields.fault(member, 'a case that continues another has its settings');
    }
  }
  const expect = await readExpectation(fields, { files, recording });
  fields.end();
  if (input === undefined) return undefined;
  const { manifest } = fields;
  const at = { manifest, expectPath: fields.at('expect') };
  return { name, ...at, input, operation, path, ...settings, continues, skip, expect };
}

async function readSettings(fields: Fields, outer: Settings, files: SuiteFiles): Promise<Settings> {
  const now = fields.text('now');
  const nowMs = now === undefined ? outer.nowMs : timeOf(now);
  if (nowMs === undefined)
    fields.fault('now', `expected a time such as 2026-07-01T08:00:00Z, got ${JSON.stringify(now)}`);
  return {
    nowMs: nowMs ?? outer.nowMs,
    featureGates: [outer.featureGates, ...readGates(fields)].filter((text) => text !== '').join(','),
    systemNamespace: fields.text('systemNamespace') ?? outer.systemNamespace,
    namespace: fields.text('namespace') ?? outer.namespace,
    objects: [...outer.objects, ...(await readObjects(fields, files))],
    facts: [...readFacts(fields), ...outer.facts],
  };
}

function readGates(fields: Fields): string[] {
  const gates = fields.part('featureGates');
  return Object.keys(gates?.object ?? {}).flatMap((name) => {
    const value = gates?.boolean(name);
    if (value === undefined) return [];
    const text = `${name}=${value}`;
    try {
      effectiveGates(parseGates(text));
      return [text];
    } catch (error) {
      if (!(error instanceof GateError)) throw error;
      gates?.fault(name, error.message);
      return [];
    }
  });
}

/** Paths of files and folders, and objects as they stand. */
async function readObjects(fields: Fields, files: SuiteFiles): Promise<Manifest[]> {
  const objects: Manifest[] = [];
  for (const [index, value] of (fields.list('objects') ?? []).entries()) {
    const name = `objects[${index}]`;
    if (typeof value === 'string') objects.push(...(await files.objects(fields, name, value)));
    else objects.push(...inlineObjects(fields, name, value));
  }
  return objects;
}

function inlineObjects(fields: Fields, name: string, value: Json): Manifest[] {
  if (!isObject(value)) {
    fields.fault(name, `expected an object or the path of a file, got ${kindOfJson(value)}`);
    return [];
  }
  try {
    return objectsOf(partOf(fields.manifest, fields.at(name), value));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    fields.add(error);
    return [];
  }
}

async function readInput(fields: Fields, files: SuiteFiles): Promise<Manifest | undefined> {
  const value = fields.json('input');
  if (typeof value === 'string') return await files.document(fields, 'input', value);
  if (isObject(value)) return partOf(fields.manifest, fields.at('input'), value);
  fields.fault(
    'input',
    value === undefined ? 'required' : `expected an object or the path of a file, got ${kindOfJson(value)}`,
  );
  return undefined;
}
