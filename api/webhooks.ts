// Every admission webhook entry of the two configurations, in their order (admission-overview 2): which requests are
// sent to which path. Which paths a program serves depends on its gates and is left to it.

/** One entry. `resource` may name a sub-resource (`pods/eviction`). */
export type WebhookEntry = {
  readonly type: 'mutating' | 'validating';
  readonly name: string;
  readonly path: string;
  readonly group: string;
  readonly versions: readonly string[];
  readonly resource: string;
  readonly operations: readonly ('CREATE' | 'UPDATE' | 'DELETE')[];
};

/** The path that answers ConversionReviews; it belongs to no entry. */
export const CONVERT_PATH = '/convert';

/**
 * The path that entries made before version 1.9 mean: theirs named the version. Any other path is itself. (fault F2)
 */
export function currentPath(path: string): string {
  return path.replace(/^(\/(?:mutate|validate)-(?:apps|policy)-kruise-io)-v1alpha1-/, '$1-');
}

const both = ['v1alpha1', 'v1beta1'] as const;
const operationNames = { C: 'CREATE', U: 'UPDATE', D: 'DELETE' } as const;

type Letters = 'C' | 'U D' | 'D' | 'C U' | 'C U D';

function entry(
  type: WebhookEntry['type'],
  row: readonly [string, string, string, Letters, (readonly string[])?],
): WebhookEntry {
  const [name, path, groupResource, letters, versions = both] = row;
  const slash = groupResource.indexOf('/');
  return {
    type,
    name: `${name}.kb.io`,
    path,
    group: groupResource.slice(0, slash),
    versions,
    resource: groupResource.slice(slash + 1),
    operations: letters.split(' ').map((letter) => operationNames[letter as keyof typeof operationNames]),
  };
}

const apps = 'apps.kruise.io';
const policy = 'policy.kruise.io';

/** Mutating first, each type in the order in which the API server calls them. */
export const webhookEntries: readonly WebhookEntry[] = [
  entry('mutating', ['mpod', '/mutate-pod', '/pods', 'C', ['v1']]),
  entry('mutating', ['madvancedcronjob', '/mutate-apps-kruise-io-advancedcronjob', `${apps}/advancedcronjobs`, 'C U']),
  entry('mutating', ['mbroadcastjob', '/mutate-apps-kruise-io-broadcastjob', `${apps}/broadcastjobs`, 'C U']),
  entry('mutating', ['mcloneset', '/mutate-apps-kruise-io-cloneset', `${apps}/clonesets`, 'C U']),
  entry('mutating', [
    'mcontainerrecreaterequest',
    '/mutate-apps-kruise-io-containerrecreaterequest',
    `${apps}/containerrecreaterequests`,
    'C U',
  ]),
  entry('mutating', ['mdaemonset', '/mutate-apps-kruise-io-daemonset', `${apps}/daemonsets`, 'C U']),
  entry('mutating', [
    'mimagelistpulljob-v1beta1',
    '/mutate-apps-kruise-io-imagelistpulljob',
    `${apps}/imagelistpulljobs`,
    'C U',
  ]),
  entry('mutating', ['mimagepulljob-v1beta1', '/mutate-apps-kruise-io-imagepulljob', `${apps}/imagepulljobs`, 'C U']),
  entry('mutating', ['mnodeimage', '/mutate-apps-kruise-io-nodeimage', `${apps}/nodeimages`, 'C U']),
  entry('mutating', ['msidecarset', '/mutate-apps-kruise-io-sidecarset', `${apps}/sidecarsets`, 'C U']),
  entry('mutating', ['mstatefulset', '/mutate-apps-kruise-io-statefulset', `${apps}/statefulsets`, 'C U']),
  entry('mutating', [
    'muniteddeployment',
    '/mutate-apps-kruise-io-uniteddeployment',
    `${apps}/uniteddeployments`,
    'C U',
  ]),
  entry('validating', [
    'vresourcedistribution',
    '/validate-apps-kruise-io-resourcedistribution',
    `${apps}/resourcedistributions`,
    'C U',
  ]),
  entry('validating', ['vworkloadspread', '/validate-apps-kruise-io-workloadspread', `${apps}/workloadspreads`, 'C U']),
  entry('validating', [
    'vadvancedcronjob',
    '/validate-apps-kruise-io-advancedcronjob',
    `${apps}/advancedcronjobs`,
    'C U',
  ]),
  entry('validating', ['vbroadcastjob', '/validate-apps-kruise-io-broadcastjob', `${apps}/broadcastjobs`, 'C U']),
  entry('validating', ['vbuiltindeployment', '/validate-apps-deployment', 'apps/deployments', 'D', ['v1']]),
  entry('validating', ['vbuiltinreplicaset', '/validate-apps-replicaset', 'apps/replicasets', 'D', ['v1']]),
  entry('validating', ['vbuiltinstatefulset', '/validate-apps-statefulset', 'apps/statefulsets', 'D', ['v1']]),
  entry('validating', ['vcloneset', '/validate-apps-kruise-io-cloneset', `${apps}/clonesets`, 'C U D']),
  entry('validating', [
    'vcustomresourcedefinition',
    '/validate-customresourcedefinition',
    'apiextensions.k8s.io/customresourcedefinitions',
    'D',
    ['v1', 'v1beta1'],
  ]),
  entry('validating', ['vdaemonset', '/validate-apps-kruise-io-daemonset', `${apps}/daemonsets`, 'C U']),
  entry('validating', [
    'vephemeraljobs',
    '/validate-apps-kruise-io-v1alpha1-ephemeraljob',
    `${apps}/ephemeraljobs`,
    'C U',
    ['v1alpha1'],
  ]),
  entry('validating', [
    'vimagelistpulljob-v1beta1',
    '/validate-apps-kruise-io-imagelistpulljob',
    `${apps}/imagelistpulljobs`,
    'C U',
  ]),
  entry('validating', [
    'vimagepulljob-v1beta1',
    '/validate-apps-kruise-io-imagepulljob',
    `${apps}/imagepulljobs`,
    'C U',
  ]),
  entry('validating', ['vingress', '/validate-ingress', 'networking.k8s.io/ingresses', 'D', ['v1', 'v1beta1']]),
  entry('validating', ['vnamespace', '/validate-namespace', '/namespaces', 'D', ['v1']]),
  entry('validating', ['vnodeimage', '/validate-apps-kruise-io-nodeimage', `${apps}/nodeimages`, 'C U']),
  entry('validating', [
    'vpersistentpodstate',
    '/validate-apps-kruise-io-persistentpodstate',
    `${apps}/persistentpodstates`,
    'C U',
  ]),
  entry('validating', ['vpod', '/validate-pod', '/pods', 'U D', ['v1']]),
  entry('validating', ['vpodeviction', '/validate-pod', '/pods/eviction', 'C', ['v1']]),
  entry('validating', [
    'vpodprobemarker',
    '/validate-apps-kruise-io-podprobemarker',
    `${apps}/podprobemarkers`,
    'C U',
    ['v1alpha1'],
  ]),
  entry('validating', [
    'vpodunavailablebudget',
    '/validate-policy-kruise-io-podunavailablebudget',
    `${policy}/podunavailablebudgets`,
    'C U',
  ]),
  entry('validating', ['vservice', '/validate-service', '/services', 'D', ['v1']]),
  entry('validating', ['vsidecarset', '/validate-apps-kruise-io-sidecarset', `${apps}/sidecarsets`, 'C U']),
  entry('validating', ['vstatefulset', '/validate-apps-kruise-io-statefulset', `${apps}/statefulsets`, 'C U D']),
  entry('validating', [
    'vuniteddeployment',
    '/validate-apps-kruise-io-uniteddeployment',
    `${apps}/uniteddeployments`,
    'C U D',
  ]),
];
