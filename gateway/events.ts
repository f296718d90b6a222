// The Events that the gateway records: under which reasons people, and what they have set up, find them. The reference page
// is made from this table.

import type { EventRow } from '../kube/event-rows.ts';

export const EVENTS = {
  invalidObject: {
    reason: 'InvalidPolicyObject',
    eventType: 'Warning',
    on: 'any of our kinds',
    when: 'The object cannot be used, or read, and is left out as if it were not there.',
  },
  mirrorFailed: {
    reason: 'MirrorFailed',
    eventType: 'Warning',
    on: 'Service of the webhooks',
    when: 'The API server cannot be followed, or lets nobody read a resource.',
  },
  configurationFailed: {
    reason: 'WebhookConfigurationFailed',
    eventType: 'Warning',
    on: 'Service of the webhooks',
    when: 'Certificate, webhook configurations or CRDs cannot be kept as they should be. It is tried again.',
  },
  // As clients of the system that we replace know it.
  deletionPrevented: {
    reason: 'PubPreventPodDeletion',
    eventType: 'Warning',
    on: 'Pod',
    when: 'The pod is kept by its PodUnavailableBudget.',
  },
} as const satisfies Record<string, EventRow>;
