// Resource requirements of containers and claims: names, amounts, limits, what may be resized how.
import type { Container, ContainerResizePolicy, ResourceList, ResourceRequirements } from '../containers.ts';
import { compareQuantities, formatQuantity, isWhole, parseQuantity, type Quantity, signOf } from '../quantity.ts';
import { type Field, sortedKeys } from './field.ts';
import { dnsLabel, qualifiedName } from './names.ts';
import { wording } from './wording.ts';

const CONTAINER_RESOURCES: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
const OBJECT_COUNTS = [
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
/** Names without prefix that Kubernetes knows: those of containers, and those of quotas. */
const STANDARD_RESOURCES: ReadonlySet<string> = new Set([
  ...CONTAINER_RESOURCES,
  ...[...CONTAINER_RESOURCES].flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  ...OBJECT_COUNTS,
  'storage',
  'requests.storage',
]);
const WHOLE_RESOURCES: ReadonlySet<string> = new Set(OBJECT_COUNTS);
const HUGE_PAGES = 'hugepages-';
const RESIZABLE = ['cpu', 'memory'];
const RESIZE_POLICIES = ['NotRequired', 'RestartContainer'];

/** The names of a pod's resource claims, and what is said of a name that is none of them. */
export type DeclaredClaims = { names: ReadonlySet<string>; unknown: string };

/** Made once for a pod, as every container asks. */
export function declaredClaims(names: readonly string[]): DeclaredClaims {
  return { names: new Set(names), unknown: wording.claimUnknown(names) };
}

export const NO_CLAIMS: DeclaredClaims = declaredClaims([]);

/** The requirements of a container. */
export function validateResources(
  resources: Field<Pick<ResourceRequirements, 'limits' | 'requests' | 'claims'> | undefined>,
  claims: DeclaredClaims,
): void {
  const limits = resources.at('limits');
  const requests = resources.at('requests');
  for (const [name, amount] of limits.entries()) validateAmount(name, amount);
  for (const [name, amount] of requests.entries()) {
    validateAmount(name, amount);
    validateAgainstLimit(name, amount.value ?? '', { limits, requests });
  }
  const names = [...sortedKeys(limits.value), ...sortedKeys(requests.value)];
  if (names.some(isHugePages) && !names.some((name) => RESIZABLE.includes(name))) {
    resources.forbidden(wording.hugePagesAlone);
  }
  validateClaims(resources.at('claims'), claims);
}

/** Which resources are resized how; `restartPolicy` is the pod's. */
export function validateResizePolicy(
  policies: Field<ContainerResizePolicy[] | undefined>,
  restartPolicy: string,
): void {
  const seen = new Set<string>();
  for (const item of policies.items()) {
    const { resourceName = '', restartPolicy: policy = '' } = item.value ?? {};
    if (seen.has(resourceName)) item.bare((field) => field.duplicate(resourceName));
    seen.add(resourceName);
    // Compatibility: from here on the errors carry no index.
    if (resourceName === '') policies.required();
    else if (!RESIZABLE.includes(resourceName)) {
      policies.bare((field) => field.unsupported(RESIZABLE, resourceName));
    }
    if (policy === '') policies.required();
    else if (!RESIZE_POLICIES.includes(policy)) policies.unsupported(RESIZE_POLICIES, policy);
    if (restartPolicy === 'Never' && policy !== 'NotRequired') {
      policies.invalid(wording.resizeWhenNeverRestarted, policy);
    }
  }
}

/** An amount that must be above 0, as of a volume claim's storage. */
export function validatePositiveAmount(amount: Field<string>): void {
  const quantity = parseQuantity(amount.value ?? '');
  if (quantity !== undefined && signOf(quantity) <= 0) amount.invalid(wording.positive);
}

function validateAmount(name: string, amount: Field<string>): void {
  amount.bare(() => validateResourceName(amount, name));
  const quantity = parseQuantity(amount.value ?? '');
  if (quantity === undefined) return;
  if (signOf(quantity) < 0) amount.invalid(wording.notNegative);
  if ((WHOLE_RESOURCES.has(name) || isExtended(name)) && !isWhole(quantity)) amount.invalid(wording.integer);
}

// Compatibility: two checks in a row, so that a name without prefix that nobody knows is reported twice.
function validateResourceName(field: Field<unknown>, name: string): void {
  const faults = qualifiedName(name);
  for (const detail of faults) field.invalid(detail, name);
  if (!name.includes('/')) {
    if (faults.length === 0 && !STANDARD_RESOURCES.has(name) && !isQuotaHugePages(name)) {
      field.invalid(wording.standardResource, name);
    }
    if (!CONTAINER_RESOURCES.has(name) && !isHugePages(name)) field.invalid(wording.standardContainerResource, name);
  } else if (!isNative(name) && !isExtended(name)) {
    field.invalid(wording.extendedResource, name);
  }
}

function validateAgainstLimit(
  name: string,
  text: string,
  { limits, requests }: { limits: Field<ResourceList | undefined>; requests: Field<ResourceList | undefined> },
): void {
  const limitText = Object.hasOwn(limits.value ?? {}, name) ? limits.value?.[name] : undefined;
  if (limitText === undefined) {
    if (!mayBeOvercommitted(name)) limits.required(wording.limitRequired);
    return;
  }
  const request = parseQuantity(text);
  const limit = parseQuantity(limitText);
  if (request === undefined || limit === undefined) return;
  const order = compareQuantities(request, limit);
  const [value, bound] = [request, limit].map(canonical) as [string, string];
  if (order !== 0 && !mayBeOvercommitted(name)) requests.invalid(wording.equalToLimit(name, bound), value);
  else if (order > 0) requests.invalid(wording.withinLimit(name, bound), value);
}

function validateClaims(claims: Field<NonNullable<Container['resources']>['claims']>, declared: DeclaredClaims): void {
  const seen = new Set<string>();
  for (const claim of claims.items()) {
    const { name = '', request = '' } = claim.value ?? {};
    if (!claim.at('name').require()) continue;
    const key = request === '' ? name : `${name}/${request}`;
    if (seen.has(name)) {
      claim.at('name').duplicate();
    } else {
      claim.at('request').followIfSet(dnsLabel);
      if (seen.has(key)) claim.duplicate(key);
      seen.add(key);
    }
    if (!declared.names.has(name)) claim.at('name').notFound(declared.unknown);
  }
}

function canonical(quantity: Quantity): string {
  return formatQuantity(quantity);
}

/** Requests of cpu, memory and storage may be below their limits; those of devices and huge pages may not. */
function mayBeOvercommitted(name: string): boolean {
  return isNative(name) && !isHugePages(name);
}

function isHugePages(name: string): boolean {
  return name.startsWith(HUGE_PAGES);
}

function isQuotaHugePages(name: string): boolean {
  return isHugePages(name) || name.startsWith(`requests.${HUGE_PAGES}`);
}

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith('requests.') && qualifiedName(`requests.${name}`).length === 0;
}
