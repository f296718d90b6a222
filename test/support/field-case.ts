// Inputs of the field cases: objects of the cluster and the review that arrives (test/cases/README.md).
import { existsSync, readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { isObject, type JsonObject, parseJson } from '../../api/core/json.ts';

export type FieldCase = {
  /** Objects of the cluster; documents that are notes to the test are left out. */
  objects: JsonObject[];
  /** These notes: pods in short, clock, steps; empty if there are none. */
  notes: JsonObject;
  /** The `request` of the review; empty if the case has none. */
  request: JsonObject;
  /** The object of the request. */
  object: JsonObject;
};

const NOTES = new Set(['CaseState', 'LoadRecipe']);

/** Reads `Cnnn.yaml` and `Cnnn.review.json`, whichever there is. */
export function fieldCase(id: string): FieldCase {
  const input = (name: string): URL => new URL(`../cases/inputs/${name}`, import.meta.url);
  const cluster = input(`${id}.yaml`);
  const documents = existsSync(cluster) ? parseAllDocuments(readFileSync(cluster, 'utf8')) : [];
  const all = documents.map((document) => document.toJS() as JsonObject);
  const objects = all.filter(({ kind }) => !NOTES.has(String(kind)));
  const notes = all.find(({ kind }) => NOTES.has(String(kind))) ?? {};
  const file = input(`${id}.review.json`);
  const review = existsSync(file) ? parseJson(readFileSync(file, 'utf8')) : {};
  const request = isObject(review) && isObject(review.request) ? review.request : {};
  return { objects, notes, request, object: isObject(request.object) ? request.object : {} };
}
