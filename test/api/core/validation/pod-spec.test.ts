import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../api/core/json.ts';
import { container, faultsOfSpec } from './pods.ts';

type Row = [rule: string, members: JsonObject, errors: (string | RegExp)[]];

function hold(rows: Row[]): void {
  test.each(rows)('%s', (_rule, members, errors) => {
    expect(faultsOfSpec(members)).toEqual(
      errors.map((error) => (typeof error === 'string' ? error : expect.stringMatching(error))),
    );
  });
}

describe('a pod spec', () => {
  hold([
    ['may be plain', {}, []],
    [
      'needs what defaulting would give it',
      { restartPolicy: '', dnsPolicy: '', terminationGracePeriodSeconds: null },
      [
        'spec.terminationGracePeriodSeconds: Required value',
        'spec.restartPolicy: Required value',
        'spec.dnsPolicy: Required value',
      ],
    ],
    ['needs a container', { containers: [] }, ['spec.containers: Required value']],
    [
      'has known policies',
      { restartPolicy: 'x', dnsPolicy: 'y', preemptionPolicy: 'z' },
      [
        'spec.restartPolicy: Unsupported value: "x": supported values: "Always", "OnFailure", "Never"',
        'spec.dnsPolicy: Unsupported value: "y": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
        'spec.preemptionPolicy: Unsupported value: "z": supported values: "PreemptLowerPriority", "Never"',
      ],
    ],
    [
      'has names',
      {
        serviceAccountName: 'A',
        nodeName: 'B',
        hostname: 'a.b',
        subdomain: 'C',
        priorityClassName: 'D',
        runtimeClassName: '',
      },
      [
        /^spec.serviceAccountName: Invalid value: "A": a lowercase RFC 1123 subdomain/,
        /^spec.nodeName: Invalid value: "B": a lower/,
        'spec.hostname: Invalid value: "a.b": must not contain dots',
        /^spec.subdomain: Invalid value: "C": a lowercase RFC 1123 label/,
        /^spec.priorityClassName: Invalid value: "D": a lower/,
        /^spec.runtimeClassName: Invalid value: "": a lower/,
      ],
    ],
    [
      'has a deadline in range',
      { activeDeadlineSeconds: 0 },
      ['spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive'],
    ],
    [
      'selects nodes by labels',
      { nodeSelector: { 'a b': 'x', c: 'd e' } },
      [
        /^spec.nodeSelector: Invalid value: "a b": name part/,
        /^spec.nodeSelector: Invalid value: "d e": a valid label/,
      ],
    ],
    [
      'has overhead like limits',
      { overhead: { cpu: '-1', gpu: '1' } },
      [
        'spec.overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
        /^spec.overhead.limits\[gpu\]: Invalid value: gpu/,
        /^spec.overhead.limits\[gpu\]: Invalid value: gpu/,
      ],
    ],
    [
      'has aliases of addresses',
      { hostAliases: [{ ip: 'x', hostnames: ['a_b'] }] },
      [
        'spec.hostAliases[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        /^spec.hostAliases\[0\].hostnames\[0\]: Invalid value: "a_b"/,
      ],
    ],
    [
      'has gates',
      { readinessGates: [{ conditionType: 'a b' }], schedulingGates: [{ name: 'a' }, { name: 'a' }, { name: '' }] },
      [
        /^spec.readinessGates\[0\].conditionType: Invalid value: "a b": name part/,
        'spec.schedulingGates[1]: Duplicate value: "a"',
        'spec.schedulingGates[2]: Invalid value: "": name part must be non-empty',
        /^spec.schedulingGates\[2\]: Invalid value: "": name part must consist/,
      ],
    ],
    [
      'has a user namespace without host namespaces',
      { hostUsers: false, hostNetwork: true, hostPID: true, hostIPC: true },
      ['hostNetwork', 'HostPID', 'HostIPC'].map(
        (name) => `spec.${name}: Forbidden: when \`pod.Spec.HostUsers\` is false`,
      ),
    ],
    [
      'has resource claims',
      {
        resourceClaims: [
          { name: 'a', resourceClaimName: 'x' },
          { name: 'a', resourceClaimName: 'X' },
          { name: '', resourceClaimTemplateName: 't' },
          { name: 'b' },
          { name: 'c', resourceClaimName: 'x', resourceClaimTemplateName: 'y' },
        ],
      },
      [
        'spec.resourceClaims[1].name: Duplicate value: "a"',
        /^spec.resourceClaims\[1\].resourceClaimName: Invalid value: "X"/,
        'spec.resourceClaims[2].name: Required value',
        /^spec.resourceClaims\[3\]: Invalid value: .*: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`$/,
        /^spec.resourceClaims\[4\]: Invalid value: .*: at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified$/,
      ],
    ],
  ]);
});

describe('DNS', () => {
  const dns = (dnsConfig: JsonObject | null, dnsPolicy = 'None'): JsonObject => ({ dnsPolicy, dnsConfig });
  hold([
    [
      'needs a configuration if there is no policy',
      dns(null),
      ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
    ],
    [
      'needs a server then',
      dns({ searches: ['a b'] }),
      ['spec.dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None'],
    ],
    [
      'has up to three servers',
      dns({ nameservers: ['1.1.1.1', '1.1.1.2', '::1', 'x'] }),
      [
        /nameservers: Invalid value: \[.*\]: must not have more than 3 nameservers$/,
        /^spec.dnsConfig.nameservers\[3\]: Invalid value: "x"/,
      ],
    ],
    [
      'has search domains, dots at the end or not',
      dns({ searches: ['a.b.', 'A.', '.'] }, 'Default'),
      [
        /^spec.dnsConfig.searches\[1\]: Invalid value: "A": a lower/,
        /^spec.dnsConfig.searches\[2\]: Invalid value: "": a lower/,
      ],
    ],
    [
      'has up to 32 search domains',
      dns({ searches: Array(33).fill('a') }, 'Default'),
      [/must not have more than 32 search paths$/],
    ],
    [
      'has up to 2048 characters of them',
      dns({ searches: Array(10).fill(`${'a'.repeat(60)}.`.repeat(4).slice(0, -1)) }, 'Default'),
      [/must not have more than 2048 characters \(including spaces\) in the search list$/],
    ],
    [
      'has options with names',
      dns({ options: [{ value: '1' }] }, 'Default'),
      ['spec.dnsConfig.options[0]: Required value: must not be empty'],
    ],
  ]);
});

describe('the security context of a pod', () => {
  const context = (securityContext: JsonObject, pod: JsonObject = {}): JsonObject => ({ securityContext, ...pod });
  const at = 'spec.securityContext';
  hold([
    [
      'has ids in range',
      context({ fsGroup: -1, runAsUser: -2, runAsGroup: -3, supplementalGroups: [0, -4] }),
      [
        /^spec.securityContext.fsGroup: Invalid value: -1/,
        /runAsUser: Invalid value: -2/,
        /runAsGroup: Invalid value: -3/,
        `${at}.supplementalGroups[1]: Invalid value: -4: must be between 0 and 2147483647, inclusive`,
      ],
    ],
    [
      'has known policies',
      context({ fsGroupChangePolicy: 'x', supplementalGroupsPolicy: 'y', seLinuxChangePolicy: 'z' }),
      [
        `${at}.supplementalGroupsPolicy: Unsupported value: "y": supported values: "Merge", "Strict"`,
        `${at}.fsGroupChangePolicy: Unsupported value: "x": supported values: "Always", "OnRootMismatch"`,
        `${at}.seLinuxChangePolicy: Unsupported value: "z": supported values: "MountOption", "Recursive"`,
      ],
    ],
    [
      'has sysctls with names, each once',
      context({
        sysctls: [
          { name: '', value: '' },
          { name: 'bad..name', value: '' },
          { name: 'kernel/a', value: '' },
          { name: 'kernel/a', value: '' },
        ],
      }),
      [
        `${at}.sysctls[0].name: Required value`,
        `${at}.sysctls[1].name: Invalid value: "bad..name": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`,
        `${at}.sysctls[3].name: Duplicate value: "kernel/a"`,
      ],
    ],
    [
      'has no sysctls of namespaces that it shares',
      context(
        {
          sysctls: [
            { name: 'net.a', value: '' },
            { name: 'net/a', value: '' },
            { name: 'kernel.shmmax', value: '' },
            { name: 'kernel.other', value: '' },
          ],
        },
        { hostNetwork: true, hostIPC: true },
      ),
      [
        `${at}.sysctls[0].name: Invalid value: "net.a": may not be specified when 'hostNetwork' is true`,
        `${at}.sysctls[1].name: Invalid value: "net/a": may not be specified when 'hostNetwork' is true`,
        `${at}.sysctls[2].name: Invalid value: "kernel.shmmax": may not be specified when 'hostIPC' is true`,
      ],
    ],
    [
      'does not share processes twice',
      { shareProcessNamespace: true, hostPID: true },
      [`${at}.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled`],
    ],
  ]);
});

describe('the operating system', () => {
  const windows = { hostProcess: true };
  hold([
    [
      'is a known one',
      { os: { name: 'bsd' } },
      ['spec.os: Unsupported value: "bsd": supported values: "linux", "windows"'],
    ],
    ['has a name', { os: {} }, ['spec.os.name: Required value: cannot be empty']],
    [
      'Linux has no Windows options',
      {
        os: { name: 'linux' },
        securityContext: { windowsOptions: {} },
        containers: [container({ securityContext: { windowsOptions: {} } })],
      },
      ['spec', 'spec.containers[0]'].map(
        (at) => `${at}.securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod`,
      ),
    ],
    [
      'Windows has no Linux options',
      {
        os: { name: 'windows' },
        hostPID: true,
        hostUsers: true,
        shareProcessNamespace: false,
        securityContext: { fsGroup: 1 },
        initContainers: [container({ name: 'i', securityContext: { privileged: false } })],
      },
      [
        'securityContext.fsGroup',
        'hostPID',
        'hostUsers',
        'shareProcessNamespace',
        'initContainers[0].securityContext.privileged',
      ].map((name) => `spec.${name}: Forbidden: cannot be set for a windows pod`),
    ],
    [
      'Windows shares processes of the host in all containers or none',
      {
        hostNetwork: true,
        containers: [container({ securityContext: { windowsOptions: windows } }), container({ name: 'b' })],
      },
      [
        'spec: Invalid value: "": If pod contains any hostProcess containers then all containers must be HostProcess containers',
      ],
    ],
    [
      'Windows shares them on the host network',
      { securityContext: { windowsOptions: windows } },
      ['spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers'],
    ],
    [
      'Windows containers agree with their pod',
      {
        hostNetwork: true,
        securityContext: { windowsOptions: windows },
        containers: [container({ securityContext: { windowsOptions: { hostProcess: false } } })],
      },
      [
        'spec.containers[0].securityContext.windowsOptions.hostProcess: Invalid value: false: pod hostProcess value must be identical if both are specified, was true',
      ],
    ],
  ]);

  test('Windows shares them only if the cluster lets containers be privileged', () => {
    const pod = { hostNetwork: true, securityContext: { windowsOptions: windows } };
    expect(faultsOfSpec(pod, { allowPrivileged: false })).toEqual([
      'spec: Forbidden: hostProcess containers are disallowed by cluster policy',
    ]);
  });
});

describe('node affinity', () => {
  const required = (...nodeSelectorTerms: JsonObject[]): JsonObject => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  });
  const expression = (operator: string, ...values: string[]) => ({ key: 'a', operator, values });
  const at = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
  hold([
    ['needs a term', required(), [`${at}: Required value: must have at least one node selector term`]],
    ['may have an empty term', required({}), []],
    [
      'has operators with fitting values',
      required({
        matchExpressions: [
          expression('In'),
          expression('Exists', 'x'),
          expression('Gt', '1', '2'),
          expression('Is'),
          expression('Lt', '5'),
        ],
      }),
      [
        `${at}[0].matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
        `${at}[0].matchExpressions[1].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
        `${at}[0].matchExpressions[2].values: Required value: must be specified single value when \`operator\` is 'Lt' or 'Gt'`,
        `${at}[0].matchExpressions[3].operator: Invalid value: "Is": not a valid selector operator`,
      ],
    ],
    [
      'has label values',
      required({ matchExpressions: [expression('In', '-')] }),
      [/matchExpressions\[0\].values\[0\]: Invalid value: "-": a valid label/],
    ],
    [
      'selects nodes by name only',
      required({
        matchFields: [
          { key: 'metadata.name', operator: 'In', values: ['A'] },
          { key: 'x', operator: 'Exists' },
          { key: 'metadata.name', operator: 'NotIn', values: [] },
        ],
      }),
      [
        /matchFields\[0\].values\[0\]: Invalid value: "A": a lower/,
        `${at}[0].matchFields[1].operator: Invalid value: "Exists": not a valid selector operator`,
        `${at}[0].matchFields[1].key: Invalid value: "x": not a valid field selector key`,
        `${at}[0].matchFields[2].values: Required value: must be only one value when \`operator\` is 'In' or 'NotIn' for node field selector`,
      ],
    ],
    [
      'prefers with weights, and any value',
      {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 0, preference: { matchExpressions: [expression('In', '-')] } },
              { weight: 101, preference: {} },
            ],
          },
        },
      },
      [0, 101].map(
        (weight, index) =>
          `spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[${index}].weight: Invalid value: ${weight}: must be in the range 1-100`,
      ),
    ],
  ]);
});

describe('pod affinity', () => {
  const term = (members: JsonObject): JsonObject => ({
    affinity: {
      podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', ...members }] },
    },
  });
  const at = 'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]';
  hold([
    [
      'needs a topology',
      term({ topologyKey: '' }),
      [`${at}.topologyKey: Required value: can not be empty`, /name part must be non-empty$/, /name part must consist/],
    ],
    [
      'has selectors',
      term({
        labelSelector: { matchExpressions: [{ key: 'a b', operator: 'In', values: ['-'] }] },
        namespaceSelector: { matchLabels: { a: '-' } },
      }),
      [
        /labelSelector.matchExpressions\[0\].key: Invalid value: "a b"/,
        /namespaceSelector.matchLabels: Invalid value: "-"/,
      ],
    ],
    ['has namespaces', term({ namespaces: ['A'] }), [/namespace: Invalid value: "A": a lowercase RFC 1123 label/]],
    [
      'takes keys only into a selector',
      term({ matchLabelKeys: ['a'], mismatchLabelKeys: ['b'] }),
      ['matchLabelKeys', 'mismatchLabelKeys'].map(
        (name) => `${at}.${name}: Forbidden: must not be specified when labelSelector is not set`,
      ),
    ],
    [
      'takes a key one way',
      term({ labelSelector: {}, matchLabelKeys: ['a', 'b c'], mismatchLabelKeys: ['a'] }),
      [
        /matchLabelKeys\[1\]: Invalid value: "b c"/,
        `${at}.matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and mismatchLabelKeys`,
      ],
    ],
    [
      'prefers with weights',
      {
        affinity: {
          podAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, podAffinityTerm: { topologyKey: 'a b' } }],
          },
        },
      },
      [
        /podAffinity.preferredDuringSchedulingIgnoredDuringExecution\[0\].weight: Invalid value: 0/,
        /\[0\].podAffinityTerm.topologyKey: Invalid value: "a b"/,
      ],
    ],
  ]);
});

describe('spread constraints', () => {
  const constraint = (...constraints: JsonObject[]): JsonObject => ({
    topologySpreadConstraints: constraints.map((one) => ({
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      ...one,
    })),
  });
  const at = 'spec.topologySpreadConstraints[0]';
  hold([
    ['may be plain', constraint({}, { whenUnsatisfiable: 'ScheduleAnyway' }), []],
    [
      'are different',
      constraint({}, {}),
      [`${at}.{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, DoNotSchedule}"`],
    ],
    [
      'have known members',
      constraint({
        maxSkew: 0,
        topologyKey: '',
        whenUnsatisfiable: 'Never',
        nodeAffinityPolicy: 'x',
        nodeTaintsPolicy: 'y',
      }),
      [
        `${at}.maxSkew: Invalid value: 0: must be greater than zero`,
        `${at}.topologyKey: Required value: can not be empty`,
        `${at}.whenUnsatisfiable: Unsupported value: "Never": supported values: "DoNotSchedule", "ScheduleAnyway"`,
        `${at}.nodeAffinityPolicy: Unsupported value: "x": supported values: "Honor", "Ignore"`,
        `${at}.nodeTaintsPolicy: Unsupported value: "y": supported values: "Honor", "Ignore"`,
      ],
    ],
    [
      'have a minimum only if they bind',
      constraint({ minDomains: 0, whenUnsatisfiable: 'ScheduleAnyway' }),
      [
        `${at}.minDomains: Invalid value: 0: must be greater than zero`,
        `${at}.minDomains: Invalid value: 0: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway`,
      ],
    ],
    [
      'take keys that the selector does not have',
      constraint({ labelSelector: { matchLabels: { a: 'b' } }, matchLabelKeys: ['a'] }),
      [`${at}.matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and labelSelector`],
    ],
    [
      'take keys into a selector',
      constraint({ matchLabelKeys: ['a'] }),
      [`${at}.matchLabelKeys: Forbidden: must not be specified when labelSelector is not set`],
    ],
    ['may have odd selectors', constraint({ labelSelector: { matchLabels: { a: '-' } } }), []],
  ]);
});

describe('tolerations', () => {
  const toleration = (members: JsonObject): JsonObject => ({ tolerations: [members] });
  const at = 'spec.tolerations[0]';
  hold([
    ['may tolerate everything', toleration({ operator: 'Exists' }), []],
    [
      'have label keys',
      toleration({ key: 'a b', operator: 'Exists' }),
      [/^spec.tolerations\[0\].key: Invalid value: "a b"/],
    ],
    [
      'without a key tolerate everything',
      toleration({ operator: 'Equal' }),
      [
        `${at}.operator: Invalid value: "Equal": operator must be Exists when \`key\` is empty, which means "match all values and all keys"`,
      ],
    ],
    [
      'with Exists have no value',
      toleration({ key: 'a', operator: 'Exists', value: 'b' }),
      [`${at}.operator: Invalid value: "b": value must be empty when \`operator\` is 'Exists'`],
    ],
    [
      'have label values',
      toleration({ key: 'a', value: 'b c' }),
      [/^spec.tolerations\[0\].operator: Invalid value: "b c": a valid label/],
    ],
    [
      'have a known operator',
      toleration({ key: 'a', operator: 'In' }),
      [`${at}.operator: Unsupported value: "In": supported values: "Equal", "Exists"`],
    ],
    [
      'have a known effect',
      toleration({ key: 'a', effect: 'No' }),
      [`${at}.effect: Unsupported value: "No": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"`],
    ],
    [
      'have seconds only against eviction',
      toleration({ key: 'a', effect: 'NoSchedule', tolerationSeconds: 1 }),
      [`${at}.effect: Invalid value: "NoSchedule": effect must be 'NoExecute' when \`tolerationSeconds\` is set`],
    ],
  ]);
});
