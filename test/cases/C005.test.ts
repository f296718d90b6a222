// C005: one log shipper for applications whose containers are called differently (openkruise/kruise#818).
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/core/json.ts';
import { fieldCase } from '../support/field-case.ts';
import { Injection, NOW } from '../support/injection.ts';
import * as see from '../support/see.ts';

const { objects, request, object: pod } = fieldCase('C005');
const { object: _object, ...parts } = request;
let injection: Injection;
beforeAll(async () => {
  injection = (await Injection.start()).hold(...objects);
});

describe('the log shipper', () => {
  const shipper = (): JsonObject => see.containerOf('filebeat')(injection.create(pod, parts)) as JsonObject;

  test('comes behind the application, which stays as it was', () => {
    const created = injection.create(pod, parts);
    expect(see.containers(created)).toEqual(['orders', 'proxy', 'filebeat']);
    const [before, after] = [pod.spec as JsonObject, created.spec as JsonObject];
    expect((after.containers as JsonObject[]).slice(0, 2)).toEqual(before.containers);
  });

  test('keeps its own mounts and gets those of the application, not those of another sidecar', () => {
    expect(shipper().volumeMounts).toEqual([
      { name: 'fb-data', mountPath: '/usr/share/filebeat/data' },
      { name: 'fb-config', mountPath: '/etc/filebeat' },
      { name: 'app-log', mountPath: '/data/logs', subPathExpr: '$(POD_NAME)/logs' },
      { name: 'kube-api-access-q2w3e', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true },
    ]);
  });

  test('has its own env, the mark, transferred env by name, and what its mounts need', () => {
    expect(shipper().env).toEqual([
      { name: 'NODE_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'spec.nodeName' } } },
      { name: 'LOG_LEVEL', value: 'warn' },
      { name: 'IS_INJECTED', value: 'true' },
      { name: 'APP_ID', value: 'orders-7' },
      { name: 'POD_ZONE', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: "metadata.labels['zone']" } } },
      { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
    ]);
  });

  test('brings the volumes that it mounts, and no others', () => {
    const created = injection.create(pod, parts);
    expect(see.volumes(created)).toEqual([
      'app-log',
      'app-conf',
      'proxy-tmp',
      'kube-api-access-q2w3e',
      'fb-data',
      'fb-config',
    ]);
    expect((created.spec as { volumes: JsonObject[] }).volumes.slice(0, 4)).toEqual((pod.spec as JsonObject).volumes);
  });

  test('keeps a zero', () => {
    expect(shipper().securityContext).toEqual({ runAsUser: 0 });
  });

  test('is recorded with its revision', () => {
    const text = String(see.annotation('kruise.io/sidecarset-hash')(injection.create(pod, parts)));
    expect(JSON.parse(text)).toMatchObject({
      'log-shipper': { sidecarList: ['filebeat'], controllerRevision: 'log-shipper-77c5' },
    });
  });

  test('gets no transferred env where the label is missing, but still what its mounts need', () => {
    const { 'main-container': _removed, ...labels } = (pod.metadata as { labels: Record<string, string> }).labels;
    const unlabelled = { ...pod, metadata: { ...(pod.metadata as JsonObject), labels } };
    expect(see.envOf('filebeat')(injection.create(unlabelled, parts))).toEqual([
      'NODE_NAME<spec.nodeName',
      'LOG_LEVEL=warn',
      'IS_INJECTED=true',
      'POD_NAME<metadata.name',
    ]);
  });

  test('is the same after a second review', () => {
    const once = injection.create(pod, parts);
    const twice = injection.create(once, parts, NOW + 60_000);
    expect(see.withoutTimes(twice)).toEqual(see.withoutTimes(once));
  });
});
