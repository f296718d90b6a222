// `sluice review`: what admission would answer, and how the object would look afterwards.

import { isObject, type Json, type JsonObject } from '../api/core/json.ts';
import { InputError } from '../component/errors.ts';
import { itemsOf, readDocuments } from '../component/manifests.ts';
import { printable, printableBlock } from '../component/printable.ts';
import { type Outcome, reviewAll, reviewAt } from './admission.ts';
import { unifiedDiff } from './diff.ts';
import { exemptionOf } from './exemption.ts';
import { fieldsOf } from './field-messages.ts';
import { EXIT, type Host } from './host.ts';
import { type ColorMode, type Colors, colorDiff, colorsFor, showWarning } from './output.ts';
import { renderJson, renderYaml } from './render.ts';
import { type Operation, type ReviewRequest, requestOf } from './requests.ts';
import { describeObject, kindNameOf, nameOf, namespaceOf } from './resources.ts';
import { loadState, requireOneReader, type State } from './state.ts';

type ReviewFormat = 'summary' | 'review' | 'patch' | 'object' | 'diff' | 'json' | 'yaml' | 'sarif' | 'github';

export type ReviewOptions = {
  filename: readonly string[];
  objects: readonly string[];
  namespace?: string;
  path?: string;
  operation: Operation;
  featureGates: string;
  systemNamespace: string;
  now?: number;
  record?: string;
  redact?: boolean;
  output: ReviewFormat;
  color: ColorMode;
};

/** Reviews every document of the files. The exit code is 1 if any is refused. Throws InputError. */
export async function runReview(host: Host, options: ReviewOptions): Promise<number> {
  requireOneReader(options);
  const documents = await readDocuments(options.filename, { stdin: host.stdin });
  if (documents.length === 0) throw new InputError('holds no object', { file: options.filename.join(', ') });
  const nowMs = options.now ?? host.now();
  const session = options.record === undefined ? undefined : await startRecording(host, options);
  const readAs = session?.readAs ?? ((object: JsonObject) => object);
  const state = await loadState(host, options, session?.load ?? host.loadAdmission, readAs);
  const requests = documents
    .flatMap((document) => itemsOf({ ...document, object: readAs(document.object) }))
    .map((document) =>
      requestOf(document, {
        namespace: options.namespace,
        operation: options.operation,
        nowMs,
        path: options.path,
        storedObject: (object) => state.find(object),
      }),
    );
  const errors = colorsFor(host.stderr, options.color, host.environment);
  for (const warning of state.warnings) showWarning(host, warning, errors);
  const outcomes: [ReviewRequest, Outcome][] = [];
  requests.forEach((request, index) => {
    const outcome = answer(state, request, options.path, nowMs);
    warnAbout(host, request, outcome, { state, options, colors: errors });
    show(host, request, outcome, { format: options.output, color: options.color, first: index === 0 });
    outcomes.push([request, outcome]);
  });
  await session?.write(nowMs);
  if (options.output === 'sarif' || options.output === 'github') {
    const { findingsOfOutcomes } = await import('./review-findings.ts');
    host.stdout.write(findingsOfOutcomes(outcomes, options.output));
  }
  return outcomes.some(([, { allowed }]) => !allowed) ? EXIT.denied : EXIT.allowed;
}

async function startRecording(host: Host, { record = '', redact = false }: ReviewOptions) {
  const { startRecording: start } = await import('./recordings/session.ts');
  return start(host, { file: record, redact });
}

function answer(state: State, request: ReviewRequest, path: string | undefined, nowMs: number): Outcome {
  for (const owner of request.implied) state.imply(owner);
  const { admission } = state;
  return path === undefined
    ? reviewAll(admission, request.review, nowMs)
    : reviewAt(admission, path, request.review, nowMs);
}

type WarningContext = { state: State; options: ReviewOptions; colors: Colors };

function warnAbout(
  host: Host,
  request: ReviewRequest,
  outcome: Outcome,
  { state, options, colors }: WarningContext,
): void {
  for (const warning of outcome.warnings) showWarning(host, `${request.subject}: ${warning}`, colors);
  if (options.path !== undefined) return;
  const exemption = exemptionOf(request.review, state, options.systemNamespace);
  if (exemption !== undefined) showWarning(host, `${request.subject}: ${exemption}`, colors);
}

type Showing = { format: ReviewFormat; color: ColorMode; first: boolean };

function show(host: Host, request: ReviewRequest, outcome: Outcome, { format, color, first }: Showing): void {
  if (format === 'sarif' || format === 'github') return;
  if (format === 'review') {
    host.stdout.write(`${renderJson(outcome.answer)}\n`);
    return;
  }
  if (format === 'summary') {
    host.stdout.write(
      `${first ? '' : '\n'}${summary(request, outcome, colorsFor(host.stdout, color, host.environment))}`,
    );
    return;
  }
  if (!outcome.allowed) {
    host.stderr.write(refusalText(request, outcome, colorsFor(host.stderr, color, host.environment)));
    return;
  }
  if (format === 'patch') host.stdout.write(patchText(outcome));
  else if (format === 'diff')
    host.stdout.write(colorDiff(diffOf(outcome), colorsFor(host.stdout, color, host.environment)));
  else if (outcome.after !== undefined) host.stdout.write(objectText(outcome.after, format, first));
}

function objectText(object: Json, format: ReviewFormat, first: boolean): string {
  if (format === 'json') return `${renderJson(object, 2)}\n`;
  return `${first ? '' : '---\n'}${renderYaml(object)}`;
}

// One operation a line: still JSON, and each line can be read.
function patchText(outcome: Outcome): string {
  if (outcome.patch.length === 0) return '[]\n';
  return `[\n${outcome.patch.map((operation) => `  ${renderJson(operation)}`).join(',\n')}\n]\n`;
}

function diffOf({ before, after }: Outcome): string {
  if (before === undefined || after === undefined) return '';
  const name = fileNameOf(after);
  return unifiedDiff(renderYaml(before), renderYaml(after), { before: `before/${name}`, after: `after/${name}` });
}

// As `kubectl diff` names its files: group.version.kind.namespace.name.
function fileNameOf(object: Json): string {
  if (!isObject(object)) return 'object';
  const { group, version, kind } = kindNameOf(object);
  return printable([group, version, kind, namespaceOf(object), nameOf(object)].filter((part) => part !== '').join('.'));
}

function summary(request: ReviewRequest, outcome: Outcome, colors: Colors): string {
  if (!outcome.allowed) return refusalText(request, outcome, colors);
  const changes = outcome.patch.length;
  const effect =
    outcome.calls.length === 0
      ? 'no webhook is called'
      : changes === 0
        ? 'no change'
        : `${changes} ${changes === 1 ? 'change' : 'changes'}`;
  const note = isNotable(outcome.message) ? `: ${printable(outcome.message)}` : '';
  const diff = diffOf(outcome);
  const converted =
    outcome.before === undefined && outcome.after !== undefined ? `\n${describeConverted(outcome.after)}` : '';
  return `${printable(request.subject)}: ${colors.green('allowed')}, ${effect}${note}\n${diff === '' ? '' : `\n${colorDiff(diff, colors)}`}${converted}`;
}

function isNotable(message: string): boolean {
  return message !== '' && !/^allowed/.test(message);
}

function describeConverted(list: Json): string {
  const items = isObject(list) && Array.isArray(list.items) ? list.items : [];
  return items
    .map((item) =>
      isObject(item) ? `${printable(describeObject(item))} as ${printable(String(item.apiVersion))}\n` : '',
    )
    .join('');
}

function refusalText(request: ReviewRequest, outcome: Outcome, colors: Colors): string {
  const by = outcome.calls.at(-1);
  const webhook = by === undefined ? '' : ` by ${by.name || by.path}`;
  const code = outcome.code === 0 ? '' : ` (code ${outcome.code})`;
  const head = `${printable(request.subject)}: ${colors.red('denied')}${webhook}${code}\n`;
  const fields = fieldsOf(outcome.message);
  if (fields.length === 0) return `${head}  ${printableBlock(outcome.message).replaceAll('\n', '\n  ')}\n`;
  return `${head}${fields.map(({ path, text }) => `  ${placeOf(request, path)}${printable(text)}\n`).join('')}`;
}

// Where the field stands in the file that the user gave.
function placeOf({ manifest, objectPath }: ReviewRequest, path: string): string {
  if (objectPath === undefined) return '';
  const { line, column } = manifest.position([objectPath, path].filter((part) => part !== '').join('.'));
  return `${printable(manifest.file)}:${line}:${column}: `;
}
