import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../api/core/json.ts';
import { container, faultsOfContainer, faultsOfSpec } from './pods.ts';

type Row = [rule: string, members: JsonObject, errors: (string | RegExp)[]];

function hold(rows: Row[], pod: JsonObject = {}): void {
  test.each(rows)('%s', (_rule, members, errors) => {
    const faults = faultsOfContainer(members, pod);
    expect(faults).toEqual(errors.map((error) => (typeof error === 'string' ? error : expect.stringMatching(error))));
  });
}

describe('a container', () => {
  hold([
    ['may be plain', {}, []],
    ['needs a name', { name: '' }, ['name: Required value']],
    ['has a label as its name', { name: 'App' }, [/^name: Invalid value: "App": a lowercase RFC 1123 label/]],
    ['needs an image', { image: '' }, ['image: Required value']],
    ['may have blanks around its image in a template', { image: ' a ' }, []],
    [
      'needs its policies',
      { imagePullPolicy: '', terminationMessagePolicy: '' },
      ['terminationMessagePolicy: Required value', 'imagePullPolicy: Required value'],
    ],
    [
      'has known policies',
      { imagePullPolicy: 'always', terminationMessagePolicy: 'Log' },
      [
        'terminationMessagePolicy: Unsupported value: "Log": supported values: "File", "FallbackToLogsOnError"',
        'imagePullPolicy: Unsupported value: "always": supported values: "Always", "IfNotPresent", "Never"',
      ],
    ],
    [
      'has no restart policy',
      { restartPolicy: 'Always' },
      ['restartPolicy: Forbidden: may not be set for non-init containers'],
    ],
  ]);
});

describe('ports', () => {
  const port = (...ports: JsonObject[]): JsonObject => ({
    ports: ports.map((one) => ({ protocol: 'TCP', containerPort: 80, ...one })),
  });
  hold([
    ['need a number', port({ containerPort: 0 }), ['ports[0].containerPort: Required value']],
    [
      'have numbers in range',
      port({ containerPort: 65536, hostPort: -1 }),
      [
        'ports[0].containerPort: Invalid value: 65536: must be between 1 and 65535, inclusive',
        'ports[0].hostPort: Invalid value: -1: must be between 1 and 65535, inclusive',
      ],
    ],
    ['have a protocol', port({ protocol: '' }), ['ports[0].protocol: Required value']],
    [
      'have a known protocol',
      port({ protocol: 'tcp' }),
      ['ports[0].protocol: Unsupported value: "tcp": supported values: "SCTP", "TCP", "UDP"'],
    ],
    [
      'have different names',
      port({ name: 'a' }, { name: 'a', containerPort: 81 }),
      ['ports[1].name: Duplicate value: "a"'],
    ],
    [
      'have port names',
      port({ name: '80' }),
      ['ports[0].name: Invalid value: "80": must contain at least one letter (a-z)'],
    ],
    [
      'do not take a host port twice',
      port({ hostPort: 80 }, { hostPort: 80 }, { hostPort: 80, hostIP: '1.2.3.4' }, { hostPort: 80, protocol: 'UDP' }),
      ['ports[1].hostPort: Duplicate value: "TCP//80"'],
    ],
  ]);

  test('of two containers do not take the same host port', () => {
    const ports = [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }];
    const containers = [container({ ports }), container({ name: 'b', ports })];
    expect(faultsOfSpec({ containers })).toEqual(['spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//80"']);
    expect(
      faultsOfSpec({ initContainers: [container({ name: 'i', ports })], containers: [container({ ports })] }),
    ).toEqual([]);
  });

  test('on the host network are those of the host', () => {
    const ports = [
      { containerPort: 80, hostPort: 81, protocol: 'TCP' },
      { containerPort: 90, protocol: 'TCP' },
    ];
    expect(faultsOfContainer({ ports }, { hostNetwork: true })).toEqual([
      'ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true',
    ]);
  });
});

describe('environment', () => {
  const from = (valueFrom: JsonObject, more: JsonObject = {}): JsonObject => ({
    env: [{ name: 'A', valueFrom, ...more }],
  });
  const field = (fieldPath: string, apiVersion = 'v1') => from({ fieldRef: { apiVersion, fieldPath } });
  const resource = (name: string, divisor: string) => from({ resourceFieldRef: { resource: name, divisor } });
  const at = 'env[0].valueFrom';
  hold([
    [
      'needs names',
      { env: [{ name: '' }, { name: 'a b' }] },
      ['env[0].name: Required value', /^env\[1\]\.name: Invalid value: "a b": a valid env/],
    ],
    ['may repeat names', { env: [{ name: 'A' }, { name: 'A', value: 'x' }] }, []],
    [
      'needs a source in valueFrom',
      from({}),
      [
        `${at}: Invalid value: "": must specify one of: \`fieldRef\`, \`resourceFieldRef\`, \`configMapKeyRef\` or \`secretKeyRef\``,
      ],
    ],
    [
      'has no value beside a source',
      from({ secretKeyRef: { name: 's', key: 'k' } }, { value: 'x' }),
      [`${at}: Invalid value: "": may not be specified when \`value\` is not empty`],
    ],
    [
      'has one source',
      from({ secretKeyRef: { name: 's', key: 'k' }, configMapKeyRef: { name: 's', key: 'k' } }),
      [`${at}: Invalid value: "": may not have more than one field specified at a time`],
    ],
    ['needs keys', from({ secretKeyRef: { name: 's', key: '' } }), [`${at}.secretKeyRef.key: Required value`]],
    [
      'needs names of its sources',
      from({ configMapKeyRef: { key: '..' } }),
      [
        /^env\[0\].valueFrom.configMapKeyRef.name: Invalid value: "": a lower/,
        /configMapKeyRef.key: Invalid value: "..": must not be '..'$/,
      ],
    ],
    ['reads fields of the pod', field('status.podIPs'), []],
    ['reads labels and annotations', field("metadata.labels['a/b']"), []],
    [
      'reads no malformed label',
      field("metadata.labels['-']"),
      [/^env\[0\].valueFrom.fieldRef: Invalid value: "-": name part/],
    ],
    ['reads annotations of any case', field("metadata.annotations['A.B/c']"), []],
    [
      'does not read all labels',
      field('metadata.labels'),
      [/fieldRef.fieldPath: Unsupported value: "metadata.labels": supported values: "metadata.name"/],
    ],
    [
      'does not read unknown fields',
      field('spec.x'),
      [
        `${at}.fieldRef.fieldPath: Invalid value: "spec.x": error converting fieldPath: field label not supported: spec.x`,
      ],
    ],
    [
      'does not read by key elsewhere',
      field("spec.x['a']"),
      [/field label does not support subscript: spec.x\['a'\]$/],
    ],
    [
      'reads version 1 only',
      field('metadata.name', 'v2'),
      [/error converting fieldPath: unsupported pod version: v2$/],
    ],
    [
      'needs the version',
      from({ fieldRef: { fieldPath: 'metadata.name' } }),
      [`${at}.fieldRef.apiVersion: Required value`],
    ],
    ['needs the path', field(''), [`${at}.fieldRef.fieldPath: Required value`]],
    ['reads resources', resource('limits.cpu', '1m'), []],
    ['reads huge pages', resource('requests.hugepages-2Mi', '1Mi'), []],
    [
      'reads no other resources',
      resource('limits.gpu', '0'),
      [/resourceFieldRef.resource: Unsupported value: "limits.gpu": supported values: "limits.cpu"/],
    ],
    ['needs a resource', resource('', '0'), [`${at}.resourceFieldRef.resource: Required value`]],
    [
      'divides cpu by 1 or 1m',
      resource('limits.cpu', '1k'),
      [
        `${at}.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor's values 1m and 1 are supported with the cpu resource`,
      ],
    ],
    [
      'divides bytes by powers',
      resource('requests.memory', '3Mi'),
      [/only divisor's values 1, 1k, .* are supported with the memory resource$/],
    ],
    [
      'divides storage by powers',
      resource('limits.ephemeral-storage', '1m'),
      [/with the local ephemeral storage resource$/],
    ],
    ['may come from maps', { envFrom: [{ prefix: 'P_', configMapRef: { name: 'c' } }] }, []],
    [
      'comes from exactly one map an entry',
      {
        envFrom: [
          {},
          { configMapRef: { name: 'c' }, secretRef: { name: '' } },
          { prefix: '1', secretRef: { name: 'S' } },
        ],
      },
      [
        'envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`',
        'envFrom[1].secretRef.name: Required value',
        'envFrom: Invalid value: "": may not have more than one field specified at a time',
        /^envFrom\[2\].prefix: Invalid value: "1": a valid env/,
        /^envFrom\[2\].secretRef.name: Invalid value: "S": a lower/,
      ],
    ],
  ]);
});

describe('mounts', () => {
  const volumes = [
    { name: 'v', emptyDir: {} },
    { name: 'w', emptyDir: {} },
    { name: 'i', image: { reference: 'a', pullPolicy: 'Always' } },
  ];
  const mount = (...mounts: JsonObject[]): JsonObject => ({
    volumeMounts: mounts.map((one) => ({ name: 'v', mountPath: '/v', ...one })),
  });
  hold(
    [
      ['refer to volumes', mount({ name: 'x' }), ['volumeMounts[0].name: Not found: "x"']],
      [
        'need name and path',
        mount({ name: '', mountPath: '' }),
        [
          'volumeMounts[0].name: Required value',
          'volumeMounts[0].name: Not found: ""',
          'volumeMounts[0].mountPath: Required value',
        ],
      ],
      [
        'have different paths',
        mount({}, { name: 'w' }),
        ['volumeMounts[1].mountPath: Invalid value: "/v": must be unique'],
      ],
      [
        'stay inside the volume',
        mount({ subPath: '../x' }, { mountPath: '/w', subPathExpr: '/x' }),
        [
          'volumeMounts.subPath: Invalid value: "../x": must not contain \'..\'',
          'volumeMounts.subPathExpr: Invalid value: "/x": must be a relative path',
        ],
      ],
      [
        'have one sub-path',
        mount({ subPath: 'a', subPathExpr: 'b' }),
        ['volumeMounts[0].subPathExpr: Invalid value: "b": subPathExpr and subPath are mutually exclusive'],
      ],
      [
        'of an image have none',
        mount({ name: 'i', subPath: 'a' }),
        ['volumeMounts[0].subPath: Invalid value: "a": not allowed in image volume sources'],
      ],
      [
        'propagate in known ways',
        mount({ mountPropagation: 'Both' }),
        [
          'volumeMounts.mountPropagation: Unsupported value: "Both": supported values: "Bidirectional", "HostToContainer", "None"',
        ],
      ],
      [
        'propagate to the host from privileged containers',
        mount({ mountPropagation: 'Bidirectional' }),
        [
          'volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers',
        ],
      ],
      [
        'are read-only in depth if read-only',
        mount({ recursiveReadOnly: 'Enabled', mountPropagation: 'HostToContainer' }),
        [
          'volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true',
          'volumeMounts.recursiveReadOnly: Forbidden: may only be specified when mountPropagation is None or not specified',
        ],
      ],
      [
        'are read-only in known ways',
        mount({ recursiveReadOnly: 'Yes' }),
        [
          'volumeMounts.recursiveReadOnly: Unsupported value: "Yes": supported values: "Disabled", "Enabled", "IfPossible"',
        ],
      ],
      [
        'may be disabled or right',
        mount(
          { recursiveReadOnly: 'Disabled' },
          { mountPath: '/w', readOnly: true, recursiveReadOnly: 'Enabled', mountPropagation: 'None' },
        ),
        [],
      ],
    ],
    { volumes },
  );
  hold(
    [
      [
        'to the host are right in a privileged container',
        { ...mount({ mountPropagation: 'Bidirectional' }), securityContext: { privileged: true } },
        [],
      ],
    ],
    { volumes },
  );
});

describe('devices', () => {
  const volumes = [
    { name: 'p', persistentVolumeClaim: { claimName: 'p' } },
    { name: 'q', persistentVolumeClaim: { claimName: 'q' } },
    { name: 'e', emptyDir: {} },
  ];
  const device = (...devices: JsonObject[]): JsonObject => ({
    volumeDevices: devices.map((one) => ({ name: 'p', devicePath: '/dev/p', ...one })),
  });
  hold(
    [
      ['may be claims', device({}), []],
      [
        'are nothing but claims',
        device({ name: 'e' }),
        [
          'volumeDevices[0].name: Invalid value: "e": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
        ],
      ],
      ['refer to volumes', device({ name: 'x' }), ['volumeDevices[0].name: Not found: "x"']],
      [
        'need name and path',
        device({ name: '', devicePath: '' }),
        [
          'volumeDevices[0].name: Required value',
          'volumeDevices[0].name: Not found: ""',
          'volumeDevices[0].devicePath: Required value',
        ],
      ],
      [
        'are different',
        device({}, {}),
        [
          'volumeDevices[1].name: Invalid value: "p": must be unique',
          'volumeDevices[1].devicePath: Invalid value: "/dev/p": must be unique',
        ],
      ],
      [
        'have no steps up',
        device({ devicePath: '/dev/../x' }),
        ['volumeDevices[0].devicePath: Invalid value: "/dev/../x": can not contain backsteps (\'..\')'],
      ],
      [
        'clash with mounts in name and path',
        { ...device({}), volumeMounts: [{ name: 'p', mountPath: '/dev/p' }] },
        [
          'volumeMounts[0].name: Invalid value: "p": must not already exist in volumeDevices',
          'volumeMounts[0].mountPath: Invalid value: "/dev/p": must not already exist as a path in volumeDevices',
          'volumeDevices[0].name: Invalid value: "p": must not already exist in volumeMounts',
          'volumeDevices[0].devicePath: Invalid value: "/dev/p": must not already exist as a path in volumeMounts',
        ],
      ],
    ],
    { volumes },
  );
});

describe('resources', () => {
  const limits = (list: JsonObject) => ({ resources: { limits: list } });
  const both = (request: JsonObject, limit: JsonObject) => ({ resources: { requests: request, limits: limit } });
  hold([
    ['may be standard ones', both({ cpu: '1', memory: '1Gi' }, { cpu: '1', 'ephemeral-storage': '1Gi' }), []],
    [
      'are known or prefixed',
      limits({ gpu: '1' }),
      [
        'resources.limits[gpu]: Invalid value: gpu: must be a standard resource type or fully qualified',
        'resources.limits[gpu]: Invalid value: gpu: must be a standard resource for containers',
      ],
    ],
    [
      'are those of containers',
      limits({ pods: '1' }),
      ['resources.limits[pods]: Invalid value: pods: must be a standard resource for containers'],
    ],
    [
      'have qualified names',
      limits({ 'a b': '1' }),
      [/^resources.limits\[a b\]: Invalid value: a b: name part/, /must be a standard resource for containers$/],
    ],
    [
      'are not negative',
      limits({ cpu: '-1' }),
      ['resources.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
    ],
    [
      'of devices are whole',
      limits({ 'example.com/gpu': '500m' }),
      ['resources.limits[example.com/gpu]: Invalid value: "500m": must be an integer'],
    ],
    [
      'of devices have extended names',
      limits({ 'requests.example.com/x': '1' }),
      [
        /^resources.limits\[requests.example.com\/x\]: Invalid value: requests.example.com\/x: doesn't follow extended resource name standard/,
      ],
    ],
    [
      'request no more than the limit',
      both({ cpu: '1500m' }, { cpu: '1' }),
      ['resources.requests: Invalid value: "1500m": must be less than or equal to cpu limit of 1'],
    ],
    [
      'of devices request the limit',
      both({ 'example.com/gpu': '1' }, { 'example.com/gpu': '2' }),
      ['resources.requests: Invalid value: "1": must be equal to example.com/gpu limit of 2'],
    ],
    [
      'of devices need the limit',
      { resources: { requests: { 'example.com/gpu': '1' } } },
      ['resources.limits: Required value: Limit must be set for non overcommitable resources'],
    ],
    [
      'with huge pages need cpu or memory',
      limits({ 'hugepages-2Mi': '4Mi' }),
      ['resources: Forbidden: HugePages require cpu or memory'],
    ],
    ['with huge pages may be odd in size', limits({ 'hugepages-2Mi': '3Mi', cpu: '1' }), []],
    [
      'refer to claims of the pod',
      { resources: { claims: [{ name: 'x' }] } },
      ['resources.claims[0].name: Not found: "x": must be one of the names in pod.spec.resourceClaims which is empty'],
    ],
  ]);
  hold(
    [
      [
        'refer to a claim once',
        { resources: { claims: [{ name: 'c' }, { name: 'c' }, { name: 'd', request: 'R' }, { name: '' }] } },
        [
          'resources.claims[1].name: Duplicate value: "c"',
          /^resources.claims\[2\].request: Invalid value: "R"/,
          'resources.claims[2].name: Not found: "d": must be one of the names in pod.spec.resourceClaims: c',
          'resources.claims[3].name: Required value',
        ],
      ],
    ],
    { resourceClaims: [{ name: 'c', resourceClaimName: 'c' }] },
  );
  hold([
    [
      'are resized in known ways',
      {
        resizePolicy: [
          { resourceName: 'cpu', restartPolicy: 'x' },
          { resourceName: 'cpu', restartPolicy: '' },
          { resourceName: 'gpu', restartPolicy: 'NotRequired' },
          { resourceName: '', restartPolicy: 'NotRequired' },
        ],
      },
      [
        'resizePolicy: Unsupported value: "x": supported values: "NotRequired", "RestartContainer"',
        'resizePolicy[1]: Duplicate value: cpu',
        'resizePolicy: Required value',
        'resizePolicy: Unsupported value: gpu: supported values: "cpu", "memory"',
        'resizePolicy: Required value',
      ],
    ],
  ]);
  hold(
    [
      [
        'are resized in place in pods that never restart',
        { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] },
        ["resizePolicy: Invalid value: \"RestartContainer\": must be 'NotRequired' when `restartPolicy` is 'Never'"],
      ],
    ],
    { restartPolicy: 'Never' },
  );
});

describe('the security context', () => {
  const context = (securityContext: JsonObject) => ({ securityContext });
  hold([
    ['may be privileged', context({ privileged: true, runAsUser: 0 }), []],
    [
      'has ids in range',
      context({ runAsUser: -1, runAsGroup: 2147483648 }),
      [
        'securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive',
        'securityContext.runAsGroup: Invalid value: 2147483648: must be between 0 and 2147483647, inclusive',
      ],
    ],
    [
      'has a known proc mount',
      context({ procMount: 'Masked' }),
      ['securityContext.procMount: Unsupported value: "Masked": supported values: "Default", "Unmasked"'],
    ],
    [
      'unmasks proc only in a user namespace',
      context({ procMount: 'Unmasked' }),
      ['securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`'],
    ],
    [
      'does not forbid what it grants',
      context({ allowPrivilegeEscalation: false, privileged: true, capabilities: { add: ['CAP_SYS_ADMIN'] } }),
      [
        /^securityContext: Invalid value: \{.*\}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true$/,
        /^securityContext: Invalid value: \{.*\}: cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN$/,
      ],
    ],
    [
      'names a seccomp profile',
      context({ seccompProfile: { type: 'Localhost' } }),
      ['securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost'],
    ],
    [
      'names a seccomp profile below its root',
      context({ seccompProfile: { type: 'Localhost', localhostProfile: '/../a' } }),
      [/must be a relative path$/, /must not contain '..'$/],
    ],
    [
      'names none for other types',
      context({ seccompProfile: { type: 'Unconfined', localhostProfile: 'a' } }),
      [
        /^securityContext.seccompProfile.localhostProfile: Invalid value: .*: can only be set when seccomp type is Localhost$/,
      ],
    ],
    [
      'has a known seccomp type',
      context({ seccompProfile: { type: 'x' } }),
      [
        'securityContext.seccompProfile.type: Unsupported value: "x": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
      ],
    ],
    [
      'needs a seccomp type',
      context({ seccompProfile: {} }),
      ['securityContext.seccompProfile.type: Required value: type is required when seccompProfile is set'],
    ],
    [
      'names an AppArmor profile',
      context({ appArmorProfile: { type: 'Localhost' } }),
      ['securityContext.appArmorProfile.localhostProfile: Required value: must be set when AppArmor type is Localhost'],
    ],
    [
      'names it without blanks',
      context({ appArmorProfile: { type: 'Localhost', localhostProfile: ' a' } }),
      ['securityContext.appArmorProfile.localhostProfile: Invalid value: " a": must not be padded with whitespace'],
    ],
    [
      'names a short one',
      context({ appArmorProfile: { type: 'Localhost', localhostProfile: 'a'.repeat(4096) } }),
      ['securityContext.appArmorProfile.localhostProfile: Too long: may not be more than 4095 bytes'],
    ],
    [
      'names no AppArmor profile for other types',
      context({ appArmorProfile: { type: 'RuntimeDefault', localhostProfile: 'a' } }),
      [/can only be set when AppArmor type is Localhost$/],
    ],
    [
      'needs an AppArmor type',
      context({ appArmorProfile: {} }),
      ['securityContext.appArmorProfile.type: Required value: type is required when appArmorProfile is set'],
    ],
    [
      'has Windows credentials',
      context({ windowsOptions: { gmsaCredentialSpecName: 'A b', gmsaCredentialSpec: '' } }),
      [
        /gmsaCredentialSpecName: Invalid value: "A b": a lower/,
        'securityContext.windowsOptions.gmsaCredentialSpec: Invalid value: "": gmsaCredentialSpec cannot be an empty string',
      ],
    ],
    [
      'has short Windows credentials',
      context({ windowsOptions: { gmsaCredentialSpec: 'a'.repeat(65537) } }),
      [/gmsaCredentialSpec size must be under 64 KiB$/],
    ],
  ]);

  test.each([
    ['user', undefined],
    ['DOMAIN\\user', undefined],
    ['corp.example.com\\user', undefined],
    ['', 'runAsUserName cannot be an empty string'],
    ['a\tb', 'runAsUserName cannot contain control characters'],
    ['a\\b\\c', 'runAsUserName cannot contain more than one backslash'],
    ['a\\', "runAsUserName's User cannot be empty"],
    ['.a\\b', "runAsUserName's Domain doesn't match the NetBios nor the DNS format"],
    ['a/b', 'runAsUserName\'s User cannot contain the following characters: "/:;|=,+*?<>@[]'],
    ['. .', "runAsUserName's User cannot contain only periods or spaces"],
    ['u'.repeat(105), "runAsUserName's User length must not be longer than 104 characters"],
  ])('runs on Windows as %j', (runAsUserName, fault) => {
    const faults = faultsOfContainer({ securityContext: { windowsOptions: { runAsUserName } } });
    expect(faults).toEqual(
      fault === undefined
        ? []
        : [expect.stringContaining(`runAsUserName: Invalid value: ${JSON.stringify(runAsUserName)}: ${fault}`)],
    );
  });

  test('is privileged only if the cluster lets it', () => {
    expect(faultsOfContainer({ securityContext: { privileged: true } }, {}, { allowPrivileged: false })).toEqual([
      'securityContext.privileged: Forbidden: disallowed by cluster policy',
    ]);
  });
  test('unmasks proc in a user namespace', () => {
    expect(faultsOfContainer({ securityContext: { procMount: 'Unmasked' } }, { hostUsers: false })).toEqual([]);
  });
});

describe('probes', () => {
  const live = (probe: JsonObject) => ({ livenessProbe: { successThreshold: 1, ...probe } });
  const exec = { exec: { command: ['true'] } };
  hold([
    ['may run commands', live(exec), []],
    ['need a handler', live({}), ['livenessProbe: Required value: must specify a handler type']],
    [
      'have one handler',
      live({ ...exec, grpc: { port: 1 } }),
      ['livenessProbe.grpc: Forbidden: may not specify more than 1 handler type'],
    ],
    ['need a command', live({ exec: {} }), ['livenessProbe.exec.command: Required value']],
    [
      'need path, port and scheme',
      live({ httpGet: { port: 0 } }),
      [
        'livenessProbe.httpGet.path: Required value',
        'livenessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive',
        'livenessProbe.httpGet.scheme: Unsupported value: "": supported values: "HTTP", "HTTPS"',
      ],
    ],
    ['may name ports', live({ httpGet: { path: '/', port: 'web', scheme: 'HTTP' } }), []],
    [
      'name ports that can be',
      live({ tcpSocket: { port: '80' } }),
      ['livenessProbe.tcpSocket.port: Invalid value: "80": must contain at least one letter (a-z)'],
    ],
    [
      'have header names',
      live({ httpGet: { path: '/', port: 1, scheme: 'HTTPS', httpHeaders: [{ name: 'a b', value: '' }] } }),
      [/^livenessProbe.httpGet.httpHeaders: Invalid value: "a b": a valid HTTP header/],
    ],
    [
      'have numbers from 0',
      live({ ...exec, initialDelaySeconds: -1, timeoutSeconds: -1, periodSeconds: -1, failureThreshold: -1 }),
      ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'failureThreshold'].map(
        (name) => `livenessProbe.${name}: Invalid value: -1: must be greater than or equal to 0`,
      ),
    ],
    [
      'succeed once, if they restart',
      { ...live({ ...exec, successThreshold: 2 }), startupProbe: exec },
      [
        'livenessProbe.successThreshold: Invalid value: 2: must be 1',
        'startupProbe.successThreshold: Invalid value: 0: must be 1',
      ],
    ],
    ['may need more successes for readiness', { readinessProbe: { ...exec, successThreshold: 3 } }, []],
    [
      'have a grace period above 0',
      live({ ...exec, terminationGracePeriodSeconds: 0 }),
      ['livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0'],
    ],
    [
      'for readiness have none',
      { readinessProbe: { ...exec, terminationGracePeriodSeconds: 1 } },
      ['readinessProbe.terminationGracePeriodSeconds: Invalid value: 1: must not be set for readinessProbes'],
    ],
  ]);
  const hook = (preStop: JsonObject) => ({ lifecycle: { preStop } });
  hold([
    ['and hooks need a handler', hook({}), ['lifecycle.preStop: Required value: must specify a handler type']],
    ['and hooks sleep within the grace period', hook({ sleep: { seconds: 30 } }), []],
    [
      'and hooks do not sleep longer',
      { lifecycle: { postStart: { sleep: { seconds: 0 } }, preStop: { sleep: { seconds: 31 } } } },
      [
        /^lifecycle.postStart.sleep: Invalid value: 0: must be greater than 0 and less than terminationGracePeriodSeconds \(30\)/,
        /^lifecycle.preStop.sleep: Invalid value: 31: must be/,
      ],
    ],
  ]);
});

describe('init containers', () => {
  const init = (members: JsonObject) => faultsOfSpec({ initContainers: [container({ name: 'init', ...members })] });
  const probe = { exec: { command: ['true'] }, successThreshold: 1 };

  test('have no probes, hooks or resize policy', () => {
    const members = { livenessProbe: probe, readinessProbe: probe, startupProbe: probe, lifecycle: {} };
    const where = 'may not be set for init containers without restartPolicy=Always';
    expect(init(members)).toEqual(
      ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'].map(
        (name) => `spec.initContainers[0].${name}: Forbidden: ${where}`,
      ),
    );
    expect(init({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] })).toEqual([
      expect.stringMatching(
        /^spec.initContainers\[0\].resizePolicy: Invalid value: .*: must not be set for init containers$/,
      ),
    ]);
  });
  test('that restart have probes and hooks', () => {
    expect(init({ restartPolicy: 'Always', readinessProbe: probe, startupProbe: probe })).toEqual([]);
    expect(init({ restartPolicy: 'Always', startupProbe: {} })).toHaveLength(2);
  });
  test('restart always or not at all', () => {
    expect(init({ restartPolicy: 'Never' })).toEqual([
      'spec.initContainers[0].restartPolicy: Unsupported value: "Never": supported values: "Always"',
    ]);
  });
  test('have names that no other container has', () => {
    const initContainers = [container(), container({ name: 'b' }), container({ name: 'b' })];
    expect(faultsOfSpec({ initContainers })).toEqual([
      'spec.initContainers[0].name: Duplicate value: "app"',
      'spec.initContainers[2].name: Duplicate value: "b"',
    ]);
  });
  test('that take one host port twice are reported at the first', () => {
    const ports = [80, 81].map((containerPort) => ({ containerPort, hostPort: 80, protocol: 'TCP' }));
    const initContainers = [container({ name: 'a' }), container({ name: 'b', ports })];
    expect(faultsOfSpec({ initContainers })).toEqual([
      'spec.initContainers[0].ports[1].hostPort: Duplicate value: "TCP//80"',
    ]);
  });
});

describe('ephemeral containers', () => {
  const ephemeral = (members: JsonObject) =>
    faultsOfSpec({ ephemeralContainers: [container({ name: 'debug', ...members })] });
  const at = 'spec.ephemeralContainers[0]';

  test('look at a container of the pod', () => {
    expect(ephemeral({ targetContainerName: 'app' })).toEqual([]);
    expect(ephemeral({ targetContainerName: 'x' })).toEqual([`${at}.targetContainerName: Not found: "x"`]);
  });
  test('have no ports, resources, probes, hooks or sub-paths', () => {
    const volumes = [{ name: 'v', emptyDir: {} }];
    const members = {
      ports: [{ containerPort: 1, protocol: 'TCP' }],
      resources: { limits: { cpu: '1' } },
      startupProbe: {},
      volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 'a' }],
    };
    const faults = faultsOfSpec({ volumes, ephemeralContainers: [container({ name: 'debug', ...members })] });
    const why = 'Forbidden: cannot be set for an Ephemeral Container';
    expect(faults).toEqual(
      ['ports', 'resources', 'startupProbe', 'volumeMounts[0].subPath'].map((name) => `${at}.${name}: ${why}`),
    );
    expect(ephemeral({ resources: {} })).toEqual([]);
  });
  test('have images without blanks and names of their own', () => {
    expect(ephemeral({ name: 'app', image: 'a ' })).toEqual([
      `${at}.image: Invalid value: "a ": must not have leading or trailing whitespace`,
      `${at}.name: Duplicate value: "app"`,
    ]);
  });
});
