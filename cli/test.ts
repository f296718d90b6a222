// `sluice test`: runs suites of policy tests.

import { writeFile } from 'node:fs/promises';
import { InputError } from '../component/errors.ts';
import { describing } from '../component/file-faults.ts';
import { fieldError } from '../component/manifests.ts';
import { printable } from '../component/printable.ts';
import { EXIT, type Host } from './host.ts';
import { type ColorMode, colorsFor } from './output.ts';
import { type Coverage, coverageJson, coverageOf, coveragePercent, coverageText } from './suites/coverage.ts';
import { findSuites } from './suites/find.ts';
import { countsOf, countsText, resultsAs, type TestFormat } from './suites/formats.ts';
import { recordedFiles } from './suites/record.ts';
import { type CaseResult, runSuite, unaskedFacts } from './suites/run.ts';
import type { Suite } from './suites/suite.ts';

export type TestOptions = {
  run?: RegExp;
  update?: boolean;
  coverage?: boolean;
  /** Percent. */
  coverageThreshold?: number;
  allowEmpty?: boolean;
  output: TestFormat;
  color: ColorMode;
};

/**
 * Runs the suites of all paths. Exits with 1 if a case fails or too little is covered, with 2 if one cannot be run or there
 * is none. Throws InputError for what is wrong in suites and their files.
 */
export async function runTest(host: Host, paths: readonly string[], options: TestOptions): Promise<number> {
  const recording = options.update === true;
  const suites = await findSuites(paths.length === 0 ? ['.'] : paths, { stdin: host.stdin, recording });
  const ran = await runAll(host, suites, options.run);
  if (ran.length === 0 && options.allowEmpty !== true) throw new InputError(nothingToRun(suites, paths, options.run));
  const results = recording ? await record(host, ran) : ran;
  const { coverageThreshold: threshold } = options;
  const coverage = options.coverage === true || threshold !== undefined ? coverageOf(results) : undefined;
  const colors = colorsFor(host.stdout, options.color, host.environment);
  const json = coverage === undefined ? undefined : coverageJson(coverage);
  host.stdout.write(resultsAs(options.output, results, { colors, coverage: json }));
  if (coverage !== undefined && options.output !== 'json') {
    const sink = options.output === 'table' ? host.stdout : host.stderr;
    sink.write(`\n${coverageText(coverage)}`);
  }
  for (const { manifest, path } of unaskedFacts(suites, ran)) {
    host.stderr.write(`warning: ${fieldError(manifest, path, 'nothing asked for it').describe()}\n`);
  }
  const counts = countsOf(results);
  host.stderr.write(`${countsText(counts)}\n`);
  if (counts.error > 0) return EXIT.usage;
  const isShort = isBelow(host, coverage, threshold);
  return counts.fail > 0 || isShort ? EXIT.denied : EXIT.allowed;
}

function isBelow(host: Host, coverage: Coverage | undefined, threshold: number | undefined): boolean {
  if (coverage === undefined || threshold === undefined) return false;
  const percent = coveragePercent(coverage);
  if (percent >= threshold) return false;
  host.stderr.write(`coverage ${percent}% is below ${threshold}%\n`);
  return true;
}

async function runAll(host: Host, suites: readonly Suite[], run: RegExp | undefined): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  for (const suite of suites) {
    const isWanted = (name: string): boolean => run === undefined || run.test(`${suite.name}/${name}`);
    results.push(...(await runSuite(host, suite, ({ name }) => isWanted(name))));
  }
  return results;
}

function nothingToRun(suites: readonly Suite[], paths: readonly string[], run: RegExp | undefined): string {
  const places = paths.length === 0 ? 'this folder' : paths.join(', ');
  if (suites.length === 0)
    return `no suite in ${places}: expected a file with kind: PolicyTest (--allow-empty accepts none)`;
  if (run === undefined) return `no case in ${places} (--allow-empty accepts none)`;
  return `no case in ${places} matches --run ${run.source} (suite/case; --allow-empty accepts none)`;
}

/** Writes what the cases showed into their files; what could be written passes from now on. */
async function record(host: Host, results: readonly CaseResult[]): Promise<CaseResult[]> {
  const { files, recorded, refused } = await recordedFiles(results);
  for (const [file, text] of files) {
    await describing(file, () => writeFile(file, text), 'cannot be written');
  }
  for (const [file, why] of refused)
    host.stderr.write(`warning: ${printable(file)}: not recorded: ${printable(why)}\n`);
  const count = recorded.size;
  host.stderr.write(`recorded ${count} ${count === 1 ? 'case' : 'cases'}\n`);
  return results.map((one) => {
    const left = one.failures.filter(({ recorded: value }) => value === undefined);
    if (!recorded.has(one)) return one;
    return {
      ...one,
      result: left.length === 0 ? 'pass' : 'fail',
      reason: left.length === 0 ? 'recorded' : '',
      failures: left,
    };
  });
}
