// `sluice lint`: every error in the files that the kinds' schemas and admission would refuse, with its place.

import { type FieldError, formatFieldError } from '../api/core/field-error.ts';
import type { JsonObject } from '../api/core/json.ts';
import { inApplyOrder } from '../api/kinds/apply-order.ts';
import { findKind, kinds } from '../api/kinds/index.ts';
import type { Kind } from '../api/kinds/kind.ts';
import { InputError } from '../component/errors.ts';
import { itemsOf, type Manifest, readDocuments } from '../component/manifests.ts';
import { contentSuffix } from './content.ts';
import { findingsAsGithub, findingsAsJson, findingsAsSarif, findingsAsText } from './finding-formats.ts';
import { type Finding, findingAt, findingOfError, findingOfWarning, type Subject } from './findings.ts';
import { EXIT, type Host, type KindAdmission } from './host.ts';
import { type ColorMode, colorsFor, showWarning } from './output.ts';
import { describeObject, kindNameOf, metadataOf, nameOf, namespaceOf, textOf } from './resources.ts';
import { identityOf, loadState, requireOneReader } from './state.ts';
import { typedForm } from './typed-form.ts';

export type LintOptions = {
  filename: readonly string[];
  objects: readonly string[];
  namespace?: string;
  featureGates: string;
  systemNamespace: string;
  now?: number;
  output: 'text' | 'json' | 'sarif' | 'github';
  color: ColorMode;
  allowEmpty?: boolean;
  warnExitCode: number;
};

/** Checks every object of our kinds. The exit code is 1 if one would be refused. Throws InputError. */
export async function runLint(host: Host, options: LintOptions): Promise<number> {
  requireOneReader(options);
  const documents = await readDocuments(options.filename, { stdin: host.stdin });
  const manifests = documents.flatMap((document) => itemsOf(document));
  const ours = new Set(manifests.filter(({ object }) => kindOf(object) !== undefined));
  if (ours.size === 0 && options.allowEmpty !== true) {
    const met =
      manifests.length === 0
        ? 'holds no object'
        : `holds no object of OpenKruise's kinds, but ${manifests.length} of others`;
    throw new InputError(`${met} (--allow-empty accepts that)`, { file: options.filename.join(', ') });
  }
  const { admission, warnings } = await loadState(host, options, host.loadKindAdmission);
  const colors = colorsFor(host.stderr, options.color, host.environment);
  for (const warning of warnings) showWarning(host, warning, colors);
  // Objects of other kinds are part of the cluster wherever they stand; ours are created one after the other, canaries last.
  const found = new Map<Manifest, Finding[]>();
  for (const manifest of manifests) if (!ours.has(manifest)) found.set(manifest, skip(manifest, admission));
  const linter = { admission, options, now: options.now ?? host.now(), seen: new Map<string, Manifest>() };
  for (const manifest of inApplyOrder([...ours], ({ object }) => object)) found.set(manifest, check(manifest, linter));
  const findings = manifests.flatMap((manifest) => found.get(manifest) ?? []);
  show(host, options, findings, { checked: ours.size, skipped: manifests.length - ours.size });
  if (findings.some(({ level }) => level === 'error')) return EXIT.denied;
  return findings.length > 0 ? options.warnExitCode : EXIT.allowed;
}

function kindOf(object: JsonObject): Kind | undefined {
  const { group, kind } = kindNameOf(object);
  return findKind(group, kind);
}

// An object of another kind may be one that a rule looks at, such as a ConfigMap. One that cannot be is left out.
function skip(manifest: Manifest, admission: KindAdmission): Finding[] {
  const { object } = manifest;
  const { group, kind } = kindNameOf(object);
  if (kinds.some((known) => known.group === group)) {
    const message = `${group} has no kind ${JSON.stringify(kind)}`;
    return [findingAt({ manifest }, { level: 'warning', rule: 'unknown-kind', field: 'kind', message })];
  }
  if (kind === '' || !isNamed(object)) return [];
  try {
    admission.apply(object);
    return [];
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const said = { level: 'warning', rule: 'warning', field: error.field ?? '', message: error.message } as const;
    return [findingAt({ manifest }, said)];
  }
}

type Linter = { admission: KindAdmission; options: LintOptions; now: number; seen: Map<string, Manifest> };

function check(manifest: Manifest, linter: Linter): Finding[] {
  const kind = kindOf(manifest.object);
  if (kind === undefined) return [];
  const subject: Subject = { manifest };
  const form = formFindings(subject, kind, linter.options);
  if (form.some(({ level }) => level === 'error')) return form;
  const object = placed(manifest.object, kind, linter.options.namespace);
  return [...form, ...twice(subject, object, linter), ...admit(subject, object, { ...linter, kind })];
}

/** What is wrong before any rule is asked: version, types, unknown members, name and namespace. */
function formFindings(subject: Subject, kind: Kind, options: LintOptions): Finding[] {
  const { object } = subject.manifest;
  const { version } = kindNameOf(object);
  const described = kind.description.versions.find(({ name }) => name === version);
  if (described === undefined) {
    const message = `${kind.kind} has no version ${JSON.stringify(version)}: expected ${kind.versions.join(' or ')}`;
    return [findingAt(subject, { rule: 'unknown-kind', field: 'apiVersion', message })];
  }
  const { errors, unknown } = typedForm(described, object);
  const findings = errors.map(({ path, text }) =>
    findingAt(subject, { rule: 'wrong-type', field: path, message: text }),
  );
  for (const { path: field, isKept } of unknown) {
    const message = isKept ? 'unknown field, unless a newer Kubernetes knows it' : 'unknown field, which is dropped';
    findings.push(findingAt(subject, { level: 'warning', rule: 'unknown-field', field, message }));
  }
  if (nameOf(object) === '' && errors.length === 0) {
    const message = 'Required value: name or generateName is required';
    findings.push(findingAt(subject, { rule: 'required-value', field: 'metadata.name', message }));
  }
  const given = namespaceOf(object);
  if (kind.scope === 'Namespaced' && given !== '' && options.namespace !== undefined && options.namespace !== given) {
    const message = `the object's namespace ${JSON.stringify(given)} is not ${JSON.stringify(options.namespace)} of --namespace`;
    findings.push(findingAt(subject, { rule: 'invalid-value', field: 'metadata.namespace', message }));
  }
  return findings;
}

function twice({ manifest }: Subject, object: JsonObject, { seen }: Linter): Finding[] {
  const identity = identityOf(object);
  const earlier = seen.get(identity);
  if (isNamed(manifest.object)) seen.set(identity, manifest);
  if (earlier === undefined) return [];
  const message = `${describeObject(manifest.object)} was given before, at ${earlier.file}:${earlier.line}`;
  return [findingAt({ manifest }, { level: 'warning', rule: 'given-twice', field: 'metadata.name', message })];
}

function admit(subject: Subject, object: JsonObject, { admission, now, kind }: Linter & { kind: Kind }): Finding[] {
  const creation = admission.admit(kind, object, now);
  if (creation.allowed) {
    if (isNamed(subject.manifest.object)) admission.apply(creation.object);
    return creation.warnings.map((warning) => findingOfWarning(subject, warning));
  }
  if (creation.errors.length === 0) return [findingAt(subject, { rule: 'denied', message: creation.message })];
  const distinct = new Map(creation.errors.map((error) => [`${error.path} ${formatFieldError(error)}`, error]));
  return [...distinct.values()].map((error) => findingOfError(subject, withPlainPath(error)));
}

/** An API server starts the path of replicas with a dot. */
function withPlainPath(error: FieldError): FieldError {
  return error.path.startsWith('.') ? { ...error, path: error.path.slice(1) } : error;
}

function isNamed(object: JsonObject): boolean {
  return textOf(metadataOf(object).name) !== '';
}

/** With the namespace and the name that an API server would fill in before it validates. */
function placed(object: JsonObject, { scope }: Kind, namespace = 'default'): JsonObject {
  const metadata = metadataOf(object);
  const name = textOf(metadata.name) || `${nameOf(object)}${contentSuffix(5, object)}`;
  const place = scope === 'Cluster' || namespaceOf(object) !== '' ? {} : { namespace };
  return { ...object, metadata: { ...metadata, name, ...place } };
}

type Counts = { checked: number; skipped: number };

function show(host: Host, options: LintOptions, findings: readonly Finding[], { checked, skipped }: Counts): void {
  const errors = findings.filter(({ level }) => level === 'error').length;
  const summary = { checked, errors, warnings: findings.length - errors, skipped };
  const texts = {
    text: () => findingsAsText(findings, colorsFor(host.stdout, options.color, host.environment)),
    json: () => findingsAsJson(findings, summary),
    sarif: () => findingsAsSarif(findings),
    github: () => findingsAsGithub(findings),
  };
  host.stdout.write(texts[options.output]());
  const parts = [
    `${counted(checked, 'object')} checked`,
    counted(errors, 'error'),
    counted(summary.warnings, 'warning'),
    `${skipped} skipped`,
  ];
  host.stderr.write(`${parts.join(', ')}\n`);
}

function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}
