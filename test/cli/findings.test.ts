// The formats of findings: JSON, SARIF by its structure, and GitHub's workflow commands.

import { describe, expect, it } from 'vitest';
import { loadAdmission, loadKindAdmission } from '../../cli/evaluator.ts';
import { findingsAsGithub, findingsAsSarif, findingsAsText } from '../../cli/finding-formats.ts';
import { type Finding, RULES } from '../../cli/findings.ts';
import { colorsFor } from '../../cli/output.ts';
import { run } from './stand-in.ts';

const broken = `apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: {name: mesh}
spec:
  containers: [{name: a, image: x}]
  more: 1
`;
const lint = (format: string) => run(['lint', '-f', '-', '-o', format], { stdin: broken, loadKindAdmission });

const finding: Finding = {
  level: 'error',
  rule: 'invalid-value',
  file: 'deploy/a b,c:100%.yaml',
  line: 3,
  column: 7,
  field: 'spec.x',
  message: 'Invalid value: "100%, a:\u001b[2J"\nsecond line',
  object: 'SidecarSet mesh',
};

describe('JSON', () => {
  it('has every finding with place, field and rule, and the numbers', async () => {
    const { code, stdout, stderr } = await lint('json');
    expect([code, stderr]).toEqual([1, '1 object checked, 1 error, 1 warning, 0 skipped\n']);
    expect(JSON.parse(stdout)).toEqual({
      findings: [
        {
          level: 'warning',
          rule: 'unknown-field',
          file: '-',
          line: 6,
          column: 3,
          field: 'spec.more',
          message: 'unknown field, which is dropped',
          object: 'SidecarSet mesh',
        },
        {
          level: 'error',
          rule: 'required-value',
          file: '-',
          line: 4,
          column: 1,
          field: 'spec.selector',
          message: 'Required value: no selector defined for SidecarSet',
          object: 'SidecarSet mesh',
        },
      ],
      summary: { checked: 1, errors: 1, warnings: 1, skipped: 0 },
    });
  });
});

describe('GitHub workflow commands', () => {
  it('escape what separates their parts, and hold no control characters', () => {
    expect(findingsAsGithub([finding])).toBe(
      '::error file=deploy/a b%2Cc%3A100%25.yaml,line=3,col=7,title=SidecarSet mesh::' +
        'spec.x: Invalid value: "100%25, a:\\u001b[2J"%0Asecond line\n',
    );
  });

  it('name no file for standard input', () => {
    expect(findingsAsGithub([{ ...finding, level: 'warning', file: '-', message: 'm' }])).toBe(
      '::warning title=SidecarSet mesh::spec.x: m\n',
    );
  });

  it('cannot be forged by a message or a file name', () => {
    const text = findingsAsGithub([{ ...finding, file: 'a\n::error::x', message: '\n::set-env name=A::b' }]);
    expect(text.match(/^::/gm)).toHaveLength(1);
  });
});

describe('text', () => {
  it('is one line for each line of a message, the first with the place', () => {
    const colors = colorsFor({ write: () => undefined, isTerminal: false, columns: undefined }, 'never', {});
    expect(findingsAsText([finding], colors)).toBe(
      'deploy/a b,c:100%.yaml:3:7: error: spec.x: Invalid value: "100%, a:\\u001b[2J"\n  second line (SidecarSet mesh)\n',
    );
  });
});

type SarifLog = {
  $schema: string;
  version: string;
  runs: {
    tool: { driver: { name: string; version: string; rules: { id: string; shortDescription: { text: string } }[] } };
    columnKind: string;
    results: {
      ruleId: string;
      ruleIndex: number;
      level: string;
      message: { text: string };
      locations: {
        physicalLocation: {
          artifactLocation: { uri: string };
          region: { startLine: number; startColumn: number };
        };
        logicalLocations: { fullyQualifiedName: string; kind: string }[];
      }[];
    }[];
  }[];
};

/** What the schema of SARIF 2.1.0 asks of the parts that are written; returns the results. */
function expectSarif(text: string): SarifLog['runs'][number]['results'] {
  const log = JSON.parse(text) as SarifLog;
  expect(Object.keys(log)).toEqual(['$schema', 'version', 'runs']);
  expect(log.version).toBe('2.1.0');
  expect(log.runs).toHaveLength(1);
  const [{ tool, results, columnKind } = expect.fail('no run')] = log.runs;
  expect(tool.driver.name).toBe('sluice');
  expect(columnKind).toBe('utf16CodeUnits');
  const ids = tool.driver.rules.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { shortDescription } of tool.driver.rules) expect(shortDescription.text).toMatch(/\.$/);
  for (const { ruleId, ruleIndex, level, message, locations } of results) {
    expect(ids[ruleIndex]).toBe(ruleId);
    expect(['error', 'warning']).toContain(level);
    expect(message.text).not.toBe('');
    for (const { physicalLocation, logicalLocations } of locations) {
      const { artifactLocation, region } = physicalLocation;
      expect(URL.canParse(artifactLocation.uri, 'file:///repository/')).toBe(true);
      expect(artifactLocation.uri).not.toMatch(/[\s,]/);
      expect(Math.min(region.startLine, region.startColumn)).toBeGreaterThanOrEqual(1);
      for (const { fullyQualifiedName, kind } of logicalLocations)
        expect([fullyQualifiedName === '', kind]).toEqual([false, 'member']);
    }
  }
  return results;
}

describe('SARIF', () => {
  it('is a valid log without findings', () => {
    expect(expectSarif(findingsAsSarif([]))).toEqual([]);
  });

  it('is a valid log with a finding of every rule, whatever the file is called', () => {
    const rules = Object.keys(RULES) as (keyof typeof RULES)[];
    const files = ['a b.yaml', '/tmp/ä#?.yaml', '-', './x/y.yaml', 'c:d.yaml'];
    const all = rules.flatMap((rule) => files.map((file) => ({ ...finding, rule, file })));
    expect(expectSarif(findingsAsSarif(all))).toHaveLength(all.length);
  });

  it('is what lint prints', async () => {
    const { code, stdout } = await lint('sarif');
    expect(code).toBe(1);
    const results = expectSarif(stdout);
    expect(results.map(({ ruleId, level }) => [ruleId, level])).toEqual([
      ['unknown-field', 'warning'],
      ['required-value', 'error'],
    ]);
  });

  it('keeps relative paths relative', () => {
    const [result] = expectSarif(findingsAsSarif([{ ...finding, file: './deploy/a b.yaml' }]));
    expect(result?.locations[0]?.physicalLocation.artifactLocation.uri).toBe('deploy/a%20b.yaml');
  });
});

describe('review', () => {
  const review = (stdin: string, format: string) => run(['review', '-f', '-', '-o', format], { stdin, loadAdmission });

  it('prints refusals with their places as GitHub commands', async () => {
    const { code, stdout } = await review(broken, 'github');
    expect([code, stdout]).toEqual([
      1,
      '::error title=SidecarSet mesh::spec.selector: Required value: no selector defined for SidecarSet\n',
    ]);
  });

  it('prints refusals of several objects as one SARIF log', async () => {
    const { code, stdout } = await review(`${broken}---\n${broken.replace('mesh', 'logs')}`, 'sarif');
    expect(code).toBe(1);
    const places = expectSarif(stdout).map(({ locations }) => locations[0]?.physicalLocation.region);
    expect(places).toEqual([
      { startLine: 4, startColumn: 1 },
      { startLine: 11, startColumn: 1 },
    ]);
  });

  it('prints a log without results for what is allowed', async () => {
    const { code, stdout } = await review('{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}', 'sarif');
    expect(code).toBe(0);
    expect(expectSarif(stdout)).toEqual([]);
  });

  it('shows warnings as such', async () => {
    const { stdout } = await run(['review', '-f', '-', '-o', 'github'], {
      stdin: '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}',
      rules: { '/mutate-pod': () => ({ warnings: ['metadata.name: short'] }) },
    });
    expect(stdout).toBe('::warning title=Pod default/a::metadata.name: short\n');
  });
});
