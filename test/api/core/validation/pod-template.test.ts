import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../api/core/json.ts';
import { container, faultsOfTemplate, lightFaultsOfTemplate, podSpec } from './pods.ts';

const annotated = (annotations: Record<string, string>, spec: JsonObject = {}) =>
  faultsOfTemplate({ metadata: { annotations }, spec: podSpec(spec) });

describe('a template', () => {
  test('may be plain', () => {
    expect(faultsOfTemplate({ spec: podSpec() })).toEqual([]);
  });
  test('has labels and annotations, reported without metadata', () => {
    const metadata = { labels: { a: 'b c' }, annotations: { 'bad key!': '' } };
    expect(faultsOfTemplate({ metadata, spec: podSpec() })).toEqual([
      expect.stringMatching(/^spec.template.labels: Invalid value: "b c": a valid label/),
      expect.stringMatching(/^spec.template.annotations: Invalid value: "bad key!": name part/),
    ]);
  });
  test('has no ephemeral containers, whose own faults are told first', () => {
    expect(faultsOfTemplate({ spec: podSpec({ ephemeralContainers: [{ name: 'debug', image: 'd' }] }) })).toEqual([
      'spec.template.spec.ephemeralContainers[0].terminationMessagePolicy: Required value',
      'spec.template.spec.ephemeralContainers[0].imagePullPolicy: Required value',
      'spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template',
    ]);
  });
  test('that is missing lacks what every pod needs', () => {
    expect(faultsOfTemplate({})).toContain('spec.template.spec.containers: Required value');
  });
});

describe('annotations that stand for fields', () => {
  const at = 'spec.template.annotations';
  const seccomp = 'container.seccomp.security.alpha.kubernetes.io/app';
  const appArmor = 'container.apparmor.security.beta.kubernetes.io/app';
  test('of mirror pods need a node', () => {
    const mirror = { 'kubernetes.io/config.mirror': 'm' };
    expect(annotated(mirror)).toEqual([
      `${at}[kubernetes.io/config.mirror]: Invalid value: "m": must set spec.nodeName if mirror pod annotation is set`,
    ]);
    expect(annotated(mirror, { nodeName: 'n' })).toEqual([]);
  });
  test('of tolerations are tolerations', () => {
    const key = 'scheduler.alpha.kubernetes.io/tolerations';
    expect(annotated({ [key]: '[{"key":"a","operator":"Exists"}]' })).toEqual([]);
    expect(annotated({ [key]: '[{"key":"a","operator":"In"}]' })).toEqual([
      `${at}.${key}[0].operator: Unsupported value: "In": supported values: "Equal", "Exists"`,
    ]);
    expect(annotated({ [key]: '[{"KEY":"a b"}]' })).toEqual([
      expect.stringMatching(/tolerations\[0\].key: Invalid value: "a b": name part/),
    ]);
    const fault = (text: string) => [`${at}: Invalid value: "${key}": ${text}`];
    expect(annotated({ [key]: '{' })).toEqual(fault('unexpected end of JSON input'));
    expect(annotated({ [key]: '{}' })).toEqual(
      fault('json: cannot unmarshal object into Go value of type []core.Toleration'),
    );
    expect(annotated({ [key]: '[5]' })).toEqual(
      fault('json: cannot unmarshal number into Go value of type core.Toleration'),
    );
  });
  test('of seccomp are profiles', () => {
    const pod = 'seccomp.security.alpha.kubernetes.io/pod';
    expect(annotated({ [pod]: 'docker/default', [seccomp]: 'localhost/a' })).toEqual([]);
    expect(annotated({ [pod]: 'x', [seccomp]: 'localhost//a' })).toEqual([
      `${at}.${pod}: Invalid value: "x": must be a valid seccomp profile`,
      `${at}.${seccomp}: Invalid value: "/a": must be a relative path`,
    ]);
  });
  test('of AppArmor are profiles of containers', () => {
    expect(annotated({ [appArmor]: 'localhost/a' })).toEqual([]);
    expect(annotated({ [`${appArmor}2`]: 'x' })).toEqual([
      `${at}[${appArmor}2]: Invalid value: "app2": container not found`,
      `${at}[${appArmor}2]: Invalid value: "x": invalid AppArmor profile name: "x"`,
    ]);
  });
  test.each<[string, string, JsonObject, string | undefined]>([
    ['seccomp', 'runtime/default', { type: 'RuntimeDefault' }, undefined],
    [
      'seccomp',
      'unconfined',
      { type: 'RuntimeDefault' },
      'type: Forbidden: seccomp type in annotation and field must match',
    ],
    [
      'seccomp',
      'localhost/a',
      { type: 'Localhost', localhostProfile: 'b' },
      'localhostProfile: Forbidden: seccomp profile in annotation and field must match',
    ],
    ['seccomp', 'localhost/a', { type: 'Localhost', localhostProfile: 'a' }, undefined],
    [
      'appArmor',
      'runtime/default',
      { type: 'Unconfined' },
      'type: Forbidden: apparmor type in annotation and field must match',
    ],
    ['appArmor', 'localhost/a', { type: 'Localhost', localhostProfile: 'a' }, undefined],
    [
      'appArmor',
      'unconfined',
      { type: 'Localhost', localhostProfile: 'a' },
      'type: Forbidden: apparmor type in annotation and field must match',
    ],
  ])('agree with the fields: %s %s', (technology, annotation, profile, fault) => {
    const key = technology === 'seccomp' ? seccomp : appArmor;
    const containers = [container({ securityContext: { [`${technology}Profile`]: profile } })];
    const where = `spec.template.spec.containers[0].securityContext.${technology}Profile`;
    expect(annotated({ [key]: annotation }, { containers })).toEqual(fault === undefined ? [] : [`${where}.${fault}`]);
  });
});

describe('light validation', () => {
  const selector = { matchLabels: { app: 'web' } };
  test('does not look at the pod', () => {
    expect(
      lightFaultsOfTemplate({ metadata: { labels: { app: 'web' } }, spec: { containers: [{}] } }, selector),
    ).toEqual([]);
  });
  test('wants labels that the selector matches', () => {
    expect(lightFaultsOfTemplate({ metadata: { labels: { app: 'x y' } } }, selector)).toEqual([
      'spec.template.metadata.labels: Invalid value: {"app":"x y"}: `selector` does not match template `labels`',
      expect.stringMatching(/^spec.template.labels: Invalid value: "x y"/),
    ]);
  });
  test('matches nothing without a selector, and is not asked with an empty one', () => {
    expect(lightFaultsOfTemplate({})).toHaveLength(1);
    expect(lightFaultsOfTemplate({}, {})).toEqual([]);
  });
});
