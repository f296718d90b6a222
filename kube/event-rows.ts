// Rows of the tables of Events that programs record; the reference pages are made from them.

import type { KubeObject } from './objects.ts';
import type { PlannedEvent } from './plan.ts';

export type EventRow = {
  readonly reason: string;
  readonly eventType: 'Normal' | 'Warning';
  /** The kind of object that it is recorded on. */
  readonly on: string;
  readonly when: string;
};

/** The event of a row about an object; `message` is for people. */
export function eventOf({ reason, eventType }: EventRow, regarding: KubeObject, message: string): PlannedEvent {
  return { type: 'event', regarding, eventType, reason, message };
}

/** A table in Markdown, by reason. */
export function eventReference(rows: readonly EventRow[]): string {
  const lines = rows.map(({ reason, eventType, on, when }) => `| \`${reason}\` | ${eventType} | ${on} | ${when} |\n`);
  return `| Reason | Type | On | When |\n|---|---|---|---|\n${lines.sort().join('')}`;
}
