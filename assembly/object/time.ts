// Times as Kubernetes writes them: RFC 3339, UTC, whole seconds.

import { Text } from '../json/text';
import { Writer } from '../json/writer';

/** Milliseconds since 1970 as `2026-07-02T08:00:00Z`; parts of a second are cut off. */
export function writeTime(milliseconds: i64, out: Writer): void {
  const seconds = floorDivide(milliseconds, 1000);
  const days = floorDivide(seconds, 86400);
  const ofDay = <i32>(seconds - days * 86400);
  // Days to a date of the Gregorian calendar, years beginning in March.
  const shifted = days + 719468;
  const era = floorDivide(shifted, 146097);
  const dayOfEra = <i32>(shifted - era * 146097);
  const yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const shiftedMonth = (5 * dayOfYear + 2) / 153;
  const day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = <i32>(era * 400) + yearOfEra + (month <= 2 ? 1 : 0);
  twoDigits((year / 100) % 100, out);
  twoDigits(year % 100, out);
  out.byte(0x2d);
  twoDigits(month, out);
  out.byte(0x2d);
  twoDigits(day, out);
  out.byte(0x54);
  twoDigits(ofDay / 3600, out);
  out.byte(0x3a);
  twoDigits((ofDay / 60) % 60, out);
  out.byte(0x3a);
  twoDigits(ofDay % 60, out);
  out.byte(0x5a);
}

/** No time: what `parseTime` gives for a text that is none. */
export const NO_TIME: i64 = i64.MIN_VALUE;

/** Milliseconds since 1970 of an RFC 3339 time with any offset. */
export function parseTime(text: Text): i64 {
  if (text.length < 20 || text.byteAt(4) != 0x2d || text.byteAt(7) != 0x2d || text.byteAt(10) != 0x54) {
    return NO_TIME;
  }
  if (text.byteAt(13) != 0x3a || text.byteAt(16) != 0x3a) {
    return NO_TIME;
  }
  const year = number(text, 0, 4);
  const month = number(text, 5, 2);
  const day = number(text, 8, 2);
  const hour = number(text, 11, 2);
  const minute = number(text, 14, 2);
  const second = number(text, 17, 2);
  if (year < 0 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) {
    return NO_TIME;
  }
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) {
    return NO_TIME;
  }
  let at = 19;
  if (text.byteAt(at) == 0x2e) {
    at++;
    const fraction = at;
    while (at < text.length && isDigit(text.byteAt(at))) {
      at++;
    }
    if (at == fraction) {
      return NO_TIME;
    }
  }
  const offset = zone(text, at);
  if (offset == i32.MIN_VALUE) {
    return NO_TIME;
  }
  const seconds = daysSince1970(year, month, day) * 86400 + <i64>(hour * 3600 + minute * 60 + second);
  return (seconds - <i64>offset) * 1000;
}

/** Seconds east of Greenwich, or the least integer when the text at `at` is no zone. */
function zone(text: Text, at: i32): i32 {
  if (at + 1 == text.length && text.byteAt(at) == 0x5a) {
    return 0;
  }
  if (at + 6 != text.length || text.byteAt(at + 3) != 0x3a) {
    return i32.MIN_VALUE;
  }
  const sign = text.byteAt(at);
  const hours = number(text, at + 1, 2);
  const minutes = number(text, at + 4, 2);
  if ((sign != 0x2b && sign != 0x2d) || hours < 0 || hours > 23 || minutes < 0 || minutes > 59) {
    return i32.MIN_VALUE;
  }
  return (hours * 3600 + minutes * 60) * (sign == 0x2d ? -1 : 1);
}

function daysSince1970(year: i32, month: i32, day: i32): i64 {
  const shiftedYear = <i64>(month <= 2 ? year - 1 : year);
  const era = floorDivide(shiftedYear, 400);
  const yearOfEra = shiftedYear - era * 400;
  const dayOfYear = <i64>((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1);
  return era * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719468;
}

function daysIn(year: i32, month: i32): i32 {
  if (month == 2) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28;
  }
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/** Value of so many decimal digits, or -1. */
function number(text: Text, at: i32, length: i32): i32 {
  let value = 0;
  for (let i = at; i < at + length; i++) {
    if (!isDigit(text.byteAt(i))) {
      return -1;
    }
    value = value * 10 + <i32>text.byteAt(i) - 0x30;
  }
  return value;
}

function isDigit(byte: u8): bool {
  return byte >= 0x30 && byte <= 0x39;
}

function twoDigits(value: i32, out: Writer): void {
  out.byte(0x30 + <u8>(value / 10));
  out.byte(0x30 + <u8>(value % 10));
}

function floorDivide(value: i64, by: i64): i64 {
  const quotient = value / by;
  return value % by < 0 ? quotient - 1 : quotient;
}
