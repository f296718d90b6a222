// The kinds of workloads that pods are spread for: the well-known ones, and those that the installation lists
// (workloadspread.md 6).

import { APPS_GROUP, KRUISE_CONFIGURATION, WORKLOADSPREAD_WORKLOADS_KEY } from '../../../api/names';
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

export class CustomWorkloads {
  private readonly list: View;

  /** A list that cannot be read allows nothing. */
  constructor(review: Review) {
    const configuration = find(Stored.Configuration, systemNamespace(), Text.of(KRUISE_CONFIGURATION));
    const text = configuration.get('data').get(WORKLOADSPREAD_WORKLOADS_KEY).text();
    const allowed = text.isEmpty ? View.none() : parse(text);
    if (!text.isEmpty && !allowed.exists) {
      review.warn(
        Text.of(
          'ConfigMap kruise-configuration: WorkloadSpread_Watch_Custom_Workload_WhiteList is no JSON, so no kind of it counts',
        ),
      );
    }
    this.list = memberOfAnyCase(allowed, 'workloads');
  }

  /** May the controller of a spread workload's pods, or of such controllers, be of this kind? */
  isKnown(owner: View): bool {
    return isBuiltIn(owner) || this.isListed(owner);
  }

  /** Where in the workload its number of replicas stands; empty when nothing says it. */
  replicasPath(target: View): Text {
    for (let workload = this.list.first(); workload.exists; workload = workload.next()) {
      if (isSameKind(workload, target)) {
        return memberOfAnyCase(workload, 'replicaspath').text();
      }
    }
    return Text.empty();
  }

  private isListed(owner: View): bool {
    for (let workload = this.list.first(); workload.exists; workload = workload.next()) {
      if (isSameKind(workload, owner)) {
        return true;
      }
      const parts = memberOfAnyCase(workload, 'subresources');
      for (let part = parts.first(); part.exists; part = part.next()) {
        if (isSameKind(part, owner)) {
          return true;
        }
      }
    }
    return false;
  }
}

/** The kinds that need no list. */
export function isBuiltIn(reference: View): bool {
  return (
    isOf(reference, 'apps', 'ReplicaSet') ||
    isOf(reference, 'apps', 'Deployment') ||
    isOf(reference, 'apps', 'StatefulSet') ||
    isOf(reference, 'batch', 'Job') ||
    isOf(reference, APPS_GROUP, 'CloneSet') ||
    isOf(reference, APPS_GROUP, 'StatefulSet')
  );
}

function isSameKind(entry: View, reference: View): bool {
  return (
    memberOfAnyCase(entry, 'group')
      .text()
      .equals(groupOf(reference.get('apiVersion').text())) &&
    memberOfAnyCase(entry, 'kind').text().equals(reference.get('kind').text())
  );
}
