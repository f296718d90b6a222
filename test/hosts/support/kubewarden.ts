// What goes to a Kubewarden policy, and what the plain module decides about the same.
import { isObject, type Json, type JsonObject, parseJson } from '../../../api/core/json.ts';
import { Objects } from '../../../evaluator/objects.ts';
import { type Cluster, Policies, type Question } from '../../../evaluator/policies.ts';
import { readVerdict, type Verdict } from '../../support/answer.ts';
import { SYSTEM_NAMESPACE } from '../../support/builders/cluster.ts';
import { referenceTo } from '../../support/policy-module.ts';

/** Kinds that settings may carry. */
const CARRIED = new Set([
  'SidecarSet',
  'PodUnavailableBudget',
  'PodProbeMarker',
  'PersistentPodState',
  'Namespace',
  'ControllerRevision',
  'ConfigMap',
]);

/** A review and the cluster that it is made in. */
export type Situation = { path: string; request: JsonObject; objects: readonly JsonObject[] };

/** Decided by the plain module, which writes nothing: the verdict, and what would have been written. */
export class Plain {
  private readonly policies: Policies;

  private constructor(policies: Policies) {
    this.policies = policies;
  }

  static async load(gates: Record<string, boolean>): Promise<Plain> {
    const policies = await Policies.load();
    policies.configure({ gates: new Map(Object.entries(gates)), systemNamespace: SYSTEM_NAMESPACE });
    return new Plain(policies);
  }

  /** `asked` hears the questions. */
  decide({ path, request, objects }: Situation, asked: (question: Question, answer: Json) => void): Decided {
    const held = new Objects();
    let effects: string[] = [];
    const cluster: Cluster = {
      answer: (question) => {
        const answer = held.answer(question);
        if ('answer' in answer) asked(question, answer.answer);
        return answer;
      },
      commit: (changes) => {
        effects = changes.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`);
        return 'done';
      },
    };
    for (const object of objects) held.put(referenceTo(object), object);
    const carried = objects.filter(isCarried);
    for (const object of carried) this.policies.apply(Buffer.from(JSON.stringify(object)));
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
    const body = Buffer.from(JSON.stringify(review));
    const answer = Buffer.from(this.policies.review(path, body, timeOf(request), cluster));
    for (const object of carried) this.policies.remove(referenceTo(object));
    const { response } = parseJson(answer.toString()) as { response: JsonObject };
    return { verdict: readVerdict(request, answer), audit: response.auditAnnotations, effects };
  }
}

export type Decided = { verdict: Verdict; audit: Json | undefined; effects: readonly string[] };

/** The objects that settings carry. */
export function isCarried(object: JsonObject): boolean {
  return CARRIED.has(String(object.kind)) && (object.kind !== 'ConfigMap' || nameOf(object) === 'kruise-configuration');
}

/** A line for the waPC host: what the cluster answers to a question, in Kubewarden's words. */
export function clusterLine(question: Question, answer: Json, objects: readonly JsonObject[]): string {
  if ('get' in question) {
    const { apiVersion, kind, namespace, name } = question.get;
    const payload = { ...kindOf(apiVersion, kind, namespace), name, disable_cache: true };
    return answer === null ? 'cluster' : told('get_resource', payload, answer);
  }
  const { apiVersion, kind, namespace } = question.count;
  const items = objects.filter((object) => object.kind === kind && isIn(object, namespace));
  return namespace === undefined
    ? told('list_resources_all', kindOf(apiVersion, kind), { items })
    : told('list_resources_by_namespace', kindOf(apiVersion, kind, namespace), { items });
}

/** The same for all objects of a kind, as API servers list them: without apiVersion and kind. */
export function listLine(apiVersion: string, kind: string, objects: readonly JsonObject[]): string {
  const items = objects.map(({ apiVersion: _version, kind: _kind, ...rest }) => rest);
  return told('list_resources_all', kindOf(apiVersion, kind), { items });
}

function told(operation: string, payload: JsonObject, answer: Json): string {
  return `cluster ${operation} ${JSON.stringify(payload)}\t${JSON.stringify(answer)}`;
}

function kindOf(apiVersion: string, kind: string, namespace?: string): JsonObject {
  return namespace === undefined ? { api_version: apiVersion, kind } : { api_version: apiVersion, kind, namespace };
}

function isIn(object: JsonObject, namespace: string | undefined): boolean {
  const { metadata } = object;
  return namespace === undefined || (isObject(metadata) && metadata.namespace === namespace);
}

function nameOf({ metadata }: JsonObject): Json | undefined {
  return isObject(metadata) ? metadata.name : undefined;
}

/** A waPC host has no clock: the latest time that the objects under review tell. */
function timeOf({ object, oldObject }: JsonObject): number {
  const times = [object, oldObject].flatMap((one) => {
    const metadata = isObject(one) && isObject(one.metadata) ? one.metadata : {};
    const managed = Array.isArray(metadata.managedFields) ? metadata.managedFields : [];
    const entries = managed.map((entry) => (isObject(entry) ? entry.time : undefined));
    return [metadata.creationTimestamp, metadata.deletionTimestamp, ...entries];
  });
  return Math.max(0, ...times.map((time) => Date.parse(String(time))).filter((time) => !Number.isNaN(time)));
}
