// Amounts of cpu, memory and the like that containers ask for, and the quality-of-service class that a pod has by them.

import { sameValue, View } from '../json/view';
import { Quantity } from './quantity';

export const enum Quality {
  BestEffort,
  Burstable,
  Guaranteed,
}

/** Init containers count like all others; what the status says does not. */
export function qualityOf(pod: View): Quality {
  const amounts = new Amounts();
  amounts.addAll(pod.get('spec').get('containers'));
  amounts.addAll(pod.get('spec').get('initContainers'));
  return amounts.quality();
}

/** Are these the same amounts under the same names, in whatever way they are written? */
export function sameQuantities(a: View, b: View): bool {
  for (let amount = a.first(); amount.exists; amount = amount.next()) {
    if (!sameQuantity(amount.value, b.find(amount.name))) {
      return false;
    }
  }
  return a.count() == b.count();
}

/** The same amount; what is no amount must be written alike. */
export function sameQuantity(a: View, b: View): bool {
  const left = quantityOf(a);
  const right = quantityOf(b);
  return left !== null && right !== null ? left.compare(right) == 0 : sameValue(a, b);
}

function quantityOf(value: View): Quantity | null {
  return value.isSet ? Quantity.parse(value.isString ? value.text() : value.raw()) : null;
}

/** Sums over containers; null is nothing at all. Amounts that are not above zero do not count. */
class Amounts {
  private cpuRequest: Quantity | null = null;
  private memoryRequest: Quantity | null = null;
  private cpuLimit: Quantity | null = null;
  private memoryLimit: Quantity | null = null;
  private allLimited: bool = true;

  addAll(containers: View): void {
    for (let container = containers.first(); container.exists; container = container.next()) {
      const requests = container.get('resources').get('requests');
      const limits = container.get('resources').get('limits');
      const cpu = positive(limits.get('cpu'));
      const memory = positive(limits.get('memory'));
      this.allLimited = this.allLimited && cpu !== null && memory !== null;
      this.cpuRequest = sum(this.cpuRequest, positive(requests.get('cpu')));
      this.memoryRequest = sum(this.memoryRequest, positive(requests.get('memory')));
      this.cpuLimit = sum(this.cpuLimit, cpu);
      this.memoryLimit = sum(this.memoryLimit, memory);
    }
  }

  quality(): Quality {
    const isFree =
      this.cpuRequest === null && this.memoryRequest === null && this.cpuLimit === null && this.memoryLimit === null;
    if (isFree) {
      return Quality.BestEffort;
    }
    const isGuaranteed =
      this.allLimited && isSame(this.cpuRequest, this.cpuLimit) && isSame(this.memoryRequest, this.memoryLimit);
    return isGuaranteed ? Quality.Guaranteed : Quality.Burstable;
  }
}

function positive(value: View): Quantity | null {
  const quantity = quantityOf(value);
  return quantity === null || quantity.isZero || quantity.isNegative ? null : quantity;
}

function sum(a: Quantity | null, b: Quantity | null): Quantity | null {
  return a === null ? b : b === null ? a : a.add(b);
}

function isSame(a: Quantity | null, b: Quantity | null): bool {
  return a === null || b === null ? a === null && b === null : a.compare(b) == 0;
}
