// Renders the chart with the real helm.
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { isObject, type JsonObject } from '../../api/core/json.ts';
import { processInput } from '../../component/flags.ts';
import { findPrograms } from '../cluster/bed/programs.ts';

export const CHART = new URL('../../charts/sluice/', import.meta.url).pathname;

/** How a command of helm ended. */
export type Outcome = { code: number; stdout: string; stderr: string };

const LIMIT_MS = 300_000;
const found = (await findPrograms(processInput().environment)).get('helm');

/** Whether there is a helm on this machine. */
export const hasHelm = found !== undefined;

/** Runs helm; `input` is its standard input. Resolves whatever its exit code is. */
export function helm(given: readonly string[], { input = '', kubeconfig = '' } = {}): Promise<Outcome> {
  if (found === undefined) throw new Error('helm is missing; "npm run cluster:setup" builds it');
  const home = join(tmpdir(), 'sluice-helm');
  const env = {
    HOME: home,
    HELM_CACHE_HOME: home,
    HELM_CONFIG_HOME: home,
    HELM_DATA_HOME: home,
    KUBECONFIG: kubeconfig,
  };
  const limits = { timeout: LIMIT_MS, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    const child = execFile(found.path, given, { env, ...limits }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number') reject(error);
      else resolve({ code: Number(error?.code ?? 0), stdout, stderr });
    });
    // It may refuse its arguments before it reads.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

/** The manifests for these values, as text. Rejects with what helm says against them. */
export async function renderText(values: JsonObject = {}, given: readonly string[] = []): Promise<string> {
  const outcome = await helm(['template', 'kruise', CHART, '--values', '-', ...given], {
    input: JSON.stringify(values),
  });
  if (outcome.code !== 0) throw new Error(outcome.stderr.trim());
  return outcome.stdout;
}

const rendered = new Map<string, Promise<JsonObject[]>>();

/** The objects for these values, in the order of the manifests; rendered once. */
export function render(values: JsonObject = {}, given: readonly string[] = []): Promise<JsonObject[]> {
  const key = JSON.stringify([values, given]);
  const known = rendered.get(key) ?? renderText(values, given).then(objectsOf);
  rendered.set(key, known);
  return known;
}

/** The objects of a text of manifests. */
export function objectsOf(text: string): JsonObject[] {
  const documents = parseAllDocuments(text);
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    const object: unknown = document.toJS();
    return isObject(object as JsonObject) ? [object as JsonObject] : [];
  });
}

/** One of the objects. Throws if it is not there. */
export function find(objects: readonly JsonObject[], kind: string, name: string): JsonObject {
  const one = objects.find((object) => object.kind === kind && nameOf(object) === name);
  if (one === undefined) throw new Error(`no ${kind} ${name} among the manifests`);
  return one;
}

export function nameOf(object: JsonObject): string {
  return String((object.metadata as JsonObject).name);
}

/** `Kind/name` of all objects, sorted. */
export function namesOf(objects: readonly JsonObject[]): string[] {
  return objects.map((object) => `${String(object.kind)}/${nameOf(object)}`).toSorted();
}
