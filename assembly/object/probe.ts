// Probes as the JSON that stands in annotations: members in the order of the Go type, zero ones left out, characters of
// HTML escaped (enhancedlivenessprobe.md 1, podprobemarker.md 6.1). What the type does not know follows behind.

import { writeGoJson } from '../json/go-json';
import { View } from '../json/view';
import { Escapes, Writer } from '../json/writer';

const GRACE: string = 'terminationGracePeriodSeconds';
const PROBE: StaticArray<string> = [
  'exec',
  'httpGet',
  'tcpSocket',
  'grpc',
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
  GRACE,
];
const EXEC: StaticArray<string> = ['command'];
const HTTP_GET: StaticArray<string> = ['path', 'port', 'host', 'scheme', 'httpHeaders'];
const HTTP_HEADER: StaticArray<string> = ['name', 'value'];
const TCP_SOCKET: StaticArray<string> = ['port', 'host'];
const GRPC: StaticArray<string> = ['port', 'service'];

export function writeProbe(probe: View, out: Writer): void {
  writeStruct(probe, PROBE, out);
}

function writeStruct(object: View, names: StaticArray<string>, out: Writer): void {
  let isFirst = true;
  out.byte(0x7b);
  for (let i = 0; i < names.length; i++) {
    const value = object.get(names[i]);
    if (isWritten(names[i], value)) {
      isFirst = writeComma(isFirst, out);
      out.quotedAscii(names[i]);
      out.byte(0x3a);
      writeMember(names[i], value, out);
    }
  }
  for (let member = object.first(); member.exists; member = member.next()) {
    if (!isKnown(member, names)) {
      isFirst = writeComma(isFirst, out);
      out.quoted(member.name, Escapes.Html);
      out.byte(0x3a);
      writeGoJson(member.value, out);
    }
  }
  out.byte(0x7d);
}

function writeMember(name: string, value: View, out: Writer): void {
  if (!value.isSet) {
    out.ascii(name == 'port' ? '0' : name == 'service' ? 'null' : '""');
  } else if (!value.isObject) {
    if (name == 'httpHeaders') {
      writeHeaders(value, out);
    } else {
      writeGoJson(value, out);
    }
  } else if (name == 'httpGet') {
    writeStruct(value, HTTP_GET, out);
  } else if (name == 'tcpSocket') {
    writeStruct(value, TCP_SOCKET, out);
  } else if (name == 'grpc') {
    writeStruct(value, GRPC, out);
  } else {
    writeStruct(value, EXEC, out);
  }
}

function writeHeaders(headers: View, out: Writer): void {
  let isFirst = true;
  out.byte(0x5b);
  for (let header = headers.first(); header.exists; header = header.next()) {
    isFirst = writeComma(isFirst, out);
    writeStruct(header, HTTP_HEADER, out);
  }
  out.byte(0x5d);
}

/** Members that are no pointers are left out at their zero value, but for those that the type always writes. */
function isWritten(name: string, value: View): bool {
  if (name == 'port' || name == 'service' || name == 'name' || name == 'value') {
    return true;
  }
  if (!value.isSet) {
    return false;
  }
  if (value.isNumber) {
    return name == GRACE || value.integer(1) != 0;
  }
  return value.isObject || !(value.isString ? value.text().isEmpty : value.isEmpty);
}

function isKnown(member: View, names: StaticArray<string>): bool {
  for (let i = 0; i < names.length; i++) {
    if (member.name.is(names[i])) {
      return true;
    }
  }
  return false;
}

function writeComma(isFirst: bool, out: Writer): bool {
  if (!isFirst) {
    out.byte(0x2c);
  }
  return false;
}
