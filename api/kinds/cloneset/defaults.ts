// Defaults of a CloneSet: each version has its own (cloneset 1.4).
import type { Json } from '../../core/json.ts';
import { PodTemplateSpec } from '../../core/pod.ts';
import {
  defaultClaimTemplate,
  defaultPodTemplate,
  isTemplateDefaulted,
  writeSelector,
} from '../../core/template-defaults.ts';
import type { DefaultsContext } from '../kind.ts';
import type { CloneSet, CloneSetV1alpha1 } from './schema.ts';

type RollingUpdate = NonNullable<NonNullable<NonNullable<CloneSet['spec']>['updateStrategy']>['rollingUpdate']>;

const isInPlace = (policy: string) => policy === 'InPlaceIfPossible' || policy === 'InPlaceOnly';

/** Completes a decoded CloneSet of v1beta1 and returns it. With OnDelete nothing is filled in below rollingUpdate. */
export function applyDefaults(set: CloneSet, context: DefaultsContext): CloneSet {
  const spec = defaultPods(set, context);
  spec.scaleStrategy ??= {};
  spec.updateStrategy ??= {};
  const strategy = spec.updateStrategy;
  strategy.type ??= 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') {
    strategy.rollingUpdate ??= {};
    strategy.rollingUpdate.podUpdatePolicy ??= 'ReCreate';
    if (isInPlace(strategy.rollingUpdate.podUpdatePolicy)) strategy.rollingUpdate.inPlaceUpdateStrategy ??= {};
    defaultAmounts(strategy.rollingUpdate);
  }
  return set;
}

/** Completes a decoded CloneSet of v1alpha1 and returns it. */
export function applyDefaultsV1alpha1(set: CloneSetV1alpha1, context: DefaultsContext): CloneSetV1alpha1 {
  const spec = defaultPods(set, context);
  spec.updateStrategy ??= {};
  const strategy = spec.updateStrategy;
  strategy.type ??= 'ReCreate';
  if (isInPlace(strategy.type)) strategy.inPlaceUpdateStrategy ??= {};
  defaultAmounts(strategy);
  return set;
}

function defaultPods<S extends CloneSet | CloneSetV1alpha1>(set: S, context: DefaultsContext): NonNullable<S['spec']> {
  set.spec ??= {};
  const spec = set.spec;
  writeSelector(spec);
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  if (isTemplateDefaulted(spec.template as Json | undefined, PodTemplateSpec, context)) {
    spec.template ??= {};
    defaultPodTemplate(spec.template, context.gates);
    for (const claim of spec.volumeClaimTemplates ?? []) defaultClaimTemplate(claim);
  }
  return spec;
}

function defaultAmounts(strategy: Pick<RollingUpdate, 'partition' | 'maxUnavailable' | 'maxSurge'>): void {
  strategy.partition ??= 0;
  strategy.maxUnavailable ??= '20%';
  strategy.maxSurge ??= 0;
}
