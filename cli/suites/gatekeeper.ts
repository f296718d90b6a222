// Reads the suites of Gatekeeper's gator, as far as they are about what Sluice decides: `constraint` and `inventory` name
// our policy objects and the cluster, `object` is reviewed, and `violations` say whether it is refused.

import { isNumber, type Json, type JsonObject, numberText } from '../../api/core/json.ts';
import type { Manifest } from '../../component/manifests.ts';
import { type Faults, Fields } from './fields.ts';
import type { SuiteFiles } from './files.ts';
import { DEFAULT_NOW_MS, DEFAULT_SYSTEM_NAMESPACE, type Expectation, type Suite, type SuiteCase } from './suite.ts';

export function isGatekeeperSuite({ apiVersion, kind }: JsonObject): boolean {
  return kind === 'Suite' && typeof apiVersion === 'string' && apiVersion.startsWith('test.gatekeeper.sh/');
}

/** A case for each of the cases of its tests. Members that would change the answer and are not known are faults. */
export async function readGatekeeperSuite(
  manifest: Manifest,
  { files, faults }: { files: SuiteFiles; faults: Faults },
): Promise<Suite> {
  const root = new Fields(manifest, faults);
  root.json('apiVersion');
  root.json('kind');
  const name = root.part('metadata')?.text('name') ?? '';
  const isSkipped = root.boolean('skip') ?? false;
  const tests = root.parts('tests');
  if (root.json('tests') === undefined) root.fault('tests', 'required');
  root.end();
  const cases: SuiteCase[] = [];
  for (const test of tests) cases.push(...(await casesOf(test, files, isSkipped)));
  return { name, file: manifest.file, dialect: 'Gatekeeper', cases };
}

async function casesOf(test: Fields, files: SuiteFiles, isSkipped: boolean): Promise<SuiteCase[]> {
  const name = test.requiredText('name');
  const isTestSkipped = (test.boolean('skip') ?? false) || isSkipped;
  const policies: Manifest[] = [];
  for (const member of ['template', 'constraint']) policies.push(...(await policiesIn(test, member, files)));
  const parts = test.parts('cases');
  test.end();
  const cases: SuiteCase[] = [];
  for (const part of parts) {
    const title = `${name} / ${part.requiredText('name')}`;
    const skip = (part.boolean('skip') ?? false) || isTestSkipped ? 'skip: true' : undefined;
    const path = part.requiredText('object');
    const input = path === '' ? undefined : await files.document(part, 'object', path);
    const inventory: Manifest[] = [];
    for (const [index, file] of part.texts('inventory').entries()) {
      inventory.push(...(await files.objects(part, `inventory[${index}]`, file)));
    }
    const expect = readAssertions(part);
    part.end();
    if (input === undefined) continue;
    cases.push({
      name: title,
      manifest: part.manifest,
      expectPath: part.at('assertions'),
      input,
      operation: 'CREATE',
      path: undefined,
      namespace: undefined,
      nowMs: DEFAULT_NOW_MS,
      featureGates: '',
      systemNamespace: DEFAULT_SYSTEM_NAMESPACE,
      objects: [...policies, ...inventory],
      facts: [],
      continues: false,
      skip,
      expect,
    });
  }
  return cases;
}

async function policiesIn(test: Fields, member: string, files: SuiteFiles): Promise<readonly Manifest[]> {
  const path = test.text(member);
  if (path === undefined) return [];
  const found = await files.objects(test, member, path);
  if (found.some(({ object }) => object.kind === 'ConstraintTemplate')) {
    test.fault(member, 'a ConstraintTemplate is code of another engine: expected policy objects, such as a SidecarSet');
    return [];
  }
  return found;
}

/** What all assertions together say. */
function readAssertions(part: Fields): Expectation {
  const assertions = part.parts('assertions');
  if (assertions.length === 0) part.fault('assertions', 'required');
  const verdicts = new Set<'allowed' | 'denied'>();
  const patterns: string[] = [];
  for (const assertion of assertions) {
    const verdict = readViolations(assertion, assertion.json('violations'));
    const pattern = assertion.text('message');
    assertion.end();
    if (verdict !== undefined) verdicts.add(verdict);
    if (pattern === undefined) continue;
    if (verdict === 'allowed') assertion.fault('message', 'an allowed object has no message');
    else if (isPattern(assertion, pattern)) patterns.push(pattern);
  }
  if (verdicts.size > 1) part.fault('assertions', 'an object cannot be both refused and allowed');
  const [verdict] = verdicts;
  const all = patterns.map((pattern) => `(?=[^]*(?:${pattern}))`).join('');
  return { verdict, ...(patterns.length > 0 && { message: { matches: new RegExp(`^${all}`, 'u') } }) };
}

function readViolations(assertion: Fields, value: Json | undefined): 'allowed' | 'denied' | undefined {
  if (value === undefined || value === true || value === 'yes') return 'denied';
  if (value === false || value === 'no') return 'allowed';
  const count = isNumber(value) ? numberText(value) : value;
  if (count === '0') return 'allowed';
  if (count === '1') return 'denied';
  assertion.fault('violations', 'expected yes, no, 0 or 1: admission refuses an object once');
  return undefined;
}

function isPattern(assertion: Fields, pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch (error) {
    assertion.fault('message', (error as SyntaxError).message);
    return false;
  }
}
