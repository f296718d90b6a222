// Every recorded answer about a workload's pod template, asked of the template validator: the errors below the template
// must be those recorded, and so must the words.
import { describe, expect, test } from 'vitest';
import { defaultContainer, defaultProbe, defaultVolume } from '../../../../api/core/container-defaults.ts';
import { decode } from '../../../../api/core/decode.ts';
import { type FieldError, formatFieldError } from '../../../../api/core/field-error.ts';
import { isObject, type Json, type JsonObject } from '../../../../api/core/json.ts';
import type { LabelSelector } from '../../../../api/core/meta.ts';
import { PodTemplateSpec } from '../../../../api/core/pod.ts';
import { selectorFault } from '../../../../api/core/selector.ts';
import { Field } from '../../../../api/core/validation/field.ts';
import {
  validatePodTemplate,
  validatePodTemplateLightly,
  validateTemplateLabels,
} from '../../../../api/core/validation/pod-template.ts';
import { fieldErrorsOf } from '../../../support/compare/field-errors.ts';
import { type Case, loadArea } from '../../../support/corpus.ts';

type Place = { at: string; template: Json | undefined; selector?: Json | undefined; isLight?: boolean };

const AREAS: Record<string, (spec: JsonObject) => Place[]> = {
  clonesets: (spec) => [{ at: 'spec.template', template: withClaims(spec), selector: spec.selector ?? null }],
  daemonsets: (spec) => [{ at: 'spec.template', template: spec.template, selector: spec.selector ?? null }],
  broadcastjobs: (spec) => [{ at: 'spec.template', template: spec.template }],
  statefulsets: (spec) => [
    { at: 'spec.template', template: spec.template, selector: spec.selector ?? null, isLight: true },
  ],
  uniteddeployments: (spec) => {
    const deployment = path(spec, 'template', 'deploymentTemplate', 'spec');
    if (!isObject(deployment)) return [];
    const at = 'spec.template.deploymentTemplate.spec.template';
    return [{ at, template: deployment.template, selector: spec.selector ?? null }];
  },
  advancedcronjobs: (spec) =>
    ['jobTemplate', 'broadcastJobTemplate'].flatMap((name) => {
      const template = path(spec, 'template', name, 'spec', 'template');
      return template === undefined ? [] : [{ at: 'spec.template', template }];
    }),
};

// Rules of the workload itself that stand at places of the template.
const OF_THE_WORKLOAD =
  /restartPolicy: (Unsupported value: "[^"]*": supported values: "Always"$|Invalid)|activeDeadlineSeconds: Forbidden|readinessGates: Invalid|"broadcastjob-name" and/;

describe.each(Object.keys(AREAS))('pod templates of %s', (area) => {
  const cases = loadArea(area).filter(isAboutTemplates);
  test('are recorded', () => {
    expect(cases.length).toBeGreaterThan(10);
  });
  test.each(cases.map((one) => [one.name, one] as const))('%s', (_name, recorded) => {
    const places = placesOf(recorded);
    const errors = places.flatMap((place) => validate(place, !area.startsWith('advanced'))).map(formatFieldError);
    const message = recorded.expect.message ?? '';
    const unique = [...new Set(errors)];
    const expected = recordedErrors(recorded, places);
    expect(unique.flatMap((error) => fieldErrorsOf(error)).sort()).toEqual(expected.sort());
    const isTextFree = recorded.goText === true || recorded.volatile.includes('/message');
    if (!isTextFree) expect(unique.filter((error) => !message.includes(error))).toEqual([]);
    if (!isTextFree && expected.length === recorded.expect.errors?.length) {
      expect(unique.length > 1 ? `[${unique.join(', ')}]` : (unique[0] ?? '')).toBe(message);
    }
  });
});

function isAboutTemplates({ via, path: webhook, request, expect: { code } }: Case): boolean {
  return via === undefined && webhook.startsWith('/validate-') && isObject(request.object) && code !== 400;
}

function placesOf({ area, request }: Case): Place[] {
  const spec = isObject(request.object) ? request.object.spec : undefined;
  const places = isObject(spec) ? (AREAS[area]?.(spec) ?? []) : [];
  // A workload whose selector cannot be used is refused before its template is looked at.
  return places.filter(({ selector }) => !isObject(selector) || selectorFault(selector as LabelSelector) === undefined);
}

function validate({ at, template, selector, isLight }: Place, isDefaulted: boolean): FieldError[] {
  const { value, errors: decodeErrors } = decode(PodTemplateSpec, template ?? {});
  expect(decodeErrors).toEqual([]);
  if (isDefaulted) complete(value);
  const errors: FieldError[] = [];
  const field = Field.root(value, errors, at);
  const labels = selector === null ? undefined : (selector as LabelSelector | undefined);
  if (isLight) {
    validatePodTemplateLightly(field, labels);
  } else {
    if (selector !== undefined) validateTemplateLabels(field, labels);
    validatePodTemplate(field);
  }
  return errors;
}

// Defaults of templates, as far as validation needs them (admission-overview 7.1).
function complete(template: PodTemplateSpec): void {
  const spec = template.spec ?? {};
  template.spec = spec;
  spec.restartPolicy ??= 'Always';
  spec.dnsPolicy ??= 'ClusterFirst';
  spec.terminationGracePeriodSeconds ??= 30;
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    defaultContainer(container);
    container.imagePullPolicy ??= 'Always';
    for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe])
      defaultProbe(probe);
  }
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
}

// Claim templates of a CloneSet count as volumes.
function withClaims({ template, volumeClaimTemplates = [] }: JsonObject): Json {
  const names = (Array.isArray(volumeClaimTemplates) ? volumeClaimTemplates : []).map((one) =>
    path(one, 'metadata', 'name'),
  );
  const spec = path(template ?? {}, 'spec');
  if (!isObject(template) || !isObject(spec)) return template ?? {};
  const claims = names.map((name) => ({ name: name ?? '', persistentVolumeClaim: { claimName: name ?? '' } }));
  const volumes = Array.isArray(spec.volumes) ? spec.volumes : [];
  return { ...template, spec: { ...spec, volumes: [...claims, ...volumes] } };
}

function recordedErrors({ expect: { errors = [], message = '' } }: Case, places: Place[]): string[] {
  const texts = split(message);
  return errors.filter((_error, index) => {
    const text = texts[index] ?? '';
    return places.some(({ at }) => text.startsWith(`${at}.`)) && !OF_THE_WORKLOAD.test(text);
  });
}

/** The errors of a message, in its order. */
function split(message: string): string[] {
  const found = fieldErrorsOf(message);
  let rest = message.replace(/^\[|\]$/g, '');
  return found.map((_error, index) => {
    const next = found[index + 1];
    const end = next === undefined ? rest.length : rest.indexOf(`, ${next}`, 1);
    const text = rest.slice(0, end);
    rest = rest.slice(end + 2);
    return text;
  });
}

function path(value: Json, ...names: string[]): Json | undefined {
  let found: Json | undefined = value;
  for (const name of names) found = isObject(found) ? found[name] : undefined;
  return found;
}
