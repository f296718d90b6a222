// Node terms and tolerations as the subsets of WorkloadSpreads and UnitedDeployments have them: the errors below these
// members must be those recorded, in the same words.
import { describe, expect, test } from 'vitest';
import { decode } from '../../../../api/core/decode.ts';
import { type FieldError, formatFieldError } from '../../../../api/core/field-error.ts';
import { isObject, type Json, type JsonObject } from '../../../../api/core/json.ts';
import { NodeSelectorTerm, PreferredSchedulingTerm, Toleration } from '../../../../api/core/pod.ts';
import { list, pointer, type Static, struct } from '../../../../api/core/schema.ts';
import { validateNodeSelectorTerm, validatePreferredTerms } from '../../../../api/core/validation/affinity.ts';
import { Field } from '../../../../api/core/validation/field.ts';
import { validateTolerations } from '../../../../api/core/validation/scheduling.ts';
import { type Case, loadArea } from '../../../support/corpus.ts';

const Subset = struct('Subset', {
  requiredNodeSelector: pointer(NodeSelectorTerm),
  requiredNodeSelectorTerm: pointer(NodeSelectorTerm),
  nodeSelectorTerm: pointer(NodeSelectorTerm),
  preferredNodeSelector: pointer(list(PreferredSchedulingTerm)),
  preferredNodeSelectorTerms: pointer(list(PreferredSchedulingTerm)),
  tolerations: pointer(list(Toleration)),
});
const MEMBERS = /\.(requiredNodeSelector|nodeSelectorTerm|preferredNodeSelector|tolerations)[.[]/;

describe.each(['workloadspreads', 'uniteddeployments'])('subsets of %s', (area) => {
  const cases = loadArea(area).filter(({ path, request }) => path.startsWith('/validate-') && isObject(request.object));
  test.each(cases.map((one) => [one.name, one] as const))('%s', (_name, recorded) => {
    const message = recorded.expect.message ?? '';
    const errors = faultsOf(recorded).map(formatFieldError);
    expect(errors.map(placeOf).sort()).toEqual(recordedPlaces(recorded));
    for (const error of errors) expect(message).toContain(error);
  });
});

function faultsOf({ request }: Case): FieldError[] {
  const spec = (request.object as JsonObject).spec;
  const topology = isObject(spec) && isObject(spec.topology) ? spec.topology : spec;
  const subsets = isObject(topology) && Array.isArray(topology.subsets) ? topology.subsets : [];
  const errors: FieldError[] = [];
  const at = topology === spec ? 'spec.subsets' : 'spec.topology.subsets';
  subsets.forEach((subset: Json, index) => {
    const { value } = decode(Subset, subset);
    validateSubset(Field.root(value, errors, `${at}[${index}]`));
  });
  return errors;
}

// UnitedDeployments let values of their terms be anything.
function validateSubset(subset: Field<Static<typeof Subset>>): void {
  const options = { anyValues: subset.path.startsWith('spec.topology') };
  for (const name of ['requiredNodeSelector', 'requiredNodeSelectorTerm', 'nodeSelectorTerm'] as const) {
    const { value } = subset.at(name);
    if (value === undefined) continue;
    validateNodeSelectorTerm(Field.root(value, subset.errors, `${subset.path}.${displayed(name)}`), options);
  }
  for (const name of ['preferredNodeSelector', 'preferredNodeSelectorTerms'] as const) {
    const { value } = subset.at(name);
    if (value !== undefined)
      validatePreferredTerms(Field.root(value, subset.errors, `${subset.path}.preferredNodeSelector`));
  }
  validateTolerations(subset.at('tolerations'));
}

// The reference reports a WorkloadSpread's members under other names than they have.
function displayed(name: string): string {
  return name === 'requiredNodeSelectorTerm' ? 'requiredNodeSelector' : name;
}

// An update that changes a member is refused at the member itself, which is another rule.
function recordedPlaces({ expect: { errors = [] } }: Case): string[] {
  return errors.filter((error) => MEMBERS.test(error)).sort();
}

function placeOf(error: string): string {
  return /^\S+: (Invalid value|Required value|Forbidden|Unsupported value)/.exec(error)?.[0] ?? error;
}
