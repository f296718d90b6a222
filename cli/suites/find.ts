// Finds the suites in files and folders, in all dialects.

import { InputError } from '../../component/errors.ts';
import { filesOf, type Manifest, parseDocuments, readBytes } from '../../component/manifests.ts';
import { Faults } from './fields.ts';
import { SuiteFiles } from './files.ts';
import { isGatekeeperSuite, readGatekeeperSuite } from './gatekeeper.ts';
import { isKyvernoTest, readKyvernoTest } from './kyverno.ts';
import { POLICY_TEST_VERSION, readPolicyTest } from './policy-test.ts';
import type { Suite } from './suite.ts';

/** Files without any of these hold no suite and are not read further: folders hold all sorts of YAML. */
const MARKS = /\bPolicyTest\b|\bcli\.kyverno\.io\/|\btest\.gatekeeper\.sh\//;

type Reading = { files: SuiteFiles; faults: Faults; recording: boolean };

/**
 * The suites of all paths, in order. A file that is named must hold one, folders are searched. `recording` allows cases
 * without expectations. Throws InputError with all that is wrong in them.
 */
export async function findSuites(
  paths: readonly string[],
  { stdin, recording }: { stdin: AsyncIterable<Uint8Array>; recording: boolean },
): Promise<Suite[]> {
  const reading = { files: new SuiteFiles(), faults: new Faults(), recording };
  const suites: Suite[] = [];
  for (const path of paths) {
    // As Go's tools have it: everything below. Folders are always searched to the bottom.
    const root = path.endsWith('/...') ? path.slice(0, -'/...'.length) || '/' : path;
    for (const file of await filesOf(root)) {
      const bytes = await readBytes(file, { stdin });
      const isNamed = file === root;
      if (!isNamed && !MARKS.test(new TextDecoder().decode(bytes))) continue;
      const found = (await parseDocuments(bytes, file)).flatMap((document) => readerOf(document) ?? []);
      if (isNamed && found.length === 0) throw new InputError('holds no suite: expected kind: PolicyTest', { file });
      for (const read of found) suites.push(await read(reading));
    }
  }
  reading.faults.throwIfAny();
  return suites;
}

function readerOf(document: Manifest): ((reading: Reading) => Promise<Suite>) | undefined {
  const { object } = document;
  if (object.kind === 'PolicyTest' || object.apiVersion === POLICY_TEST_VERSION) {
    return (reading) => readPolicyTest(document, reading);
  }
  if (isKyvernoTest(object)) return (reading) => readKyvernoTest(document, reading);
  return isGatekeeperSuite(object) ? (reading) => readGatekeeperSuite(document, reading) : undefined;
}
