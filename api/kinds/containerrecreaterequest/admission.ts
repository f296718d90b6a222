// Admission of ContainerRecreateRequests, by the mutating webhook alone: a new request is checked against its pod and gets
// the facts that the node needs; afterwards it stays as it is (containerrecreaterequest 2). The first rule that does not
// hold is the answer.
import type { Container } from '../../core/containers.ts';
import { type FieldError, plainError } from '../../core/field-error.ts';
import { equalJson, isObject, type Json, type JsonObject, toNumber } from '../../core/json.ts';
import {
  CRR_ACTIVE,
  CRR_NODE_NAME,
  CRR_POD_UID,
  CRR_UNREADY_ACQUIRED,
  NODE_TYPE,
  VIRTUAL_KUBELET,
} from '../../names.ts';
import type { RequestContext } from '../kind.ts';
import { containersOf, isRecreatable, type Pod, readPod } from './pod.ts';
import type { ContainerRecreateRequest, ContainerRecreateRequestV1alpha1 } from './schema.ts';
import { wording } from './wording.ts';

type Request = ContainerRecreateRequest | ContainerRecreateRequestV1alpha1;
type Spec = NonNullable<ContainerRecreateRequest['spec']>;
type RequestedContainer = Spec['containers'][number];

const DEADLINE_LEAST_SECONDS = 3;
const IMMUTABLE_LABELS = [CRR_POD_UID, CRR_NODE_NAME];

/** Completes a decoded new request as far as it needs no cluster, and returns it. */
export function applyRequestDefaults<T extends Request>(request: T): T {
  request.spec ??= { podName: '', containers: [] };
  request.spec.strategy ??= {};
  request.spec.strategy.failurePolicy ??= 'Fail';
  addLabels(request, { [CRR_ACTIVE]: 'true' });
  const { status } = request as ContainerRecreateRequest;
  if (status?.containerStatusSnapshot?.length === 0) delete status.containerStatusSnapshot;
  return request;
}

/** Why a decoded request may not be changed so; undefined if it may. */
export function changeFault(request: Request, old: Request, version: string): FieldError | undefined {
  if (!equalJson(request.spec as Json | undefined, old.spec as Json | undefined)) {
    return plainError('spec', wording.specImmutable, 'Forbidden');
  }
  for (const name of IMMUTABLE_LABELS) {
    if ((request.metadata?.labels?.[name] ?? '') === (old.metadata?.labels?.[name] ?? '')) continue;
    return plainError(`metadata.labels[${name}]`, wording.labelImmutable(name), 'Forbidden');
  }
  // In v1beta1 the status tells it, which is not in question here.
  const acquired = version === 'v1alpha1' ? (old.metadata?.annotations?.[CRR_UNREADY_ACQUIRED] ?? '') : '';
  if (acquired === '' || request.metadata?.annotations?.[CRR_UNREADY_ACQUIRED] === acquired) return undefined;
  const path = `metadata.annotations[${CRR_UNREADY_ACQUIRED}]`;
  return plainError(path, wording.annotationImmutable(CRR_UNREADY_ACQUIRED), 'Forbidden');
}

/** Checks a decoded new request and completes it, or tells why it is refused. */
export function admitRequest(request: Request, context: RequestContext): Request | FieldError {
  const spec = applyRequestDefaults(request).spec as Spec;
  const fault = specFault(spec);
  if (fault !== undefined) return fault;
  const pod = findPod(request.metadata?.namespace ?? context.namespace, spec.podName, context);
  if ('kind' in pod) return pod;
  const nodeName = pod.spec?.nodeName ?? '';
  const node = context.object('', 'Node', '', nodeName);
  if (node === undefined) return plainError('spec.podName', wording.nodeMissing(nodeName));
  addLabels(request, {
    [CRR_NODE_NAME]: nodeName,
    [CRR_POD_UID]: pod.metadata?.uid ?? '',
    ...(hasNoDaemon(node) && { [NODE_TYPE]: VIRTUAL_KUBELET }),
  });
  const graceSeconds = pod.spec?.terminationGracePeriodSeconds;
  if (spec.strategy !== undefined && graceSeconds !== undefined) {
    spec.strategy.terminationGracePeriodSeconds ??= graceSeconds;
  }
  return completeContainers(spec, pod) ?? request;
}

function specFault({ podName, containers, strategy, activeDeadlineSeconds }: Spec): FieldError | undefined {
  if (podName === '') return plainError('spec.podName', wording.podNameMissing);
  if ((containers ?? []).length === 0) return plainError('spec.containers', wording.containersMissing);
  if (activeDeadlineSeconds !== undefined && toNumber(activeDeadlineSeconds) < DEADLINE_LEAST_SECONDS) {
    return plainError('spec.activeDeadlineSeconds', wording.deadlineTooShort(DEADLINE_LEAST_SECONDS));
  }
  for (const member of ['terminationGracePeriodSeconds', 'unreadyGracePeriodSeconds'] as const) {
    const seconds = strategy?.[member];
    if (seconds === undefined || toNumber(seconds) >= 0) continue;
    return plainError(`spec.strategy.${member}`, wording.negative(member));
  }
  const policy = strategy?.failurePolicy ?? '';
  if (policy === 'Fail' || policy === 'Ignore') return undefined;
  return plainError('spec.strategy.failurePolicy', wording.failurePolicy(policy));
}

function findPod(namespace: string, name: string, context: RequestContext): Pod | FieldError {
  const path = 'spec.podName';
  const stored = context.object('', 'Pod', namespace, name);
  if (stored === undefined) return plainError(path, wording.podMissing(name));
  const pod = readPod(stored);
  if (typeof pod === 'string') return plainError(path, wording.podUnreadable(name, pod), 'InternalError');
  if (!isRecreatable(pod)) return plainError(path, wording.podInactive);
  return (pod.spec?.nodeName ?? '') === '' ? plainError(path, wording.podPending) : pod;
}

/** Copies hook, ports and status of each container from the pod; the first that cannot be restarted is the answer. */
function completeContainers({ containers }: Spec, pod: Pod): FieldError | undefined {
  const seen = new Set<string>();
  const ofPod = containersOf(pod);
  for (const [index, container] of containers.entries()) {
    const { name } = container;
    const path = `spec.containers[${index}]`;
    if (seen.has(name)) return plainError(`${path}.name`, wording.containerTwice(name));
    seen.add(name);
    const isFilledIn = [container.preStop, container.ports, container.statusContext].some((fact) => fact !== undefined);
    if (isFilledIn) return plainError(path, wording.factsGiven);
    const known = ofPod.get(name);
    if (known === undefined) return plainError(`${path}.name`, wording.containerUnknown(name));
    if (known.status === undefined) return plainError(`${path}.name`, wording.statusMissing(name));
    const { containerID = '', restartCount } = known.status;
    if (containerID === '') return plainError(`${path}.name`, wording.idMissing(name));
    addHook(container, known.container);
    container.statusContext = { containerID, restartCount };
  }
  return undefined;
}

/** A hook that only sleeps is left out: requests cannot say it, and an empty hook would fail. */
function addHook(container: RequestedContainer, { lifecycle, ports }: Container): void {
  const { exec, httpGet, tcpSocket } = lifecycle?.preStop ?? {};
  if (exec === undefined && httpGet === undefined && tcpSocket === undefined) return;
  container.preStop = {
    ...(exec !== undefined && { exec }),
    ...(httpGet !== undefined && { httpGet }),
    ...(tcpSocket !== undefined && { tcpSocket }),
  };
  if (httpGet !== undefined && ports !== undefined) container.ports = ports;
}

function hasNoDaemon({ metadata }: JsonObject): boolean {
  const labels = isObject(metadata) ? metadata.labels : undefined;
  return isObject(labels) && labels[NODE_TYPE] === VIRTUAL_KUBELET;
}

function addLabels(request: Request, labels: { [name: string]: string }): void {
  request.metadata = { ...request.metadata, labels: { ...request.metadata?.labels, ...labels } };
}
