// The pod that a workload's controller would create first from its template: names, owner, labels and volumes as the
// controllers set them. What depends on a running cluster (nodes, revisions) is made from the content instead.

import { cloneJson, isObject, type JsonObject } from '../api/core/json.ts';
import type { Manifest } from '../component/manifests.ts';
import { contentSuffix } from './content.ts';
import { kindNameOf, metadataOf, nameOf, textOf } from './resources.ts';
import {
  addLabels,
  claimVolumes,
  controllerReference,
  type Labels,
  lifecycleTimestamp,
  objectAt,
  type PodPlace,
  required,
  revisionHash,
  revisionLabels,
  stored,
  textOfNumber,
  type Workload,
  withReadinessGate,
} from './workload-parts.ts';

/** A pod as its controller would send it. */
export type WorkloadPod = {
  pod: JsonObject;
  /** The field path of the pod template in the workload. */
  templatePath: string;
  /** The user name of the controller. */
  user: string;
  /** The owners up to the workload itself, as stored: what a look-up of the pod's owner finds. */
  owners: JsonObject[];
};

type Maker = (workload: Workload) => WorkloadPod;

const MAKERS: ReadonlyMap<string, Maker> = new Map<string, Maker>([
  ['/ReplicationController', (workload) => podOf(workload, { user: 'replication-controller' })],
  ['apps/ReplicaSet', (workload) => podOf(workload, { user: 'replicaset-controller' })],
  ['apps/Deployment', podOfDeployment],
  ['apps/StatefulSet', podOfStatefulSet],
  [
    'apps/DaemonSet',
    (workload) => podOf(workload, { user: 'daemon-set-controller', labels: revisionLabels(workload) }),
  ],
  ['batch/Job', podOfJob],
  ['batch/CronJob', (workload) => podOfCronJob(workload, 'spec.jobTemplate', 'batch/v1', 60_000)],
  ['apps.kruise.io/CloneSet', podOfCloneSet],
  ['apps.kruise.io/StatefulSet', podOfStatefulSet],
  ['apps.kruise.io/DaemonSet', (workload) => podOf(workload, { labels: revisionLabels(workload) })],
  ['apps.kruise.io/BroadcastJob', podOfBroadcastJob],
  ['apps.kruise.io/AdvancedCronJob', podOfAdvancedCronJob],
  ['apps.kruise.io/UnitedDeployment', podOfUnitedDeployment],
]);

/** True for the kinds above, and for any other whose `spec.template.spec` lists containers. */
export function hasPodTemplate(object: JsonObject): boolean {
  const { group, kind } = kindNameOf(object);
  return MAKERS.has(`${group}/${kind}`) || Array.isArray(objectAt(object, 'spec', 'template', 'spec').containers);
}

/** The pod of a workload for which `hasPodTemplate` is true. Throws InputError where the template is missing. */
export function podOfWorkload(manifest: Manifest, place: PodPlace): WorkloadPod {
  const object = stored(manifest.object, place);
  return makePod({ object, manifest, path: '', place });
}

function makePod(workload: Workload): WorkloadPod {
  const { group, kind } = kindNameOf(workload.object);
  return (MAKERS.get(`${group}/${kind}`) ?? ((any) => podOf(any, {})))(workload);
}

type PodParts = {
  template?: string;
  user?: string;
  name?: string;
  labels?: Labels;
  annotations?: Labels;
  spec?: (spec: JsonObject) => JsonObject;
};

function podOf(workload: Workload, parts: PodParts): WorkloadPod {
  const { object, place } = workload;
  const path = parts.template ?? 'spec.template';
  const template = required(workload, path);
  const { labels, annotations, finalizers } = metadataOf(template);
  const allLabels = { ...(isObject(labels) ? labels : {}), ...parts.labels };
  const allAnnotations = { ...(isObject(annotations) ? annotations : {}), ...parts.annotations };
  const spec = cloneJson(required(workload, `${path}.spec`));
  const metadata: JsonObject = {
    ...(parts.name === undefined ? {} : { name: parts.name }),
    generateName: `${nameOf(object)}-`,
    namespace: place.namespace,
    ...(Object.keys(allLabels).length === 0 ? {} : { labels: allLabels }),
    ...(Object.keys(allAnnotations).length === 0 ? {} : { annotations: allAnnotations }),
    ownerReferences: [controllerReference(object)],
    ...(finalizers === undefined ? {} : { finalizers }),
  };
  return {
    pod: { apiVersion: 'v1', kind: 'Pod', metadata, spec: parts.spec === undefined ? spec : parts.spec(spec) },
    templatePath: `${workload.path}${path}`,
    user: `system:serviceaccount:${parts.user === undefined ? 'kruise-system:kruise-manager' : `kube-system:${parts.user}`}`,
    owners: [object],
  };
}

function podOfDeployment(workload: Workload): WorkloadPod {
  const { object, place } = workload;
  const template = required(workload, 'spec.template');
  const hash = contentSuffix(10, template);
  const labels = { ...objectAt(template, 'metadata', 'labels'), 'pod-template-hash': hash };
  const replicaSet = stored(
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: `${nameOf(object)}-${hash}`, labels, ownerReferences: [controllerReference(object)] },
      spec: {
        replicas: objectAt(object, 'spec').replicas ?? 1,
        selector: { matchLabels: labels },
        template: { ...template, metadata: { ...metadataOf(template), labels } },
      },
    },
    place,
  );
  const made = podOf({ ...workload, object: replicaSet }, { user: 'replicaset-controller' });
  return { ...made, owners: [replicaSet, object] };
}

function podOfStatefulSet(workload: Workload): WorkloadPod {
  const { object } = workload;
  const spec = objectAt(object, 'spec');
  const ordinal = textOfNumber(objectAt(object, 'spec', 'ordinals').start) ?? '0';
  const name = `${nameOf(object)}-${ordinal}`;
  const kruise = kindNameOf(object).group === 'apps.kruise.io';
  return podOf(workload, {
    ...(kruise ? {} : { user: 'statefulset-controller' }),
    name,
    labels: {
      'apps.kubernetes.io/pod-index': ordinal,
      'controller-revision-hash': `${nameOf(object)}-${revisionHash(workload)}`,
      'statefulset.kubernetes.io/pod-name': name,
      ...(kruise ? { 'lifecycle.apps.kruise.io/state': 'Normal' } : {}),
    },
    ...(kruise ? { annotations: lifecycleTimestamp(workload) } : {}),
    spec: (podSpec) => ({
      ...podSpec,
      hostname: name,
      ...(textOf(spec.serviceName) === '' ? {} : { subdomain: spec.serviceName ?? '' }),
      ...claimVolumes(podSpec, spec.volumeClaimTemplates, name),
    }),
  });
}

function podOfCloneSet(workload: Workload): WorkloadPod {
  const { object } = workload;
  const id = contentSuffix(5, object.spec ?? null);
  const name = `${nameOf(object)}-${id}`;
  const hash = revisionHash(workload);
  return podOf(workload, {
    name,
    labels: {
      'apps.kruise.io/cloneset-instance-id': id,
      'controller-revision-hash': `${nameOf(object)}-${hash}`,
      'lifecycle.apps.kruise.io/state': 'PreparingNormal',
      'pod-template-hash': hash,
    },
    annotations: lifecycleTimestamp(workload),
    spec: (podSpec) => ({
      ...podSpec,
      readinessGates: withReadinessGate(podSpec.readinessGates, 'InPlaceUpdateReady'),
      ...claimVolumes(podSpec, objectAt(object, 'spec').volumeClaimTemplates, name),
    }),
  });
}

function podOfJob(workload: Workload): WorkloadPod {
  const name = nameOf(workload.object);
  const uid = textOf(metadataOf(workload.object).uid);
  const labels = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  return podOf(workload, { user: 'job-controller', labels });
}

function podOfBroadcastJob(workload: Workload): WorkloadPod {
  const uid = textOf(metadataOf(workload.object).uid);
  const labels = { 'broadcastjob-controller-uid': uid, 'broadcastjob-name': nameOf(workload.object) };
  return podOf(workload, { labels });
}

// `unitMs`: a built-in CronJob numbers its jobs by minutes, an AdvancedCronJob by seconds.
function podOfCronJob(workload: Workload, templatePath: string, apiVersion: string, unitMs: number): WorkloadPod {
  const kind = apiVersion === 'batch/v1' ? 'Job' : 'BroadcastJob';
  const scheduled = Math.floor(workload.place.nowMs / unitMs);
  return podOfChild(workload, templatePath, { apiVersion, kind, name: `${nameOf(workload.object)}-${scheduled}` });
}

function podOfAdvancedCronJob(workload: Workload): WorkloadPod {
  const template = objectAt(workload.object, 'spec', 'template');
  return isObject(template.broadcastJobTemplate)
    ? podOfCronJob(workload, 'spec.template.broadcastJobTemplate', 'apps.kruise.io/v1beta1', 1000)
    : podOfCronJob(workload, 'spec.template.jobTemplate', 'batch/v1', 1000);
}

const SUBSET_KINDS: readonly [string, string, string][] = [
  ['statefulSetTemplate', 'apps/v1', 'StatefulSet'],
  ['advancedStatefulSetTemplate', 'apps.kruise.io/v1beta1', 'StatefulSet'],
  ['cloneSetTemplate', 'apps.kruise.io/v1beta1', 'CloneSet'],
  ['deploymentTemplate', 'apps/v1', 'Deployment'],
];

// The pod of the first subset; its node terms, tolerations and patch are left out.
function podOfUnitedDeployment(workload: Workload): WorkloadPod {
  const { object } = workload;
  const template = objectAt(object, 'spec', 'template');
  const [member, apiVersion, kind] = SUBSET_KINDS.find(([name]) => isObject(template[name])) ?? SUBSET_KINDS[0] ?? [];
  if (member === undefined || apiVersion === undefined || kind === undefined) throw new Error('no kinds of subsets');
  const subsets = objectAt(object, 'spec', 'topology').subsets;
  const first = Array.isArray(subsets) && isObject(subsets[0]) ? textOf(subsets[0].name) : '';
  const name = `${nameOf(object)}-${first}-${contentSuffix(5, object.spec ?? null)}`;
  const labels = {
    'apps.kruise.io/controller-revision-hash': `${nameOf(object)}-${revisionHash(workload)}`,
    'apps.kruise.io/subset-name': first,
  };
  return podOfChild(workload, `spec.template.${member}`, { apiVersion, kind, name, labels });
}

type Child = { apiVersion: string; kind: string; name: string; labels?: Labels };

function podOfChild(workload: Workload, templatePath: string, child: Child): WorkloadPod {
  const { object, place } = workload;
  const template = cloneJson(required(workload, templatePath));
  const { labels, annotations } = metadataOf(template);
  const allLabels = { ...(isObject(labels) ? labels : {}), ...child.labels };
  if (child.labels !== undefined) addLabels(objectAt(template, 'spec', 'template'), child.labels);
  const made = stored(
    {
      apiVersion: child.apiVersion,
      kind: child.kind,
      metadata: {
        name: child.name,
        labels: allLabels,
        ...(annotations === undefined ? {} : { annotations }),
        ownerReferences: [controllerReference(object)],
      },
      spec: template.spec ?? null,
    },
    place,
  );
  const pod = makePod({ ...workload, object: made, path: `${workload.path}${templatePath}.` });
  return { ...pod, owners: [...pod.owners, object] };
}
