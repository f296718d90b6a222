// The Events that the program records: under which reasons people, and what they have set up, find them. The reference page
// is made from this table.

import type { EventRow } from '../kube/event-rows.ts';

export const EVENTS = {
  notUpgradable: {
    reason: 'NotUpgradablePods',
    eventType: 'Normal',
    on: 'SidecarSet',
    when: 'More than images of the sidecars of some pods has changed; they stay as they are until they are created anew.',
  },
  metadataFailed: {
    reason: 'PatchPodMetadataFailed',
    eventType: 'Warning',
    on: 'Pod',
    when: 'An annotation of the pod cannot be merged with what a SidecarSet gives it; its sidecars are not upgraded.',
  },
  resetSucceeded: {
    reason: 'ResetContainerSucceed',
    eventType: 'Normal',
    on: 'Pod',
    when: 'A hot upgrade is finished: the containers that were replaced have the empty image.',
  },
  resetFailed: {
    reason: 'ResetContainerFailed',
    eventType: 'Warning',
    on: 'Pod',
    when: 'A hot upgrade cannot be finished, for the reason that the message tells. It is tried again.',
  },
  noPods: {
    reason: 'NoPods',
    eventType: 'Normal',
    on: 'PodUnavailableBudget',
    when: 'The budget has no pods.',
  },
  notDeleted: {
    reason: 'NotDeleted',
    eventType: 'Warning',
    on: 'Pod',
    when: 'The deletion of the pod was admitted by its budget 20 s ago, and the pod is still there; its unit is given back.',
  },
  countFailed: {
    reason: 'CalculateExpectedPodCountFailed',
    eventType: 'Warning',
    on: 'PodUnavailableBudget',
    when: 'The amount of the budget cannot be read. The status stays as it is.',
  },
  createFailed: {
    reason: 'CreatePodFailed',
    eventType: 'Warning',
    on: 'WorkloadSpread',
    when: 'A pod that was admitted 30 s ago has not come; its place is given back.',
  },
  deleteFailed: {
    reason: 'DeletePodFailed',
    eventType: 'Warning',
    on: 'WorkloadSpread',
    when: 'A pod whose deletion was admitted 15 s ago is still there, or one that no node takes cannot be deleted.',
  },
  costFailed: {
    reason: 'PatchPodDeletionCostFailed',
    eventType: 'Warning',
    on: 'WorkloadSpread',
    when: 'The deletion cost of a pod cannot be written, for the reason that the message tells. It is tried again.',
  },
  recovered: {
    reason: 'RecoverSchedulable',
    eventType: 'Normal',
    on: 'WorkloadSpread',
    when: 'A subset that no pods were put into is tried again.',
  },
  reconcileFailed: {
    reason: 'ReconcileFailed',
    eventType: 'Warning',
    on: 'what the controller is about',
    when: 'The API server has refused the same write eight times in a row.',
  },
  invalidObject: {
    reason: 'InvalidObject',
    eventType: 'Warning',
    on: 'any of our kinds',
    when: 'The object does not fit the description of its kind. It is left out as if it were not there.',
  },
  listedKindFailed: {
    reason: 'ListedKindFailed',
    eventType: 'Warning',
    on: 'ConfigMap kruise-configuration',
    when: 'A list of kinds cannot be read, or a kind in it cannot be followed.',
  },
  mirrorFailed: {
    reason: 'MirrorFailed',
    eventType: 'Warning',
    on: 'Lease',
    when: 'The API server cannot be followed, or lets nobody read a resource.',
  },
  leading: {
    reason: 'LeaderElection',
    eventType: 'Normal',
    on: 'Lease',
    when: 'A process leads, or leads no more.',
  },
} as const satisfies Record<string, EventRow>;
