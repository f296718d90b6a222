// ContainerRecreateRequest for the registry of kinds. It has no validating webhook: its mutating one refuses.
import type { JsonObject } from '../../core/json.ts';
import { defineKind } from '../define.ts';
import { admitRequest, applyRequestDefaults, changeFault } from './admission.ts';
import { toV1alpha1, toV1beta1 } from './conversion.ts';
import { type ContainerRecreateRequest, type ContainerRecreateRequestV1alpha1, description } from './schema.ts';

export const containerRecreateRequest = defineKind(description, {
  gates: ['KruiseDaemon'],
  errorCode: 400,
  applyDefaults: (object, _version, { old }) =>
    old === undefined ? (applyRequestDefaults(object as ContainerRecreateRequest) as JsonObject) : object,
  admit: (object, version, context, given) => {
    const request = object as ContainerRecreateRequest;
    if (context.old !== undefined) {
      const fault = changeFault(request, context.old as ContainerRecreateRequest, version);
      return fault === undefined ? given : [fault];
    }
    const admitted = admitRequest(request, context);
    return 'text' in admitted ? [admitted] : (admitted as JsonObject);
  },
  validate: () => [],
  convert: (object, _fromVersion, toVersion) =>
    toVersion === 'v1beta1'
      ? (toV1beta1(object as ContainerRecreateRequestV1alpha1) as JsonObject)
      : (toV1alpha1(object as ContainerRecreateRequest) as JsonObject),
});
