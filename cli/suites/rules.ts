// The rules by which an object acts on what is reviewed or leaves it alone: for each kind the reasons that explanations
// give, and when an object of that kind can give them.

import { isObject, type JsonObject } from '../../api/core/json.ts';
import {
  DELETE_PROTECTION,
  PROTECT_ALWAYS,
  PROTECT_CASCADING,
  SIDECARSET_BASE,
  SIDECARSET_CANARY,
} from '../../api/names.ts';
import { kindNameOf, nameOf, namespaceOf, textOf } from '../resources.ts';

/** `acts`: it changes, counts or refuses something; else it leaves alone what is reviewed. */
export type Rule = { reason: string; acts: boolean };

/** Can this object give the reason? `others` are all objects beside it. */
type Condition = (object: JsonObject, others: readonly JsonObject[]) => boolean;

/** Reasons that lie in the request, the gates or the rest of the cluster alone: counted, but never missed. */
const elsewhere: Condition = () => false;
const always: Condition = () => true;

type Rows = Readonly<Record<string, Condition>>;
type Rules = { acts: Rows; leavesAlone: Rows };

const spec = (object: JsonObject): JsonObject => memberOf(object, 'spec');
const hasSelector: Condition = (object) => Object.keys(memberOf(spec(object), 'selector')).length > 0;
const hasTarget: Condition = (object) => isObject(spec(object).targetRef);
const isBeingDeleted: Condition = (object) => memberOf(object, 'metadata').deletionTimestamp !== undefined;
const isPaused: Condition = (object) => memberOf(spec(object), 'injectionStrategy').paused === true;
const isInjecting: Condition = (object, others) => hasSelector(object, others) && !isPaused(object, others);
// Only v1alpha1 has the name of a namespace.
const isNamespaceBound: Condition = (object) =>
  isObject(spec(object).namespaceSelector) ||
  (kindNameOf(object).version === 'v1alpha1' && textOf(spec(object).namespace) !== '');
const hasRevision: Condition = (object) => isObject(memberOf(spec(object), 'injectionStrategy').revision);
const isNotAlone: Condition = (object, others) =>
  others.some((one) => kindNameOf(one).kind === kindNameOf(object).kind && namespaceOf(one) === namespaceOf(object));

const RULES: Readonly<Record<string, Rules>> = {
  SidecarSet: {
    acts: {
      Injected: (object, others) => isInjecting(object, others) && !hasRevision(object, others),
      InjectedRevision: (object, others) => isInjecting(object, others) && hasRevision(object, others),
    },
    leavesAlone: {
      SelectorMismatch: isInjecting,
      NamespaceMismatch: (object, others) => isInjecting(object, others) && isNamespaceBound(object, others),
      Paused: isPaused,
      NoSelector: elsewhere,
      ReplacedByCanary: (object, others) =>
        isInjecting(object, others) && others.some((one) => isCanaryOf(one, object)),
      RevisionUnavailable: (object, others) => isInjecting(object, others) && hasRevision(object, others),
      NamespaceUnknown: elsewhere,
      NamespaceSelectorInvalid: elsewhere,
      SelectorInvalid: elsewhere,
      PodNotActive: elsewhere,
      NotAPodCreation: elsewhere,
    },
  },
  PodUnavailableBudget: {
    acts: { Related: always, UnitTaken: always, Denied: always },
    leavesAlone: {
      SelectorMismatch: (object, others) => hasSelector(object, others) && !hasTarget(object, others),
      TargetMismatch: hasTarget,
      NoSelector: elsewhere,
      NotFirst: isNotAlone,
      SelectorInvalid: elsewhere,
      GateOff: elsewhere,
      NotAPodCreation: elsewhere,
    },
  },
  WorkloadSpread: {
    // In place of these two there is one for each subset.
    acts: { Booked: elsewhere, Placed: elsewhere, Released: elsewhere },
    leavesAlone: {
      TargetMismatch: always,
      FilterMismatch: (object) => isObject(spec(object).targetFilter),
      Full: (object) => subsetsOf(object).every(({ maxReplicas }) => maxReplicas !== undefined && maxReplicas !== null),
      NotFirst: isNotAlone,
      BeingDeleted: isBeingDeleted,
      NoLedger: elsewhere,
      OwnerMissing: elsewhere,
      OwnerUnknown: elsewhere,
      OwnerKindUnknown: elsewhere,
      NoController: elsewhere,
      NotActive: elsewhere,
      DryRun: elsewhere,
      GateOff: elsewhere,
      NotAPodCreation: elsewhere,
    },
  },
  PersistentPodState: {
    acts: { Injected: always },
    leavesAlone: {
      TargetMismatch: always,
      NoRecord: always,
      NotFirst: isNotAlone,
      BeingDeleted: isBeingDeleted,
      KindNotListed: elsewhere,
      NoPodName: elsewhere,
      NothingRecorded: elsewhere,
      NotAPodCreation: elsewhere,
    },
  },
  PodProbeMarker: {
    acts: { HandedOver: hasSelector },
    leavesAlone: {
      SelectorMismatch: hasSelector,
      NoProbe: hasSelector,
      NoSelector: elsewhere,
      SelectorInvalid: elsewhere,
      NotListed: elsewhere,
      GateOff: elsewhere,
      NotAPodCreation: elsewhere,
    },
  },
};

/** Whatever is labelled: its deletion is refused, or, when nothing is left in it, allowed. */
const PROTECTED: Rules = {
  acts: { DeletionDenied: always },
  leavesAlone: { DeletionAllowed: (object) => protectionOf(object) === PROTECT_CASCADING },
};

/** Is it of a kind that decides about other objects, or is it protected from deletion? */
export function isPolicy(object: JsonObject): boolean {
  return rulesOf(object) !== undefined;
}

/** The object whose deletion a review asks for, if it is labelled as protected. */
export function protectedByRequest({ request }: JsonObject): JsonObject | undefined {
  const { operation, subResource, oldObject } = isObject(request) ? request : ({} as JsonObject);
  const isDeletion = operation === 'DELETE' && textOf(subResource) === '';
  return isDeletion && isObject(oldObject) && isProtected(oldObject) ? oldObject : undefined;
}

function isProtected(object: JsonObject): boolean {
  return [PROTECT_ALWAYS, PROTECT_CASCADING].includes(protectionOf(object));
}

/** The rules that an object has, given the objects beside it. */
export function possibleRules(object: JsonObject, others: readonly JsonObject[]): Rule[] {
  const rules = rulesOf(object);
  if (rules === undefined) return [];
  const possible = (rows: Rows, acts: boolean): Rule[] =>
    Object.entries(rows).flatMap(([reason, can]) => (can(object, others) ? [{ reason, acts }] : []));
  const booked = kindNameOf(object).kind === 'WorkloadSpread' ? subsetsOf(object) : [];
  return [
    ...booked.map(({ name }) => ({ reason: subsetRule(textOf(name)), acts: true })),
    ...possible(rules.acts, true),
    ...possible(rules.leavesAlone, false),
  ];
}

/** All reasons that objects of a kind can give. */
export function reasonsOf(kind: string): { acts: string[]; leavesAlone: string[] } {
  const { acts = {}, leavesAlone = {} } = RULES[kind] ?? {};
  return { acts: Object.keys(acts), leavesAlone: Object.keys(leavesAlone) };
}

/** A subset is a rule of its own. */
export function subsetRule(subset: string): string {
  return `Subset:${subset}`;
}

function rulesOf(object: JsonObject): Rules | undefined {
  const { group, kind } = kindNameOf(object);
  if (group.endsWith('.kruise.io') && Object.hasOwn(RULES, kind)) return RULES[kind];
  return isProtected(object) ? PROTECTED : undefined;
}

function protectionOf(object: JsonObject): string {
  return textOf(memberOf(memberOf(object, 'metadata'), 'labels')[DELETE_PROTECTION]);
}

function isCanaryOf(one: JsonObject, object: JsonObject): boolean {
  const annotations = memberOf(memberOf(one, 'metadata'), 'annotations');
  return annotations[SIDECARSET_CANARY] === 'true' && annotations[SIDECARSET_BASE] === nameOf(object);
}

function subsetsOf(object: JsonObject): JsonObject[] {
  const { subsets } = spec(object);
  return Array.isArray(subsets) ? subsets.filter(isObject) : [];
}

function memberOf(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isObject(value) ? value : {};
}
