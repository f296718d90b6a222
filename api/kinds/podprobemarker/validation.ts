// What a PodProbeMarker must be to be admitted (podprobemarker 2). Many rules end the validation: what is wrong behind
// them is told once they are kept.
import type { FieldError } from '../../core/field-error.ts';
import { equalJson, type Json, type JsonObject } from '../../core/json.ts';
import { isEmptySelector, selectorFault } from '../../core/selector.ts';
import { Field } from '../../core/validation/field.ts';
import { validateLabelSelector } from '../../core/validation/label-selector.ts';
import { validateAnnotations, validateLabels } from '../../core/validation/metadata.ts';
import { qualifiedName } from '../../core/validation/names.ts';
import { validateContainerProbe } from './probe-validation.ts';
import type { PodContainerProbe, PodProbeMarker } from './schema.ts';
import { NATIVE_CONDITIONS } from './warnings.ts';
import { wording } from './wording.ts';

type Spec = Field<PodProbeMarker['spec']>;

/** Separates the name of the marker from that of the probe in NodePodProbes. */
const SEPARATOR = '#';
const STATES = ['Succeeded', 'Failed'];

/** The field errors of a decoded object; none if it may be admitted. `old` is given on UPDATE. */
export function validatePodProbeMarker(object: JsonObject, old: JsonObject | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const spec = Field.root(object as PodProbeMarker, errors).at('spec');
  validateSelector(spec);
  validateProbes(spec);
  if (old !== undefined) {
    const selector = spec.value?.selector;
    const isSame = equalJson((selector ?? null) as Json, ((old as PodProbeMarker).spec?.selector ?? null) as Json);
    // Compatibility: this one stands at `selector`, without `spec`; and an empty list or map in it is another one than none.
    if (!isSame) Field.root(selector, errors, 'selector').invalid(wording.selectorImmutable);
  }
  return errors;
}

function validateSelector(spec: Spec): void {
  const selector = spec.at('selector');
  if (selector.value === undefined) {
    selector.invalid(wording.selectorMissing);
    return;
  }
  validateLabelSelector(selector);
  if (isEmptySelector(selector.value)) selector.invalid(wording.selectorEmpty);
  // Compatibility: a selector that cannot be used is reported twice, the second time at `selector` below it.
  if (selectorFault(selector.value) !== undefined) selector.place('selector').invalid('', selector.value);
}

function validateProbes(spec: Spec): void {
  const probes = spec.at('probes');
  if (!probes.isSet) {
    probes.invalid(wording.probesEmpty, []);
    return;
  }
  const names = new Set<string>();
  const conditions = new Set<string>();
  for (const { value: probe } of probes.items()) {
    if (probe === undefined) continue;
    if (!hasUsableName(probe, names, probes)) return;
    validateContainerProbe(Field.below(spec.place('probe'), probe.probe));
    if (!hasUsableCondition(probe, conditions, spec)) return;
    if (!validatePolicies(probe, spec)) return;
  }
}

// Compatibility: faults of a single probe stand at the whole list.
function hasUsableName(probe: PodContainerProbe, seen: Set<string>, probes: Field<unknown>): boolean {
  const { name, containerName } = probe;
  const first = probes.errors.length;
  if (name.includes(SEPARATOR)) probes.invalid(wording.nameWithSeparator, name);
  else if (name === '' || containerName === '') probes.invalid(wording.nameOrContainerMissing, probe);
  else if (NATIVE_CONDITIONS.includes(name)) probes.invalid(wording.nameReserved(name), name);
  else if (seen.has(name)) probes.invalid(wording.nameTwice, name);
  seen.add(name);
  return probes.errors.length === first;
}

function hasUsableCondition(probe: PodContainerProbe, seen: Set<string>, spec: Spec): boolean {
  const { podConditionType: type = '', markerPolicy = [] } = probe;
  if (type === '') {
    if (markerPolicy.length === 0) spec.at('probes').invalid(wording.nothingToDo, probe);
    return markerPolicy.length > 0;
  }
  if (seen.has(type)) {
    spec.at('probes').invalid(wording.conditionTwice(type), type);
    return false;
  }
  seen.add(type);
  // Compatibility: a malformed type stands at the spec.
  for (const detail of qualifiedName(type)) spec.invalid(detail, type);
  return true;
}

function validatePolicies({ markerPolicy = [] }: PodContainerProbe, spec: Spec): boolean {
  const place = spec.place('markerPolicy');
  const states = new Set<string>();
  for (const { state, labels = {}, annotations = {} } of markerPolicy) {
    if (states.has(state)) {
      place.invalid(wording.stateTwice, state);
      return false;
    }
    states.add(state);
    if (!STATES.includes(state)) {
      place.place('state').required(wording.stateUnknown);
    } else if (Object.keys(labels).length === 0 && Object.keys(annotations).length === 0) {
      place.required(wording.nothingToMark);
    } else {
      validateLabels(Field.below(place.place('labels'), labels));
      validateAnnotations(Field.below(place.place('annotations'), annotations));
    }
  }
  return true;
}
