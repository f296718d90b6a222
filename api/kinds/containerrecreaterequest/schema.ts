// The kind ContainerRecreateRequest, described once: names, versions, columns, and every member with its documentation
// (containerrecreaterequest 1). v1alpha1 knows neither bounds nor two members of the status; see conversion.ts.
import { Condition, conditionList } from '../../core/conditions.ts';
import { ContainerPort, ExecAction, HTTPGetAction, TCPSocketAction } from '../../core/containers.ts';
import { objectHead } from '../../core/meta.ts';
import {
  always,
  boolean,
  choice,
  type FieldOptions,
  int32,
  int64,
  list,
  optional,
  pointer,
  required,
  type Static,
  struct,
  text,
  time,
} from '../../core/schema.ts';
import { APPS_GROUP, CRR_NODE_NAME } from '../../names.ts';
import { AGE } from '../columns.ts';
import type { Column, KindDescription } from '../kind.ts';

const POLICIES = ['Fail', 'Ignore'];
const PHASES = ['Pending', 'Recreating', 'Completed', 'Failed', 'Succeeded'];

const PreStop = struct('v1beta1.ProbeHandler', {
  exec: pointer(ExecAction, 'Command to run in the container.'),
  httpGet: pointer(HTTPGetAction, 'Request to send.'),
  tcpSocket: pointer(TCPSocketAction, 'Not carried out.'),
});

const Port = struct(ContainerPort.goType, {
  ...ContainerPort.fields,
  protocol: optional(text('v1.Protocol'), '', { default: 'TCP' }),
});

const Container = struct('v1beta1.ContainerRecreateRequestContainer', {
  name: required(text(), 'Name of a container of the pod.'),
  preStop: pointer(PreStop, 'Hook that runs before the container is stopped; filled in by admission.'),
  ports: optional(list(Port), 'Ports that the hook may name; filled in by admission.', {
    // No client may give them, not even none.
    keepEmpty: true,
  }),
  statusContext: pointer(
    struct('v1beta1.ContainerRecreateRequestContainerContext', {
      containerID: required(text(), 'ID of the container.'),
      restartCount: required(int32(), 'How often it had been restarted.'),
    }),
    'The container as it was when the request was made; filled in by admission.',
  ),
});

const specOf = (version: string, { policy, bounds }: { policy: ReturnType<typeof text>; bounds: FieldOptions }) =>
  struct(`${version}.ContainerRecreateRequestSpec`, {
    podName: required(text(), 'Name of the pod, in the namespace of the request.'),
    containers: required(list(Container), 'Containers to restart, in this order.'),
    strategy: pointer(
      struct(`${version}.ContainerRecreateRequestStrategy`, {
        failurePolicy: optional(
          policy,
          'Fail ends the request with the first container that fails, Ignore goes on; Fail if absent.',
        ),
        orderedRecreate: optional(boolean(), 'Restarts a container only after the one before has succeeded.'),
        forceRecreate: optional(boolean(), 'Stops containers that were restarted since the request, too.'),
        terminationGracePeriodSeconds: pointer(
          int64(),
          'Seconds for the hook and for stopping; that of the pod if absent.',
          bounds,
        ),
        unreadyGracePeriodSeconds: pointer(
          int64(),
          'Makes the pod unready, and waits so many seconds before the first container is stopped.',
          bounds,
        ),
        minStartedSeconds: optional(int32(), 'Seconds that a new container must have run.', bounds),
      }),
      'How the containers are restarted.',
    ),
    activeDeadlineSeconds: pointer(
      int64(),
      'Seconds after its creation at which the request is ended; 3 at least.',
      bounds,
    ),
    ttlSecondsAfterFinished: pointer(
      int32(),
      'Seconds after its end at which the request is deleted; never if absent.',
      bounds,
    ),
  });

const Spec = specOf('v1beta1', {
  policy: choice('v1beta1.ContainerRecreateRequestFailurePolicyType', ...POLICIES),
  bounds: { openApi: { minimum: 0 } },
});
const SpecV1alpha1 = specOf('v1alpha1', {
  policy: text('v1alpha1.ContainerRecreateRequestFailurePolicyType'),
  bounds: {},
});

const progress = (version: string, phase: ReturnType<typeof text>) => ({
  phase: required(phase, 'Pending, Recreating or Completed; empty until the node has answered.'),
  completionTime: pointer(time(), 'When the request ended.'),
  message: optional(text(), 'Why the request ended early.'),
  containerRecreateStates: optional(
    list(
      struct(`${version}.ContainerRecreateRequestContainerRecreateState`, {
        name: required(text(), 'Name of the container.'),
        phase: required(phase, 'Pending, Recreating, Succeeded or Failed.'),
        message: optional(text(), 'Why the container failed or waits.'),
        isKilled: optional(boolean(), 'Whether the container was stopped for this request.'),
      }),
    ),
    'How far each container is.',
  ),
});

/** What kubelet tells about the new containers. */
export const Snapshot = list(
  struct('v1beta1.ContainerRecreateRequestSyncContainerStatus', {
    name: required(text(), 'Name of the container.'),
    ready: required(boolean(), 'Whether it is ready.'),
    restartCount: required(int32(), 'How often it has been restarted.'),
    containerID: optional(text(), 'ID of the container.'),
  }),
);

const Status = struct('v1beta1.ContainerRecreateRequestStatus', {
  ...progress('v1beta1', choice('v1beta1.ContainerRecreateRequestPhase', ...PHASES)),
  // None and an empty list are told apart only by conversion.
  containerStatusSnapshot: optional(Snapshot, 'The new containers, as kubelet tells of them.', { keepEmpty: true }),
  conditions: optional(list(Condition, conditionList), 'PreRecreateGrace is True once the pod was made unready.'),
});
const StatusV1alpha1 = struct(
  'v1alpha1.ContainerRecreateRequestStatus',
  progress('v1alpha1', text('v1alpha1.ContainerRecreateRequestPhase')),
);

export const ContainerRecreateRequest = struct('v1beta1.ContainerRecreateRequest', {
  ...objectHead,
  spec: always(Spec),
  status: always(Status),
});
export type ContainerRecreateRequest = Static<typeof ContainerRecreateRequest>;

export const ContainerRecreateRequestV1alpha1 = struct('v1alpha1.ContainerRecreateRequest', {
  ...objectHead,
  spec: always(SpecV1alpha1),
  status: always(StatusV1alpha1),
});
export type ContainerRecreateRequestV1alpha1 = Static<typeof ContainerRecreateRequestV1alpha1>;

const columns: readonly Column[] = [
  { name: 'PHASE', type: 'string', jsonPath: '.status.phase', doc: 'Pending, Recreating or Completed.' },
  { name: 'POD', type: 'string', jsonPath: '.spec.podName', doc: 'Name of the pod.' },
  {
    name: 'NODE',
    type: 'string',
    jsonPath: `.metadata.labels.${CRR_NODE_NAME.replaceAll('.', '\\.')}`,
    doc: 'Node of the pod.',
  },
  AGE,
];

export const description: KindDescription = {
  group: APPS_GROUP,
  kind: 'ContainerRecreateRequest',
  plural: 'containerrecreaterequests',
  shortNames: ['crr'],
  scope: 'Namespaced',
  storage: 'v1beta1',
  source: 'api/kinds/containerrecreaterequest/schema.ts',
  doc: 'ContainerRecreateRequest restarts containers of one pod in place, once.',
  versions: [
    { name: 'v1alpha1', schema: ContainerRecreateRequestV1alpha1, columns },
    { name: 'v1beta1', schema: ContainerRecreateRequest, columns },
  ],
};
