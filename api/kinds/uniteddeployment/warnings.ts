// What is said about a UnitedDeployment that is admitted, since OpenKruise has no rule against it, though nothing will come
// of it: pods or workloads that will be refused, selectors that cannot follow (uniteddeployment 16.13, admission-overview K6).
import { encode } from '../../core/encode.ts';
import { type FieldError, formatFieldError } from '../../core/field-error.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { LabelSelector } from '../../core/meta.ts';
import type { PodTemplateSpec } from '../../core/pod.ts';
import { boundedErrors, Field } from '../../core/validation/field.ts';
import { validatePodTemplate, validateTemplateLabels } from '../../core/validation/pod-template.ts';
import { defaultedCopy, validateAlwaysRunning, withClaims } from '../../core/validation/workload.ts';
import type { PersistentVolumeClaim } from '../../core/volumes.ts';
import type { Gates } from '../../gates.ts';
import type { ValidationContext } from '../kind.ts';
import type { UnitedDeployment, UnitedDeploymentSpec } from './schema.ts';
import { wording } from './wording.ts';

type Spec = Field<UnitedDeploymentSpec | undefined>;

/** Clients show every one of them. */
const MOST = 10;

/** The warnings about an object in v1beta1 form that validation has nothing against; `old` is given on UPDATE. */
export function warnUnitedDeployment(
  object: JsonObject,
  old: JsonObject | undefined,
  { gates }: ValidationContext,
): string[] {
  const deployment = object as UnitedDeployment;
  // A patch may put right what the template lacks.
  const isPatched = (deployment.spec?.topology?.subsets ?? []).some(({ patch }) => patch !== undefined);
  const errors = boundedErrors(() => {
    const found: FieldError[] = [];
    const spec = Field.root(deployment, found).at('spec');
    validateSeconds(spec);
    if (!isPatched) validatePods(spec, gates);
    return found;
  });
  const warnings = errors.slice(0, MOST).map(formatFieldError);
  const selectors = [deployment.spec?.selector, (old as UnitedDeployment | undefined)?.spec?.selector];
  const [now, before] = selectors.map((selector) => encode(LabelSelector, (selector ?? {}) as Json));
  if (old !== undefined && now !== before) warnings.unshift(wording.selectorChanged);
  return [...new Set(warnings)].slice(0, MOST);
}

function validateSeconds(spec: Spec): void {
  const adaptive = spec.at('topology').at('scheduleStrategy').at('adaptive');
  adaptive.at('rescheduleCriticalSeconds').notNegative();
  adaptive.at('unschedulableDuration').notNegative();
}

/** What the API server, or the CloneSet's own webhook, will say about the pods. */
function validatePods(spec: Spec, gates: Gates): void {
  const { statefulSetTemplate, advancedStatefulSetTemplate, cloneSetTemplate } = spec.value?.template ?? {};
  const place = spec.place('template');
  const pods = (
    name: string,
    of: { template?: PodTemplateSpec; volumeClaimTemplates?: PersistentVolumeClaim[] } = {},
  ) =>
    Field.below(
      place.place(name, 'spec', 'template'),
      withClaims(defaultedCopy(of.template, gates), of.volumeClaimTemplates ?? []),
    );
  if (statefulSetTemplate !== undefined) {
    validatePodTemplate(pods('statefulSetTemplate', statefulSetTemplate.spec));
  } else if (advancedStatefulSetTemplate !== undefined) {
    const template = pods('advancedStatefulSetTemplate', advancedStatefulSetTemplate.spec);
    validatePodTemplate(template);
    validateAlwaysRunning(template, wording.deadlineOfStatefulSet);
  } else if (cloneSetTemplate !== undefined) {
    const template = pods('cloneSetTemplate', cloneSetTemplate.spec);
    validateTemplateLabels(template, spec.value?.selector);
    validatePodTemplate(template);
    validateAlwaysRunning(template, wording.deadlineOfCloneSet);
  }
}
