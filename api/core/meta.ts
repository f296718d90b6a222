// Object metadata and label selectors (meta/v1), members in Go's order.

import type { Static } from './schema.ts';
import {
  always,
  anyJson,
  boolean,
  int64,
  list,
  map,
  nullable,
  optional,
  pointer,
  required,
  struct,
  text,
  time,
} from './schema.ts';

export const LabelSelectorRequirement = struct('v1.LabelSelectorRequirement', {
  key: required(text(), 'The label key that the selector applies to.'),
  operator: required(text('v1.LabelSelectorOperator'), 'In, NotIn, Exists or DoesNotExist.'),
  values: optional(
    list(text(), { 'x-kubernetes-list-type': 'atomic' }),
    'Values for In and NotIn; empty for Exists and DoesNotExist.',
  ),
});
export type LabelSelectorRequirement = Static<typeof LabelSelectorRequirement>;

export const LabelSelector = struct(
  'v1.LabelSelector',
  {
    matchLabels: optional(map(text()), 'Label keys and the values they must have.'),
    matchExpressions: optional(
      list(LabelSelectorRequirement, { 'x-kubernetes-list-type': 'atomic' }),
      'Requirements that must all hold.',
    ),
  },
  { 'x-kubernetes-map-type': 'atomic' },
);
export type LabelSelector = Static<typeof LabelSelector>;

const { matchLabels, matchExpressions } = LabelSelector.fields;
const { values } = LabelSelectorRequirement.fields;

/**
 * A selector that an update may not change at all: an empty list or map is another one than none, as Go's deep comparison
 * has it. Nothing else tells them apart.
 */
export const ExactLabelSelector = struct(
  LabelSelector.goType,
  {
    matchLabels: { ...matchLabels, options: { keepEmpty: true } },
    matchExpressions: {
      ...matchExpressions,
      schema: list(
        struct(LabelSelectorRequirement.goType, {
          ...LabelSelectorRequirement.fields,
          values: { ...values, options: { keepEmpty: true } },
        }),
        matchExpressions.schema.openApi,
      ),
      options: { keepEmpty: true },
    },
  },
  LabelSelector.openApi,
);

export const OwnerReference = struct('v1.OwnerReference', {
  apiVersion: required(text()),
  kind: required(text()),
  name: required(text()),
  uid: required(text('types.UID')),
  controller: pointer(boolean()),
  blockOwnerDeletion: pointer(boolean()),
});
export type OwnerReference = Static<typeof OwnerReference>;

const ManagedFieldsEntry = struct('v1.ManagedFieldsEntry', {
  manager: optional(text()),
  operation: optional(text('v1.ManagedFieldsOperationType')),
  apiVersion: optional(text()),
  time: pointer(time()),
  fieldsType: optional(text()),
  fieldsV1: pointer(anyJson('v1.FieldsV1')),
  subresource: optional(text()),
});

export const ObjectMeta = struct('v1.ObjectMeta', {
  name: optional(text()),
  generateName: optional(text()),
  namespace: optional(text()),
  selfLink: optional(text()),
  uid: optional(text('types.UID')),
  resourceVersion: optional(text()),
  generation: optional(int64()),
  creationTimestamp: nullable(time()),
  deletionTimestamp: pointer(time()),
  deletionGracePeriodSeconds: pointer(int64()),
  labels: optional(map(text())),
  annotations: optional(map(text())),
  ownerReferences: optional(list(OwnerReference)),
  finalizers: optional(list(text())),
  managedFields: optional(list(ManagedFieldsEntry)),
});
export type ObjectMeta = Static<typeof ObjectMeta>;

/** The members that every object begins with. */
export const objectHead = { kind: optional(text()), apiVersion: optional(text()), metadata: always(ObjectMeta) };
