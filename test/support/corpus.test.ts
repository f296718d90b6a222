// The corpus and its comparer fit each other: every recorded answer is right, and every change of it is noticed.
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../api/core/json.ts';
import { formatDifferences } from './compare/difference.ts';
import { WINDOW } from './compare/trial.ts';
import { areas, type Case, type CaseResult, compareCase, loadArea } from './corpus.ts';

describe('the corpus itself', () => {
  test('is complete: every recorded answer satisfies its own case', () => {
    const wrong = areas().flatMap((area) =>
      loadArea(area).filter((one) => compareCase(one, ownAnswer(one)).differences.length > 0),
    );
    expect(wrong.map((one) => `${one.area}/${one.name}`)).toEqual([]);
  });

  test('notices every single change of a recorded object', () => {
    const unnoticed: string[] = [];
    for (const one of areas().flatMap(loadArea)) {
      const answer = ownAnswer(one);
      if (answer.object === undefined || one.better !== undefined) continue;
      for (const pointer of leaves(answer.object, '/object')) {
        if (one.volatile.includes(pointer)) continue;
        const changed = { ...answer, object: changedAt(answer.object, pointer.slice('/object'.length)) };
        if (compareCase(one, changed).differences.length === 0) unnoticed.push(`${one.area}/${one.name}${pointer}`);
      }
    }
    expect(unnoticed).toEqual([]);
  });

  test('has field errors that its messages contain', () => {
    const withErrors = areas().flatMap((area) => loadArea(area).filter((one) => one.expect.errors !== undefined));
    expect(withErrors.length).toBeGreaterThan(400);
  });
});

test('a mismatch reads as place, expected and got, cut around the first difference', () => {
  const long = 'x'.repeat(500);
  const text = formatDifferences('sidecarset/hot-pair', [
    { pointer: '/object/spec/a', expected: '1', got: 'nothing' },
    { pointer: '/object/spec/b', expected: `${long}one`, got: `${long}two` },
  ]);
  expect(text.split('\n').slice(0, 4)).toEqual([
    'sidecarset/hot-pair',
    '  at /object/spec/a',
    '    expected 1',
    '    got      nothing',
  ]);
  expect(text).toContain('xone');
  expect(text).toContain('xtwo');
  expect(text.length).toBeLessThan(800);
});

/** The answer that a case records, as if a product had given it just now. */
function ownAnswer(one: Case): CaseResult {
  const { allowed, code, reason, message, causes, object, status, objects, uid, reviewVersion, http } = one.expect;
  const text = JSON.stringify({ object, status: typeof status === 'object' ? status : undefined });
  const filled = JSON.parse(
    text
      .replaceAll('<time>', '2026-07-02T08:00:00Z')
      .replaceAll('<uuid>', 'd0d723fd-bae6-4356-aaa8-3b9e09b9d3c9')
      .replaceAll('<rand5>', 'bcdf2'),
  ) as { object?: JsonObject; status?: JsonObject };
  const conversion = { apiVersion: reviewVersion, uid, result: { status, message }, convertedObjects: objects };
  return JSON.parse(
    JSON.stringify({
      allowed,
      code,
      reason,
      message,
      causes,
      object: filled.object,
      statuses: filled.status,
      http: http ?? 200,
      ...(one.path === '/convert' && http === undefined ? { conversion } : {}),
      window: WINDOW,
    }),
  ) as CaseResult;
}

/** Pointers of all texts, numbers and booleans. */
function leaves(value: Json, pointer: string): string[] {
  if (value === null) return [];
  if (typeof value !== 'object') return [pointer];
  return Object.entries(value).flatMap(([name, member]) =>
    leaves(member, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
}

/** A copy with another value at the pointer. */
function changedAt(object: JsonObject, pointer: string): JsonObject {
  const copy = structuredClone(object);
  const tokens = pointer.slice(1).split('/');
  let parent = copy as Record<string, Json>;
  for (const token of tokens.slice(0, -1)) parent = parent[memberName(token)] as JsonObject;
  const name = memberName(tokens.at(-1) ?? '');
  const value = parent[name];
  parent[name] = typeof value === 'boolean' ? !value : typeof value === 'number' ? value + 1 : `${value}~`;
  return copy;
}

function memberName(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}
