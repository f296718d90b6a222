// The text that is hashed, written a second time from nothing but the tables of the specification: members in their
// order, which of them are left out when they are empty, and how texts are escaped (sidecarset 2).
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../../../api/core/json.ts';
import { hashText } from '../../../../api/kinds/sidecarset/hash.ts';
import { sidecarSet } from '../../../../api/kinds/sidecarset/kind.ts';
import { SidecarSet } from '../../../../api/kinds/sidecarset/schema.ts';
import { arbitraryOf } from '../../../support/arbitraries.ts';

// `a?` is left out when empty, `a~` (a pointer) when absent; `:t` is an object of type t, `*t` a list of them.
const ORDER: Record<string, string> = {
  container: `name image? command? args? workingDir? ports?*port envFrom?*envFrom env?*env resources:resources
    resizePolicy?*resizePolicy restartPolicy~ volumeMounts?*volumeMount volumeDevices?*volumeDevice livenessProbe~:probe
    readinessProbe~:probe startupProbe~:probe lifecycle~:lifecycle terminationMessagePath? terminationMessagePolicy?
    imagePullPolicy? securityContext~:securityContext stdin? stdinOnce? tty? podInjectPolicy? upgradeStrategy:upgradeStrategy
    shareVolumePolicy:policy shareVolumeDevicePolicy~:policy transferEnv?*transferEnv resourcesPolicy~:resourcesPolicy`,
  upgradeStrategy: 'upgradeType? hotUpgradeEmptyImage?',
  policy: 'type?',
  transferEnv: 'sourceContainerName? sourceContainerNameFrom~:from envName? envNames?',
  from: 'fieldRef~:fieldRef',
  resourcesPolicy: 'targetContainersMode targetContainersNameRegex? resourcesExpr:resourcesExpr',
  resourcesExpr: 'limits~:amounts requests~:amounts',
  amounts: 'cpu? memory?',
  port: 'name? hostPort? containerPort# protocol? hostIP?',
  envFrom: 'prefix? configMapRef~:reference secretRef~:reference',
  reference: 'name? optional~',
  env: 'name value? valueFrom~:valueFrom',
  valueFrom: 'fieldRef~:fieldRef resourceFieldRef~:resourceFieldRef configMapKeyRef~:keyRef secretKeyRef~:keyRef',
  fieldRef: 'apiVersion? fieldPath',
  resourceFieldRef: 'containerName? resource divisor!0',
  keyRef: 'name? key optional~',
  resources: 'limits? requests? claims?*claim',
  claim: 'name request?',
  resizePolicy: 'resourceName restartPolicy',
  volumeMount: 'name readOnly? recursiveReadOnly~ mountPath subPath? mountPropagation~ subPathExpr?',
  volumeDevice: 'name devicePath',
  probe: `exec~:exec httpGet~:httpGet tcpSocket~:tcpSocket grpc~:grpc initialDelaySeconds? timeoutSeconds? periodSeconds?
    successThreshold? failureThreshold? terminationGracePeriodSeconds~`,
  lifecycle: 'postStart~:handler preStop~:handler',
  handler: 'exec~:exec httpGet~:httpGet tcpSocket~:tcpSocket sleep~:sleep',
  sleep: 'seconds#',
  exec: 'command?',
  httpGet: 'path? port# host? scheme? httpHeaders?*header',
  header: 'name value',
  tcpSocket: 'port# host?',
  grpc: 'port# service!null',
  securityContext: `capabilities~:capabilities privileged~ seLinuxOptions~:seLinuxOptions windowsOptions~:windowsOptions
    runAsUser~ runAsGroup~ runAsNonRoot~ readOnlyRootFilesystem~ allowPrivilegeEscalation~ procMount~
    seccompProfile~:profile appArmorProfile~:profile`,
  capabilities: 'add? drop?',
  seLinuxOptions: 'user? role? type? level?',
  windowsOptions: 'gmsaCredentialSpecName~ gmsaCredentialSpec~ runAsUserName~ hostProcess~',
  profile: 'type localhostProfile~',
};

function structText(type: string, value: JsonObject): string {
  const members = (ORDER[type] ?? '').split(/\s+/).flatMap((entry) => memberText(entry, value));
  return `{${members.join(',')}}`;
}

function memberText(entry: string, object: JsonObject): string[] {
  const [, name = '', mark = '', of = '', type = ''] = /^(\w+)([?~#]|!0|!null)?(?:([:*])(\w+))?$/.exec(entry) ?? [];
  const value = object[name] ?? null;
  if (mark === '~' ? value === null : mark === '?' && isEmpty(value)) return [];
  const absent = { '#': '0', '!0': '"0"', '!null': 'null' }[mark] ?? '""';
  if (of === ':') return [`"${name}":${structText(type, isObject(value) ? value : {})}`];
  if (of === '*') return [`"${name}":[${(value as JsonObject[]).map((item) => structText(type, item)).join(',')}]`];
  return [`"${name}":${value === null ? absent : plainText(value)}`];
}

function plainText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(plainText).join(',')}]`;
  if (!isObject(value)) return escaped(JSON.stringify(value));
  const names = Object.keys(value).sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
  return `{${names.map((name) => `${plainText(name)}:${plainText(value[name] ?? null)}`).join(',')}}`;
}

function escaped(text: string): string {
  return text.replace(/[<>&\u2028\u2029]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function isEmpty(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) ? Object.keys(value).length === 0 : !value;
}

test('the text of any SidecarSet is that of the tables', () => {
  const written = arbitraryOf(SidecarSet)
    .map((value) => ({ ...(value as JsonObject), apiVersion: 'apps.kruise.io/v1beta1', kind: 'SidecarSet' }))
    .filter((value) => sidecarSet.decode(value, 'v1beta1').errors.length === 0);
  fc.assert(
    fc.property(written, (set) => {
      const { spec = {} } = sidecarSet.applyDefaults(set, 'v1beta1', { gates: new Map() }) as SidecarSet;
      const text = (list: Json | undefined): string =>
        list === undefined
          ? 'null'
          : `[${(list as JsonObject[]).map((one) => structText('container', one)).join(',')}]`;
      const isNative = (spec.initContainers ?? []).some(({ restartPolicy }) => restartPolicy === 'Always');
      const init = isNative ? `,"initContainers":${text(spec.initContainers as Json)}` : '';
      expect(hashText(spec)).toBe(`{"containers":${text(spec.containers as Json | undefined)}${init}}`);
    }),
    { numRuns: 300 },
  );
});
