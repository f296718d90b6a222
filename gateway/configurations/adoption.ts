// The template of a configuration: the webhooks as whoever installed them wants them, kept in an annotation so that later
// edits can be told from it (operations.md 9.2). A new installation is adopted as the new template.

import { createHash } from 'node:crypto';
import { isObject, type JsonObject, readJson } from '../../api/core/json.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { canonical, entriesOf, nameOf, saysTheSame, withDefaults } from './entries.ts';

export const TEMPLATE_ANNOTATION = 'template';
/** What the template was adopted from, so that a later `kubectl apply` of another list is noticed. */
export const SOURCE_ANNOTATION = 'sluice.dev/template-source';
/** Whoever installs the webhooks changes this text with them, where nothing else tells an installation from an edit. */
const INSTALLED_ANNOTATION = 'sluice.dev/installed-webhooks';
const APPLIED_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

export type Template = {
  readonly entries: readonly JsonObject[];
  /** The entries of the template that this one replaces. */
  readonly former: readonly JsonObject[];
  /** The annotations to write; empty while the template stays. */
  readonly annotations: Readonly<Record<string, string>>;
};

/** The template of a configuration. Throws an Error when the annotation is no list of webhooks. */
export function templateOf(live: KubeObject, adopt: (entry: JsonObject) => JsonObject): Template {
  const annotations = live.metadata.annotations ?? {};
  const isMutating = live.kind === 'MutatingWebhookConfiguration';
  const applied = appliedEntries(annotations[APPLIED_ANNOTATION]);
  const installed = annotations[INSTALLED_ANNOTATION] ?? '';
  const source = { applied: digest(applied), appliers: digest(appliersOf(live)), installed };
  const adopted = (from: readonly JsonObject[], former: readonly JsonObject[]): Template => {
    if (from.length === 0) return { entries: former, former: [], annotations: {} };
    const entries = from.map((entry) => adopt(withDefaults(entry, isMutating)));
    const template = { [TEMPLATE_ANNOTATION]: JSON.stringify(entries), [SOURCE_ANNOTATION]: write(source) };
    return { entries, former, annotations: template };
  };
  const entries = parseTemplate(annotations[TEMPLATE_ANNOTATION] ?? '');
  if (entries.length === 0) return adopted(entriesOf(live.webhooks), []);
  const known = read(annotations[SOURCE_ANNOTATION]);
  if (applied.length > 0 && isNewer(applied, entries, isMutating, source.applied, known?.applied)) {
    return adopted(applied, entries);
  }
  if (installed !== '' && known?.installed !== installed) return adopted(entriesOf(live.webhooks), entries);
  if (known !== undefined && known.appliers !== source.appliers) return adopted(entriesOf(live.webhooks), entries);
  return { entries, former: [], annotations: {} };
}

/** Was this list applied after the template was adopted? Without a record of the adoption, if it says something else. */
function isNewer(
  applied: readonly JsonObject[],
  entries: readonly JsonObject[],
  isMutating: boolean,
  present: string,
  known: string | undefined,
): boolean {
  if (known !== undefined) return known !== present;
  const plain = (list: readonly JsonObject[]) => list.map((entry) => withoutAddress(withDefaults(entry, isMutating)));
  return !saysTheSame(plain(applied), plain(entries));
}

/** Where calls go is ours to say, so another address is no other list. */
function withoutAddress({ clientConfig, ...entry }: JsonObject): JsonObject {
  const { service } = isObject(clientConfig) ? clientConfig : {};
  return { ...entry, path: isObject(service) ? (service.path ?? null) : null };
}

function parseTemplate(text: string): JsonObject[] {
  if (text === '' || text === 'null') return [];
  const list = readJson(text);
  if (Array.isArray(list) && list.every((item) => isObject(item) && nameOf(item) !== '')) return list as JsonObject[];
  throw new Error(`metadata.annotations[${TEMPLATE_ANNOTATION}]: expected a JSON array of webhooks, or an empty text`);
}

function appliedEntries(text: string | undefined): JsonObject[] {
  const object = readJson(text ?? '');
  return isObject(object) ? entriesOf(object.webhooks) : [];
}

/** Who applied the webhooks with server-side apply, and when. */
function appliersOf(live: KubeObject): JsonObject[] {
  return entriesOf(live.metadata.managedFields)
    .filter(({ operation, fieldsV1 }) => operation === 'Apply' && isObject(fieldsV1) && 'f:webhooks' in fieldsV1)
    .map(({ manager, time }) => ({ manager: manager ?? '', time: time ?? '' }));
}

function digest(list: readonly JsonObject[]): string {
  return list.length === 0
    ? ''
    : createHash('sha256')
        .update(canonical([...list]))
        .digest('hex')
        .slice(0, 16);
}

type Source = { applied: string; appliers: string; installed: string };

function write({ applied, appliers, installed }: Source): string {
  return [applied, appliers, installed].join('.');
}

function read(text: string | undefined): Source | undefined {
  if (text === undefined) return undefined;
  const [applied = '', appliers = '', ...installed] = text.split('.');
  return { applied, appliers, installed: installed.join('.') };
}
