// Which workloads a PersistentPodState may be of (persistentpodstate.md 1.4).

import { APPS_GROUP, KRUISE_CONFIGURATION, PERSISTENTPODSTATE_WORKLOADS_KEY } from '../../../api/names';
import { parse } from '../../json/parse';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { memberOfAnyCase } from '../../object/any-case';
import { groupOf } from '../../object/pod';
import { Review } from '../../review';
import { systemNamespace } from '../../settings';
import { find } from '../../store/store';
import { Stored } from '../../store/stored';
import { isOf } from '../workload';

/** Is the owner a StatefulSet, or of a kind that the installation allows? A list that cannot be read allows nothing. */
export function isSupported(owner: View, review: Review): bool {
  if (isOf(owner, 'apps', 'StatefulSet') || isOf(owner, APPS_GROUP, 'StatefulSet')) {
    return true;
  }
  const configuration = find(Stored.Configuration, systemNamespace(), Text.of(KRUISE_CONFIGURATION));
  const list = configuration.get('data').get(PERSISTENTPODSTATE_WORKLOADS_KEY).text();
  if (list.isEmpty) {
    return false;
  }
  const allowed = parse(list);
  if (!allowed.isSet) {
    review.warn(
      Text.of(
        'ConfigMap kruise-configuration: PPS_Watch_Custom_Workload_WhiteList is no JSON, so no kind of it counts',
      ),
    );
  }
  return isListed(owner, memberOfAnyCase(allowed, 'workloads'));
}

function isListed(owner: View, workloads: View): bool {
  const group = groupOf(owner.get('apiVersion').text());
  const kind = owner.get('kind').text();
  for (let workload = workloads.first(); workload.exists; workload = workload.next()) {
    if (
      memberOfAnyCase(workload, 'group').text().equals(group) &&
      memberOfAnyCase(workload, 'kind').text().equals(kind)
    ) {
      return true;
    }
  }
  return false;
}
