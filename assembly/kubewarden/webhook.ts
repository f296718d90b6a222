// Which webhook of the plain module a request would have gone to: Kubewarden sends all to one policy.

import { Text } from '../json/text';
import { View } from '../json/view';

const GROUPS: StaticArray<string> = [
  '',
  'apiextensions.k8s.io',
  'apps',
  'apps',
  'apps',
  '',
  'networking.k8s.io',
  'apps.kruise.io',
  'apps.kruise.io',
  'apps.kruise.io',
];
const RESOURCES: StaticArray<string> = [
  'namespaces',
  'customresourcedefinitions',
  'deployments',
  'replicasets',
  'statefulsets',
  'services',
  'ingresses',
  'clonesets',
  'statefulsets',
  'uniteddeployments',
];

/** Number of a webhook (docs/reference/abi.md), or -1 for requests that no policy is about. */
export function webhookOf(request: View): i32 {
  const group = request.get('resource').get('group').text();
  const resource = request.get('resource').get('resource').text();
  if (group.isEmpty && resource.is('pods')) {
    return isCreation(request) ? 0 : 11;
  }
  for (let i = 0; i < RESOURCES.length; i++) {
    if (resource.is(RESOURCES[i]) && group.is(GROUPS[i])) {
      return i + 1;
    }
  }
  return -1;
}

function isCreation(request: View): bool {
  return request.get('operation').is('CREATE') && subResourceOf(request).isEmpty;
}

function subResourceOf(request: View): Text {
  return request.get('subResource').text();
}
