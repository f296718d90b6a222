// What makes a stored SidecarSet refuse every pod that it matches, whatever the pod is like. Admission lets none of this
// through today; it may have been stored while nobody asked, or under other rules. Such a set is left out as a whole.

import { selectorFault } from '../api/core/selector.ts';
import type { ValidationContext } from '../api/kinds/kind.ts';
import type { SidecarSet } from '../api/kinds/sidecarset/schema.ts';
import { InputError } from '../component/errors.ts';

type Checks = Pick<ValidationContext, 'checkPattern' | 'checkExpression'>;

/** Throws InputError naming the first field that no pod could be injected by. Takes a set in its typed form. */
export function requireFollowable({ spec = {} }: SidecarSet, checks: Checks): void {
  for (const list of ['initContainers', 'containers'] as const) {
    for (const [index, { resourcesPolicy }] of (spec[list] ?? []).entries()) {
      if (resourcesPolicy !== undefined) {
        requireComputable(resourcesPolicy, `spec.${list}[${index}].resourcesPolicy`, checks);
      }
    }
  }
  if (spec.injectionStrategy?.revision?.policy === 'Partial') requireDivisible(spec.updateStrategy ?? {});
}

type Policy = NonNullable<NonNullable<NonNullable<SidecarSet['spec']>['containers']>[number]['resourcesPolicy']>;

function requireComputable({ targetContainersNameRegex = '.*', resourcesExpr }: Policy, at: string, checks: Checks) {
  const fault = checks.checkPattern(targetContainersNameRegex);
  if (fault !== undefined) throw new InputError(fault, { field: `${at}.targetContainersNameRegex` });
  for (const kind of ['limits', 'requests'] as const) {
    for (const variable of ['cpu', 'memory'] as const) {
      const expression = resourcesExpr[kind]?.[variable] ?? '';
      const fault = expression === '' ? undefined : checks.checkExpression(expression, variable);
      if (fault !== undefined) throw new InputError(fault, { field: `${at}.resourcesExpr.${kind}.${variable}` });
    }
  }
}

type Strategy = NonNullable<NonNullable<SidecarSet['spec']>['updateStrategy']>;

// By these some pods get an old revision.
function requireDivisible({ selector, partition }: Strategy): void {
  const fault = selector === undefined ? undefined : selectorFault(selector);
  if (fault !== undefined) throw new InputError(fault, { field: 'spec.updateStrategy.selector' });
  if (typeof partition === 'string' && !/^\d{1,8}%$/.test(partition)) {
    throw new InputError('expected a number or a percentage', { field: 'spec.updateStrategy.partition' });
  }
}
