// `sluice explain`: why each policy object does or does not act on a pod.

import { isObject, type Json } from '../api/core/json.ts';
import { InputError } from '../component/errors.ts';
import { fieldError, itemsOf, readDocuments } from '../component/manifests.ts';
import type { Explanation } from './admission.ts';
import { exemptionOf } from './exemption.ts';
import { EXIT, type Host } from './host.ts';
import { type ColorMode, colorsFor, showWarning, table } from './output.ts';
import { renderJson, renderYaml } from './render.ts';
import { type ReviewRequest, requestOf } from './requests.ts';
import { loadState, requireOneReader } from './state.ts';

type ExplainFormat = 'table' | 'wide' | 'json' | 'yaml';

export type ExplainOptions = {
  filename: readonly string[];
  objects: readonly string[];
  namespace?: string;
  featureGates: string;
  systemNamespace: string;
  now?: number;
  output: ExplainFormat;
  color: ColorMode;
};

/** Explains every pod of the files. Throws InputError for what is no pod and makes none. */
export async function runExplain(host: Host, options: ExplainOptions): Promise<number> {
  requireOneReader(options);
  const read = await readDocuments(options.filename, { stdin: host.stdin });
  const documents = read.flatMap((document) => itemsOf(document));
  if (documents.length === 0) throw new InputError('holds no object', { file: options.filename.join(', ') });
  const state = await loadState(host, options, host.loadAdmission);
  const nowMs = options.now ?? host.now();
  const colors = colorsFor(host.stderr, options.color, host.environment);
  for (const warning of state.warnings) showWarning(host, warning, colors);
  documents.forEach((document, index) => {
    const request = requestOf(document, {
      namespace: options.namespace,
      operation: 'CREATE',
      nowMs,
      path: undefined,
      storedObject: (object) => state.find(object),
    });
    requirePod(request);
    for (const owner of request.implied) state.imply(owner);
    const explanations = state.admission.explain(Buffer.from(JSON.stringify(request.review)), nowMs);
    const exemption = exemptionOf(request.review, state, options.systemNamespace);
    if (exemption !== undefined) showWarning(host, `${request.subject}: ${exemption}`, colors);
    host.stdout.write(
      explanationText(request, explanations, exemption, { format: options.output, first: index === 0 }),
    );
    if (explanations.length === 0)
      showWarning(host, `${request.subject}: no policy object is known; see --objects`, colors);
  });
  return EXIT.allowed;
}

function requirePod({ review, manifest, subject }: ReviewRequest): void {
  const request = isObject(review.request) ? review.request : {};
  const resource = isObject(request.resource) ? request.resource : {};
  if (resource.group === '' && resource.resource === 'pods') return;
  throw fieldError(manifest, 'kind', `${subject} is no pod and makes none`);
}

type Showing = { format: ExplainFormat; first: boolean };

function explanationText(
  request: ReviewRequest,
  explanations: readonly Explanation[],
  exemption: string | undefined,
  { format, first }: Showing,
): string {
  if (format === 'json' || format === 'yaml') {
    const notes = exemption === undefined ? {} : { notes: [exemption] };
    const value: Json = { subject: request.subject, ...notes, explanations: explanations.map((one) => ({ ...one })) };
    return format === 'json' ? `${renderJson(value, 2)}\n` : `${first ? '' : '---\n'}${renderYaml(value)}`;
  }
  if (explanations.length === 0) return '';
  const wide = format === 'wide';
  const namespaced = explanations.some(({ namespace }) => namespace !== undefined && namespace !== '');
  const titles = [
    'KIND',
    ...(namespaced ? ['NAMESPACE'] : []),
    'NAME',
    'MATCHED',
    'REASON',
    'MESSAGE',
    ...(wide ? ['DETAILS'] : []),
  ];
  const rows = explanations.map((one) => [
    one.kind,
    ...(namespaced ? [one.namespace || '<none>'] : []),
    one.name,
    one.matched ? 'yes' : 'no',
    one.reason || '<none>',
    one.message,
    ...(wide ? [one.details === undefined ? '<none>' : renderJson(one.details)] : []),
  ]);
  return `${first ? '' : '\n'}${table(titles, rows)}`;
}
