// Findings as text for people, JSON, SARIF 2.1.0 for code scanning, and workflow commands for GitHub Actions.

import { isAbsolute, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Json, JsonObject } from '../api/core/json.ts';
import { printable, printableBlock } from '../component/printable.ts';
import packageFile from '../package.json' with { type: 'json' };
import { type Finding, RULES, type Rule } from './findings.ts';
import type { Colors } from './output.ts';
import { renderJson } from './render.ts';

/** `file:line:column: level: field: message`, one a line. */
export function findingsAsText(findings: readonly Finding[], colors: Colors): string {
  const color = { error: colors.red, warning: colors.yellow };
  return findings
    .map((finding) => {
      const { file, line, column, level } = finding;
      const text = printableBlock(`${sentence(finding)} (${finding.object})`).replaceAll('\n', '\n  ');
      return `${printable(file)}:${line}:${column}: ${color[level](level)}: ${text}\n`;
    })
    .join('');
}

/** One object with the findings and what is said of them all. */
export function findingsAsJson(findings: readonly Finding[], summary: JsonObject): string {
  return `${renderJson({ findings: findings.map((finding) => ({ ...finding })), summary }, 2)}\n`;
}

/** Workflow commands: GitHub shows each beside the line that it names. */
export function findingsAsGithub(findings: readonly Finding[]): string {
  return findings
    .map((finding) => {
      const { level, file, line, column, object } = finding;
      const place = file === '-' ? '' : `file=${property(file)},line=${line},col=${column},`;
      return `::${level} ${place}title=${property(printable(object))}::${commandText(printableBlock(sentence(finding)))}\n`;
    })
    .join('');
}

/** A SARIF 2.1.0 log with one run. */
export function findingsAsSarif(findings: readonly Finding[]): string {
  const used = [...new Set(findings.map(({ rule }) => rule))].sort();
  const driver = {
    name: 'sluice',
    version: packageFile.version,
    rules: used.map((id) => ({ id, shortDescription: { text: RULES[id] } })),
  };
  const log: JsonObject = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver },
        columnKind: 'utf16CodeUnits',
        results: findings.map((finding) => sarifResult(finding, used)),
      },
    ],
  };
  return `${renderJson(log, 2)}\n`;
}

function sarifResult(finding: Finding, used: readonly Rule[]): Json {
  const { level, rule, file, line, column, field, object } = finding;
  return {
    ruleId: rule,
    ruleIndex: used.indexOf(rule),
    level,
    message: { text: printableBlock(sentence(finding)) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(file) },
          region: { startLine: line, startColumn: column },
        },
        logicalLocations: [
          { fullyQualifiedName: [object, field].filter((part) => part !== '').join(' '), kind: 'member' },
        ],
      },
    ],
  };
}

function sentence({ field, message }: Finding): string {
  return field === '' ? message : `${field}: ${message}`;
}

// Relative paths stay relative: code scanning resolves them in the repository.
function uriOf(file: string): string {
  if (file === '-') return 'stdin';
  if (isAbsolute(file)) return pathToFileURL(file).href;
  const path = file.split(sep).filter((part) => part !== '.');
  return path.map((part) => encodeURIComponent(part)).join('/');
}

function commandText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return commandText(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
