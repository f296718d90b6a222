// Reference pages in Markdown, made from the descriptions of kinds and from the table of feature gates.
import type { TSchema } from 'typebox';
import { isRequiredField } from '../api/core/openapi.ts';
import {
  type AnyStruct,
  type Field,
  type Fields,
  type ListSchema,
  type MapSchema,
  wiredOf,
} from '../api/core/schema.ts';
import type { Gate } from '../api/gates.ts';
import type { KindDescription, VersionDescription } from '../api/kinds/kind.ts';

const kubernetesDocs: ReadonlyMap<string, string> = new Map([
  ['v1.Container', 'a container of a pod'],
  ['v1.Volume', 'a volume of a pod'],
  ['v1.LabelSelector', 'label selector'],
  ['v1.PodTemplateSpec', 'pod template'],
  ['v1.ObjectFieldSelector', 'field reference'],
  ['v1.LocalObjectReference', '`{name}`'],
]);

/** The page of one kind: names, columns, and the members of spec and status of every version. */
export function kindPage(kind: KindDescription): string {
  const lines = [
    `# ${kind.kind}`,
    '',
    kind.doc,
    '',
    '| | |',
    '|---|---|',
    `| Group | \`${kind.group}\` |`,
    `| Resource | \`${kind.plural}\`${(kind.shortNames ?? []).map((name) => `, \`${name}\``).join('')} |`,
    `| Scope | ${kind.scope} |`,
    `| Versions | ${kind.versions.map((v) => `\`${v.name}\`${v.name === kind.storage ? ' (stored)' : ''}`).join(', ')} |`,
    '',
  ];
  for (const version of kind.versions.toReversed()) lines.push(...versionSection(version));
  return lines.join('\n');
}

/** The page of the feature gates. */
export function gatesPage(gates: readonly Gate[]): string {
  const rows = gates.map((gate) => `| \`${gate.name}\` | ${gate.default} | ${gate.stage} | ${gate.doc} |`);
  return [
    '# Feature gates',
    '',
    '`--feature-gates=A=true,B=false`. `AllAlpha` and `AllBeta` set every gate of a stage that is not named itself.',
    '',
    'Gates of [controllers that there are not yet](../../README.md#state-of-the-project), and of the daemon, change admission alone.',
    '',
    '| Gate | Default | Stage | When on |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function versionSection(version: VersionDescription): string[] {
  const rows: string[] = [];
  for (const part of ['spec', 'status']) {
    const field = version.schema.fields[part];
    if (field !== undefined) memberRows(part, (field.schema as AnyStruct).fields, rows);
  }
  const columns = version.columns.map((column) => `${column.name} \`${column.jsonPath}\``).join(', ');
  return [
    `## ${version.name}`,
    '',
    ...(columns === '' ? [] : [`Columns: ${columns}.`, '']),
    '| Member | Type | Default | Meaning |',
    '|---|---|---|---|',
    ...rows,
    '',
  ];
}

function memberRows(prefix: string, fields: Fields, rows: string[]): void {
  const embedded = Object.values(fields).some((field) => field.options.hidden === true);
  if (embedded) rows.push(`| \`${prefix}\` | | | All members of a container of a pod, and: |`);
  for (const [name, field] of Object.entries(fields)) {
    if (field.options.hidden === true) continue;
    const path = `${prefix}.${name}`;
    rows.push(
      `| \`${path}\`${isRequiredField(field) ? ' *' : ''} | ${typeText(field)} | ${defaultText(field)} | ${field.doc} |`,
    );
    const inner = innerStruct(field.schema);
    if (inner !== undefined && field.options.schemaless !== true)
      memberRows(`${path}${inner.suffix}`, inner.fields, rows);
  }
}

function innerStruct(schema: TSchema): { fields: Fields; suffix: string } | undefined {
  const { wire, goType } = wiredOf(schema);
  if (wire === 'list') {
    const inner = innerStruct((schema as ListSchema).items);
    return inner === undefined ? undefined : { fields: inner.fields, suffix: `[]${inner.suffix}` };
  }
  if (wire === 'map') {
    const inner = innerStruct((schema as unknown as MapSchema).values);
    return inner === undefined ? undefined : { fields: inner.fields, suffix: `{}${inner.suffix}` };
  }
  // Kubernetes' own types are known from its reference.
  return wire === 'struct' && !goType.startsWith('v1.')
    ? { fields: (schema as AnyStruct).fields, suffix: '' }
    : undefined;
}

function typeText({ schema }: Field): string {
  return typeName(schema);
}

function typeName(schema: TSchema): string {
  const { wire, goType, openApi } = wiredOf(schema);
  if (wire === 'list') return `list of ${typeName((schema as ListSchema).items)}`;
  if (wire === 'map') return `map to ${typeName((schema as unknown as MapSchema).values)}`;
  if (wire === 'struct') return kubernetesDocs.get(goType) ?? 'object';
  if (wire === 'intOrString') return 'integer or string';
  if (wire === 'int32' || wire === 'int64') return 'integer';
  const values = openApi?.enum;
  return Array.isArray(values) ? values.map((value) => `\`${value}\``).join(' or ') : wire;
}

function defaultText({ options }: Field): string {
  return options.default === undefined || options.default === '' ? '' : `\`${String(options.default)}\``;
}
