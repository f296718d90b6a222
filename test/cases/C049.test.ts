// C049: the selector of an Advanced DaemonSet was edited, and the old pods stayed without an owner (openkruise/kruise#1498).
import { beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { fieldCase } from '../support/field-case.ts';
import { KindAdmission } from '../support/kind-admission.ts';

type DaemonSet = {
  metadata: JsonObject;
  spec: {
    selector: JsonObject;
    template: { metadata: { labels: JsonObject }; spec: { containers: { image: string }[] } };
  };
};

const { request } = fieldCase('C049');
const { object, oldObject } = request as { object: JsonObject; oldObject: JsonObject };

let admission: KindAdmission;
beforeAll(async () => {
  admission = await KindAdmission.start();
});

/** An update of the set as it was. */
function update(change: (set: DaemonSet) => void, version = 'v1beta1') {
  const set = structuredClone(oldObject) as unknown as DaemonSet;
  change(set);
  const at = (one: JsonObject): JsonObject => ({ ...one, apiVersion: `apps.kruise.io/${version}` });
  return admission.validate(at(set as unknown as JsonObject), at(oldObject));
}

test('the edit is refused at spec, with the members that may change', () => {
  const { allowed, code, message } = admission.validate(object, oldObject);
  expect([allowed, code]).toEqual([false, 422]);
  expect(message).toBe(
    "spec: Forbidden: updates to daemonset spec for fields other than 'BurstReplicas', 'template', 'lifecycle', " +
      "'scaleStrategy', 'updateStrategy', 'minReadySeconds', and 'revisionHistoryLimit' are forbidden",
  );
});

test('it is refused in v1alpha1 too, and so is a selector that means the same', () => {
  const track = (set: DaemonSet) => {
    set.spec.selector = { matchLabels: { app: 'probe', track: '2' } };
    set.spec.template.metadata.labels.track = '2';
  };
  const sameMeaning = (set: DaemonSet) => {
    set.spec.selector = { matchExpressions: [{ key: 'app', operator: 'In', values: ['probe'] }] };
  };
  for (const version of ['v1alpha1', 'v1beta1']) {
    expect(update(track, version).message).toMatch(/^spec: Forbidden/);
    expect(update(sameMeaning, version).message).toMatch(/^spec: Forbidden/);
  }
});

test('labels and images of the template may change, as long as the selector matches', () => {
  const labelled = update((set) => {
    set.spec.template.metadata.labels.track = '2';
  });
  const changed = update((set) => {
    for (const container of set.spec.template.spec.containers) container.image = 'registry.example.com/obs/probe:9';
  });
  const unmatched = update((set) => {
    set.spec.template.metadata.labels = {};
  });
  expect([labelled.allowed, changed.allowed]).toEqual([true, true]);
  expect(unmatched.message).toMatch(/^spec\.template\.metadata\.labels: Invalid value/);
});
