// The findings of reviews: their refusals and warnings, with the places of the fields that they are about.

import type { Outcome } from './admission.ts';
import { findingsAsGithub, findingsAsSarif } from './finding-formats.ts';
import { type Finding, findingOfWarning, findingsOfMessage, type Subject } from './findings.ts';
import type { ReviewRequest } from './requests.ts';

/** The text of all findings. */
export function findingsOfOutcomes(
  outcomes: readonly (readonly [ReviewRequest, Outcome])[],
  format: 'sarif' | 'github',
): string {
  const findings = outcomes.flatMap(([request, outcome]) => findingsOf(request, outcome));
  return format === 'sarif' ? findingsAsSarif(findings) : findingsAsGithub(findings);
}

function findingsOf({ manifest, objectPath, subject: name }: ReviewRequest, outcome: Outcome): Finding[] {
  const subject: Subject = { manifest, objectPath, name };
  const warnings = outcome.warnings.map((warning) => findingOfWarning(subject, warning));
  return outcome.allowed ? warnings : [...findingsOfMessage(subject, outcome.message), ...warnings];
}
