// The results of suites: a table with differences for people, JSON, JUnit XML, TAP 14, and findings for code review.

import type { Json, JsonObject } from '../../api/core/json.ts';
import { printable, printableBlock } from '../../component/printable.ts';
import { findingsAsGithub, findingsAsSarif } from '../finding-formats.ts';
import { type Finding, findingAt } from '../findings.ts';
import { type Colors, colorDiff, table } from '../output.ts';
import { renderJson } from '../render.ts';
import type { Failure } from './failures.ts';
import type { CaseResult } from './run.ts';

export type TestFormat = 'table' | 'json' | 'junit' | 'tap' | 'sarif' | 'github';

/** How many cases came out how. */
export type Counts = Readonly<Record<CaseResult['result'], number>>;

export function countsOf(results: readonly CaseResult[]): Counts {
  const of = (wanted: CaseResult['result']): number => results.filter(({ result }) => result === wanted).length;
  return { pass: of('pass'), fail: of('fail'), error: of('error'), skip: of('skip') };
}

/** `pass: 1, fail: 0, error: 0, skip: 0`. */
export function countsText(counts: Counts): string {
  return Object.entries(counts)
    .map(([word, count]) => `${word}: ${count}`)
    .join(', ');
}

/** The whole output; `coverage` is a part of JSON. */
export function resultsAs(
  format: TestFormat,
  results: readonly CaseResult[],
  { colors, coverage }: { colors: Colors; coverage: Json | undefined },
): string {
  if (format === 'json') return asJson(results, coverage);
  if (format === 'junit') return asJunit(results);
  if (format === 'tap') return asTap(results);
  if (format === 'sarif') return findingsAsSarif(results.flatMap(findingsOf));
  if (format === 'github') return findingsAsGithub(results.flatMap(findingsOf));
  return asTable(results, colors);
}

function asTable(results: readonly CaseResult[], colors: Colors): string {
  const rows = results.map((one) => [one.suite.name || one.suite.file, one.case.name, one.result, reasonOf(one)]);
  const details = results.flatMap((one) => one.failures.map((failure) => detailOf(one, failure, colors)));
  return `${table(['SUITE', 'CASE', 'RESULT', 'REASON'], rows)}${details.join('')}`;
}

function reasonOf({ reason, failures }: CaseResult): string {
  const fields = failures.map(({ field }) => field);
  return reason || (fields.length === 0 ? '' : `not as expected: ${[...new Set(fields)].join(', ')}`);
}

function detailOf(result: CaseResult, failure: Failure, colors: Colors): string {
  const { file, line, column } = placeOf(result, failure);
  const head = `${printable(file)}:${line}:${column}: ${printable(result.case.name)}: `;
  const text = `${head}${colors.red(failure.field)}: ${printableBlock(failure.message)}\n`;
  return `\n${text}${failure.diff === '' ? '' : colorDiff(failure.diff, colors)}`;
}

function placeOf({ case: one }: CaseResult, { field }: Pick<Failure, 'field'>) {
  const path = [one.expectPath, field].filter((part) => part !== '').join('.');
  return { file: one.manifest.file, ...one.manifest.position(path) };
}

function asJson(results: readonly CaseResult[], coverage: Json | undefined): string {
  const rows = results.map((one): JsonObject => {
    const { line, column } = one.case.manifest.position(caseNamePath(one));
    return {
      suite: one.suite.name,
      case: one.case.name,
      result: one.result,
      ...(one.reason === '' ? {} : { reason: one.reason }),
      file: one.case.manifest.file,
      line,
      column,
      failures: one.failures.map((failure) => failureJson(one, failure)),
    };
  });
  const summary = { ...countsOf(results) };
  return `${renderJson({ results: rows, summary, ...(coverage === undefined ? {} : { coverage }) }, 2)}\n`;
}

function failureJson(result: CaseResult, failure: Failure): JsonObject {
  const { line, column } = placeOf(result, failure);
  const { field, message, diff } = failure;
  return { field, line, column, message, ...(diff === '' ? {} : { diff }) };
}

/** The path of the case itself: that of its expectations without their member. */
function caseNamePath({ case: one }: CaseResult): string {
  return one.expectPath.replace(/\.(?:expect|assertions)$/, '');
}

function asJunit(results: readonly CaseResult[]): string {
  const suites = [...new Set(results.map(({ suite }) => suite))];
  const { fail, error, skip } = countsOf(results);
  const lines = suites.map((suite) => junitSuite(results.filter((one) => one.suite === suite)));
  const totals = `tests="${results.length}" failures="${fail}" errors="${error}" skipped="${skip}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="sluice" ${totals}>\n${lines.join('')}</testsuites>\n`;
}

function junitSuite(results: readonly CaseResult[]): string {
  const [first] = results;
  if (first === undefined) return '';
  const { fail, error, skip } = countsOf(results);
  const name = first.suite.name || first.suite.file;
  const counts = `tests="${results.length}" failures="${fail}" errors="${error}" skipped="${skip}"`;
  const cases = results.map((one) => junitCase(one, name));
  return `  <testsuite name="${xml(name)}" file="${xml(first.suite.file)}" ${counts}>\n${cases.join('')}  </testsuite>\n`;
}

function junitCase(one: CaseResult, suite: string): string {
  const { line } = one.case.manifest.position(caseNamePath(one));
  const file = xml(one.case.manifest.file);
  const head = `    <testcase classname="${xml(suite)}" name="${xml(one.case.name)}" file="${file}" line="${line}"`;
  if (one.result === 'pass') return `${head}/>\n`;
  if (one.result === 'skip') return `${head}>\n      <skipped message="${xml(one.reason)}"/>\n    </testcase>\n`;
  if (one.result === 'error') return `${head}>\n      <error message="${xml(one.reason)}"/>\n    </testcase>\n`;
  const text = one.failures.map((failure) => failureText(failure)).join('\n');
  return `${head}>\n      <failure message="${xml(reasonOf(one))}">${xml(text)}</failure>\n    </testcase>\n`;
}

function failureText({ field, message, diff }: Failure): string {
  return `${field}: ${message}\n${diff}`.trimEnd();
}

// What XML 1.0 has no character for is written as an escape.
function xml(text: string): string {
  const shown = printableBlock(text);
  return shown.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function asTap(results: readonly CaseResult[]): string {
  const lines = results.map((one, index) => {
    const isOk = one.result === 'pass' || one.result === 'skip';
    const name = tapText(`${one.suite.name || one.suite.file}: ${one.case.name}`);
    const directive = one.result === 'skip' ? ` # SKIP ${tapText(one.reason)}` : '';
    return `${isOk ? 'ok' : 'not ok'} ${index + 1} - ${name}${directive}\n${isOk ? '' : tapDetails(one)}`;
  });
  return `TAP version 14\n1..${results.length}\n${lines.join('')}`;
}

function tapText(text: string): string {
  return printable(text).replaceAll('\\', '\\\\').replaceAll('#', '\\#');
}

// JSON is YAML: the block needs no rules of its own.
function tapDetails(one: CaseResult): string {
  const at = `${one.case.manifest.file}:${one.case.manifest.position(caseNamePath(one)).line}`;
  const failures = one.failures.map(failureText);
  const message = one.result === 'error' ? one.reason : failures.join('\n');
  return `  ---\n  message: ${renderJson(message)}\n  severity: ${one.result}\n  at: ${renderJson(at)}\n  ...\n`;
}

function findingsOf(one: CaseResult): Finding[] {
  const name = `${one.suite.name || one.suite.file}: ${one.case.name}`;
  const { manifest, expectPath } = one.case;
  if (one.result === 'error') {
    return [findingAt({ manifest, objectPath: caseNamePath(one), name }, { rule: 'test-failed', message: one.reason })];
  }
  return one.failures.map((failure) => {
    const text = failureText({ ...failure, field: failure.field }).slice(failure.field.length + 2);
    return findingAt(
      { manifest, objectPath: expectPath, name },
      { rule: 'test-failed', field: failure.field, message: text },
    );
  });
}
