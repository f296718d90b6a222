// The gateway's metrics as a table; the reference page is made from it.

import type { MetricRow } from '../../component/metrics.ts';

export const METRICS = {
  requests: {
    name: 'controller_runtime_webhook_requests_total',
    type: 'counter',
    help: 'Admission requests by webhook path and HTTP code.',
    labels: ['webhook', 'code'],
  },
  latency: {
    name: 'controller_runtime_webhook_latency_seconds',
    type: 'histogram',
    help: 'Seconds from the headers of an admission request to its answer being handed to the connection.',
    labels: ['webhook'],
  },
  inFlight: {
    name: 'controller_runtime_webhook_requests_in_flight',
    type: 'gauge',
    help: 'Admission requests whose headers were read and that have no answer yet.',
    labels: ['webhook'],
  },
  panics: {
    name: 'controller_runtime_webhook_panics_total',
    type: 'counter',
    help: 'Reviews that the evaluator failed on; each was answered as not allowed with code 500.',
    labels: [],
  },
  traps: {
    name: 'sluice_policy_module_traps_total',
    type: 'counter',
    help: 'Times the policy module stopped in a review and was replaced; each was answered with code 500.',
    labels: [],
  },
  reviews: {
    name: 'sluice_admission_reviews_total',
    type: 'counter',
    help: 'Answered reviews by path, verdict and the code in the answer; code 0 stands for all not listed apart. Conversions count as allowed, failed ones as denied.',
    labels: ['path', 'verdict', 'code'],
  },
  refusals: {
    name: 'sluice_gateway_refusals_total',
    type: 'counter',
    help: 'Requests and connections refused before anything was evaluated, by reason.',
    labels: ['reason'],
  },
  connections: {
    name: 'sluice_gateway_connections',
    type: 'gauge',
    help: 'Open connections with a finished TLS handshake.',
    labels: [],
  },
  handedOver: {
    name: 'sluice_gateway_connections_handed_over_total',
    type: 'counter',
    help: "Connections that Node.js' HTTP parser reads since a request was not written as API servers write them.",
    labels: [],
  },
  certificateExpiry: {
    name: 'sluice_certificate_expiry_timestamp_seconds',
    type: 'gauge',
    help: 'When the serving certificate in use expires, in seconds since 1970.',
    labels: [],
  },
  certificateReloads: {
    name: 'sluice_certificate_reloads_total',
    type: 'counter',
    help: 'Changes of the certificate files that were taken over (success) or could not be (error).',
    labels: ['result'],
  },
  configurationPasses: {
    name: 'sluice_webhook_configuration_passes_total',
    type: 'counter',
    help: 'Passes over certificates, webhook configurations and CRDs, by result: success or error.',
    labels: ['result'],
  },
  configurationWrites: {
    name: 'sluice_webhook_configuration_writes_total',
    type: 'counter',
    help: 'Webhook configurations and CRDs that were written because they were not as they should be.',
    labels: [],
  },
  narrowedEntries: {
    name: 'sluice_webhook_entries_narrowed',
    type: 'gauge',
    help: 'Webhooks that somebody else made narrower, by further terms of selectors or match conditions.',
    labels: [],
  },
  objects: {
    name: 'sluice_objects',
    type: 'gauge',
    help: 'Objects in use from the source, by kind.',
    labels: ['kind'],
  },
  objectReloads: {
    name: 'sluice_object_reloads_total',
    type: 'counter',
    help: 'Changes of the source that were taken over (success) or could not be (error).',
    labels: ['result'],
  },
  objectsCurrent: {
    name: 'sluice_objects_current',
    type: 'gauge',
    help: '1 while the objects in use are those of the source, 0 while the source has an error.',
    labels: [],
  },
  workers: {
    name: 'sluice_gateway_workers',
    type: 'gauge',
    help: 'Threads that answer requests.',
    labels: [],
  },
  workerRestarts: {
    name: 'sluice_gateway_worker_restarts_total',
    type: 'counter',
    help: 'Threads started in place of one that ended or hung.',
    labels: [],
  },
  refusedObjects: {
    name: 'sluice_refused_objects',
    type: 'gauge',
    help: 'Policy objects of the cluster that cannot be used and are left out.',
    labels: [],
  },
  factReads: {
    name: 'sluice_fact_reads_total',
    type: 'counter',
    help: 'Questions of decisions that were put to the API server: answered or failed.',
    labels: ['outcome'],
  },
  statusWrites: {
    name: 'sluice_status_writes_total',
    type: 'counter',
    help: 'Writes of a status that decisions changed, by kind and outcome: done, conflict, or failed.',
    labels: ['kind', 'outcome'],
  },
  unwritten: {
    name: 'sluice_unwritten_decisions_total',
    type: 'counter',
    help: 'Requests whose decision could not be written, by kind of the object and what was done with them: deny or admit.',
    labels: ['kind', 'done'],
  },
  budgetDenials: {
    name: 'pod_unavailable_budget',
    type: 'counter',
    help: 'Requests about pods that their budget refused, by controller of the pod and user; `other` beyond 1,000 of them.',
    labels: ['kind_namespace_name', 'username'],
  },
  namespaceProtection: {
    name: 'namespace_deletion_protection',
    type: 'counter',
    help: 'Refused deletions of protected Namespaces.',
    labels: ['name', 'username'],
  },
  definitionProtection: {
    name: 'crd_deletion_protection',
    type: 'counter',
    help: 'Refused deletions of protected CustomResourceDefinitions.',
    labels: ['name', 'username'],
  },
  workloadProtection: {
    name: 'workload_deletion_protection',
    type: 'counter',
    help: 'Refused deletions of protected workloads.',
    labels: ['kind_namespace_name', 'username'],
  },
} as const satisfies Record<string, MetricRow>;

/** Metrics that whoever decides counts up, in whatever thread. */
export const DECISION_METRICS = ['factReads', 'statusWrites', 'unwritten'] as const;
export type DecisionMetric = (typeof DECISION_METRICS)[number];

/** Why something was refused before it was evaluated. */
export const REFUSALS = [
  'body_too_large',
  'body_missing',
  'body_too_slow',
  'content_encoding',
  'content_type',
  'headers_too_large',
  'headers_too_slow',
  'http_version',
  'late',
  'malformed_request',
  'method',
  'not_ready',
  'overloaded',
  'path',
  'trailers',
  'upgrade',
  'answer_not_taken',
  'client_certificate',
  'client_name',
  'connection_limit',
  'handshake_failed',
  'handshake_limit',
  'handshake_too_slow',
  'plain_http',
] as const;
export type Refusal = (typeof REFUSALS)[number];
