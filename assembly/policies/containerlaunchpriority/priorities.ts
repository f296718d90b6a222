// In which order the containers of a pod are to start (containerlaunchpriority.md 2, steps 2 to 4).

import { CONTAINER_LAUNCH_PRIORITY, CONTAINER_PRIORITY_ENV, LAUNCH_ORDERED } from '../../../api/names';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { Writer } from '../../json/writer';

/** Does the pod, or any of its containers, say anything of an order? */
export function isAskedFor(pod: View): bool {
  if (isByPlace(pod)) {
    return true;
  }
  for (let container = containersOf(pod).first(); container.exists; container = container.next()) {
    if (container.get('env').lastWith('name', CONTAINER_PRIORITY_ENV).exists) {
      return true;
    }
  }
  return false;
}

export function containersOf(pod: View): View {
  return pod.get('spec').get('containers');
}

function isByPlace(pod: View): bool {
  return pod.get('metadata').get('annotations').get(CONTAINER_LAUNCH_PRIORITY).is(LAUNCH_ORDERED);
}

export class Priorities {
  /** Of each container; the greatest starts first. */
  readonly values: Array<i64> = [];
  /** Are they those of the places in the list, and not what containers say of themselves? */
  readonly isByPlace: bool;
  /** What is wrong with the priority of a container; null when nothing is. */
  fault: Text | null = null;

  constructor(pod: View) {
    this.isByPlace = isByPlace(pod);
    let place = 0;
    for (let container = containersOf(pod).first(); container.exists; container = container.next()) {
      this.values.push(this.isByPlace ? -place : this.valueOf(container, place));
      place++;
    }
  }

  /** Has any container to wait for another? */
  get isOrdered(): bool {
    for (let i = 1; i < this.values.length; i++) {
      if (this.values[i] != this.values[0]) {
        return true;
      }
    }
    return false;
  }

  /** With double names the last one counts, as it does for the container itself. */
  private valueOf(container: View, place: i32): i64 {
    const last = container.get('env').lastWith('name', CONTAINER_PRIORITY_ENV);
    if (!last.exists) {
      return 0;
    }
    const integer = new Integer(last.get('value').text());
    if (!integer.isValid && this.fault === null) {
      this.fault = faultOf(last.get('value').text(), place);
    }
    return integer.value;
  }
}

/** Decimal digits with or without a sign, of 64 bits. */
class Integer {
  value: i64 = 0;
  isValid: bool = false;

  constructor(text: Text) {
    const isSigned = text.length > 0 && (text.byteAt(0) == 0x2b || text.byteAt(0) == 0x2d);
    const isNegative = isSigned && text.byteAt(0) == 0x2d;
    const first = isSigned ? 1 : 0;
    const most: u64 = <u64>i64.MAX_VALUE + (isNegative ? 1 : 0);
    let value: u64 = 0;
    let isRight = text.length > first;
    for (let i = first; i < text.length && isRight; i++) {
      const digit = <u64>text.byteAt(i) - 0x30;
      isRight = digit <= 9 && value <= (most - digit) / 10;
      value = value * 10 + digit;
    }
    this.isValid = isRight;
    this.value = isNegative ? 0 - <i64>value : <i64>value;
  }
}

function faultOf(value: Text, place: i32): Text {
  const out = new Writer();
  out.ascii('spec.containers[');
  out.integer(place);
  out.ascii('].env[');
  out.ascii(CONTAINER_PRIORITY_ENV);
  out.ascii('].value: Invalid value: ');
  out.quoted(value);
  out.ascii(': must be an integer');
  return out.toText();
}
