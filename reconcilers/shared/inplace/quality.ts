// The quality-of-service class that a pod has by the resources of its containers; it never changes in a running pod.

import { parseQuantity, type Quantity, signOf } from '../../../api/core/quantity.ts';
import type { Amounts, PodContainer } from '../pod.ts';
import { isSameAmount } from './amounts.ts';

export type Quality = 'BestEffort' | 'Burstable' | 'Guaranteed';
const COMPUTED = ['cpu', 'memory'];

/** Of all containers, init containers included. A request above its limit does not occur: the API server refuses it. */
export function qualityOf(containers: readonly PodContainer[]): Quality {
  const isFree = containers.every(({ resources }) =>
    COMPUTED.every((name) => !isPositive(resources?.limits, name) && !isPositive(resources?.requests, name)),
  );
  if (isFree) return 'BestEffort';
  const isGuaranteed = containers.every(({ resources }) =>
    COMPUTED.every(
      (name) =>
        isPositive(resources?.limits, name) && isSameAmount(resources?.limits?.[name], resources?.requests?.[name]),
    ),
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

function isPositive(amounts: Amounts | undefined, name: string): boolean {
  const quantity: Quantity | undefined = parseQuantity(String(amounts?.[name] ?? ''));
  return quantity !== undefined && signOf(quantity) > 0;
}
