// What the API server recorded of a request: which webhook was asked in which round, and whether it changed anything.
import { readFileSync } from 'node:fs';
import { parseJson } from '../../../api/core/json.ts';
import { auditFile } from './apiserver.ts';

/** One call of a mutating webhook, in the order of the calls. */
export type Mutation = { round: number; webhook: string; mutated: boolean };

type AuditEvent = {
  verb: string;
  objectRef?: { resource: string; namespace?: string; name?: string };
  annotations?: Record<string, string>;
};

const MUTATION = /^mutation\.webhook\.admission\.k8s\.io\/round_(\d+)_index_(\d+)$/;

/** The calls that the creation of this pod made. Empty if there is no record of it. */
export function mutationsOf(folder: string, namespace: string, name: string): Mutation[] {
  const events = readFileSync(auditFile(folder), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJson(line) as unknown as AuditEvent);
  const created = events.filter(({ verb, objectRef }) => {
    return (
      verb === 'create' &&
      objectRef?.resource === 'pods' &&
      objectRef.namespace === namespace &&
      objectRef.name === name
    );
  });
  return created
    .flatMap(({ annotations = {} }) => Object.entries(annotations))
    .flatMap(([key, text]) => {
      const match = MUTATION.exec(key);
      if (match === null) return [];
      const { webhook, mutated } = parseJson(text) as { webhook: string; mutated: boolean };
      return [{ round: Number(match[1]), index: Number(match[2]), webhook, mutated }];
    })
    .sort((a, b) => a.round - b.round || a.index - b.index)
    .map(({ round, webhook, mutated }) => ({ round, webhook, mutated }));
}
