// Label selectors in the form of one text, as scale sub-resources tell them: `app=web,tier in (a,b),!canary`.
import type { LabelSelector, LabelSelectorRequirement } from './meta.ts';

const requirement =
  /^\s*(?:(!)\s*([^\s,()!=<>]+)|([^\s,()!=<>]+)\s*(?:(==|=|!=)\s*([^\s,()]*)|(in|notin)\s*\(([^()]*)\))?)\s*(?:,|$)/;

/** Whoever may write a scale could make it as long as an object may be. */
const LONGEST = 10_000;

/**
 * Undefined for a text that is no selector or longer than 10,000 characters, and for one that compares numbers. An empty
 * text selects everything.
 */
export function readSelectorText(text: string): LabelSelector | undefined {
  if (text.length > LONGEST) return undefined;
  const matchExpressions: LabelSelectorRequirement[] = [];
  for (let rest = text.trim(); rest !== ''; ) {
    const match = requirement.exec(rest);
    if (match === null) return undefined;
    matchExpressions.push(requirementOf(match));
    rest = rest.slice(match[0].length);
  }
  return { matchExpressions };
}

function requirementOf([, not, absent = '', key = '', sign, value = '', set, values = '']: RegExpExecArray) {
  if (not !== undefined) return { key: absent, operator: 'DoesNotExist' };
  if (sign !== undefined) return { key, operator: sign === '!=' ? 'NotIn' : 'In', values: [value] };
  if (set === undefined) return { key, operator: 'Exists' };
  return { key, operator: set === 'in' ? 'In' : 'NotIn', values: values.split(',').map((item) => item.trim()) };
}
