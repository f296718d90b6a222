// Prints the closing line of CI from the test runner's JSON report: `N passed, N failed`. Exits 1 on failures or when no
// test ran.

import { readFile } from 'node:fs/promises';

type Report = { numPassedTests: number; numFailedTests: number; numFailedTestSuites: number; success: boolean };

const [path] = process.argv.slice(2);
const text = path === undefined ? '' : await readFile(path, 'utf8').catch(() => '');
const report: Report =
  text === ''
    ? { numPassedTests: 0, numFailedTests: 0, numFailedTestSuites: 0, success: false }
    : (JSON.parse(text) as Report);
const { numPassedTests: passed, success } = report;
// A file that fails outside of its tests counts as one failure.
const failed = Math.max(report.numFailedTests, success ? 0 : 1);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
