// Acceptance cases 11 of cloneset.md and 16 of advanced-statefulset.md: pods that run carry these names.
import { expect, test } from 'vitest';
import { CloneSetSpec } from '../../../api/core/cloneset.ts';
import { decode } from '../../../api/core/decode.ts';
import type { Json, JsonObject } from '../../../api/core/json.ts';
import { PodTemplateSpec } from '../../../api/core/pod.ts';
import { defaultPodTemplate } from '../../../api/core/template-defaults.ts';
import { templateRevisionData, templateRevisionIdentity } from '../../../api/core/template-revision.ts';

function template(given: JsonObject): PodTemplateSpec {
  return decode(PodTemplateSpec, given).value as PodTemplateSpec;
}
const containers = [{ name: 'main', image: 'nginx:1.25' }];

test('the revision of a defaulted template has the recorded name', () => {
  const demo = template({ metadata: { labels: { app: 'demo' } }, spec: { containers } });
  defaultPodTemplate(demo, new Map());
  expect(templateRevisionData(demo)).toBe(
    '{"spec":{"template":{"$patch":"replace","metadata":{"creationTimestamp":null,"labels":{"app":"demo"}},' +
      '"spec":{"containers":[{"image":"nginx:1.25","imagePullPolicy":"Always","name":"main","resources":{},' +
      '"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst",' +
      '"restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},' +
      '"terminationGracePeriodSeconds":30}}}}',
  );
  expect(templateRevisionIdentity('demo', demo)).toEqual({ hash: '86f599f8d5', name: 'demo-86f599f8d5' });
  expect(templateRevisionIdentity('demo', demo, 1).hash).toBe('86f599f8d4');
});

test('the revision of a bare template has the recorded name', () => {
  const web = template({ metadata: { labels: { app: 'web' } }, spec: { containers } });
  expect(templateRevisionIdentity('web', web)).toEqual({ hash: '5fcb4ccfb4', name: 'web-5fcb4ccfb4' });
  expect(templateRevisionIdentity('web', web, 1).hash).toBe('5fcb4ccfb5');
});

test('quantities written in another way, empty members and unknown ones make no other revision', () => {
  const one = template({
    spec: { containers: [{ name: 'a', resources: { limits: { cpu: '1000m', memory: '1024Mi' } } }] },
  });
  // As a workload keeps it, with what a newer Kubernetes knows.
  const two = decode(CloneSetSpec, {
    template: {
      spec: { containers: [{ name: 'a', env: [], newMember: 1, resources: { limits: { memory: '1Gi', cpu: 1 } } }] },
    },
  }).value.template;
  expect(templateRevisionData(two)).toBe(templateRevisionData(one));
});

test('the texts of HTML are escaped as Go escapes them', () => {
  const command = ['a <b> & \u2028'] as Json[];
  expect(templateRevisionData(template({ spec: { containers: [{ name: 'a', command }] } }))).toContain(
    '"command":["a \\u003cb\\u003e \\u0026 \\u2028"]',
  );
});
