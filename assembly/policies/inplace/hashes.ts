// What the node daemon reports of the containers of a pod, held against what they shall be (inplace-update.md 6).

import { SIDECARSET_VERSION_ALT_ENV, SIDECARSET_VERSION_ENV } from '../../../api/names';
import { writeGoJson } from '../../json/go-json';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { Escapes, Writer } from '../../json/writer';
import { memberOfAnyCase } from '../../object/any-case';
import { deepHash } from '../../object/deep-hash';
import { named } from '../../object/pod';

/** Members of a container in the order in which Go writes them. */
const MEMBERS: StaticArray<string> = [
  'name',
  'image',
  'command',
  'args',
  'workingDir',
  'ports',
  'envFrom',
  'env',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'volumeMounts',
  'volumeDevices',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
  'terminationMessagePath',
  'terminationMessagePolicy',
  'imagePullPolicy',
  'securityContext',
  'stdin',
  'stdinOnce',
  'tty',
];

/** How field paths to a label or an annotation begin: its key and `']` follow. */
const LABELS: string = "metadata.labels['";
const ANNOTATIONS: string = "metadata.annotations['";

/** Does every container run what its spec says? */
export function arePlainHashesCurrent(pod: View, meta: View): bool {
  return areCurrent(pod, meta, isPlainHashOf);
}

/** Has every container the environment that labels and annotations give it? */
export function areEnvironmentsCurrent(pod: View, meta: View): bool {
  return areCurrent(pod, meta, isEnvironmentHashOf);
}

/** `isHashOf` tells whether a report is right about a container. */
function areCurrent(pod: View, meta: View, isHashOf: (hashes: View, container: View, pod: View) => bool): bool {
  const statuses = pod.get('status').get('containerStatuses');
  const reports = memberOfAnyCase(meta, 'containers');
  for (let container = pod.get('spec').get('containers').first(); container.exists; container = container.next()) {
    const name = container.get('name').text();
    const status = named(statuses, name);
    const report = lastNamed(reports, name);
    const isCurrent =
      status.exists &&
      report.exists &&
      memberOfAnyCase(report, 'containerid').text().equals(status.get('containerID').text()) &&
      isHashOf(memberOfAnyCase(report, 'hashes'), container, pod);
    if (!isCurrent) {
      return false;
    }
  }
  return true;
}

function lastNamed(list: View, name: Text): View {
  let found = View.none();
  for (let item = list.first(); item.exists; item = item.next()) {
    if (memberOfAnyCase(item, 'name').text().equals(name)) {
      found = item;
    }
  }
  return found;
}

/** Kubelets before 1.31 hash the whole container, later ones its name and image. */
function isPlainHashOf(hashes: View, container: View, _pod: View): bool {
  const hash = memberOfAnyCase(hashes, 'plainhash').integer(0);
  return hash == newHash(container) || hash == oldHash(container);
}

function newHash(container: View): i64 {
  const out = new Writer(256);
  out.ascii('{"image":');
  out.quoted(container.get('image').text(), Escapes.Html);
  out.ascii(',"name":');
  out.quoted(container.get('name').text(), Escapes.Html);
  out.byte(0x7d);
  return deepHash(out.toText());
}

function oldHash(container: View): i64 {
  const out = new Writer(1024);
  out.byte(0x7b);
  for (let i = 0; i < MEMBERS.length; i++) {
    const value = container.get(MEMBERS[i]);
    const isKept = !isEmpty(value) || MEMBERS[i] == 'resources' || MEMBERS[i] == 'name';
    if (isKept) {
      if (i > 0) {
        out.byte(0x2c);
      }
      out.quotedAscii(MEMBERS[i]);
      out.byte(0x3a);
      if (value.isSet) {
        // The members stand in Go's order: so an API server sends them.
        writeGoJson(value, out);
      } else {
        out.ascii('{}');
      }
    }
  }
  out.byte(0x7d);
  return deepHash(out.toText());
}

function isEmpty(value: View): bool {
  return !value.isSet || (value.isString && value.text().isEmpty) || (value.isArray && value.isEmpty);
}

function isEnvironmentHashOf(hashes: View, container: View, pod: View): bool {
  return (
    memberOfAnyCase(hashes, 'extractedenvfrommetadatahash').integer(0) ==
    environmentHash(container, pod.get('metadata'))
  );
}

/** Of the variables that stand for a label or an annotation, by name. */
function environmentHash(container: View, metadata: View): i64 {
  const variables: Array<View> = [];
  for (let variable = container.get('env').first(); variable.exists; variable = variable.next()) {
    if (isOfMetadata(variable)) {
      variables.push(variable);
    }
  }
  sortByName(variables);
  const out = new Writer(256);
  for (let i = 0; i < variables.length; i++) {
    const value = valueFor(variables[i], metadata);
    out.ascii(i == 0 ? '[{"name":' : ',{"name":');
    out.quoted(variables[i].get('name').text(), Escapes.Html);
    if (!value.isEmpty) {
      out.ascii(',"value":');
      out.quoted(value, Escapes.Html);
    }
    out.byte(0x7d);
  }
  out.ascii(variables.length == 0 ? 'null' : ']');
  return deepHash(out.toText());
}

/** Variables of one name stay in their order. */
function sortByName(variables: Array<View>): void {
  for (let i = 1; i < variables.length; i++) {
    const variable = variables[i];
    let at = i;
    for (; at > 0 && variables[at - 1].get('name').text().compare(variable.get('name').text()) > 0; at--) {
      variables[at] = variables[at - 1];
    }
    variables[at] = variable;
  }
}

function isOfMetadata(variable: View): bool {
  const name = variable.get('name');
  const path = pathOf(variable);
  return (
    variable.get('value').text().isEmpty &&
    path.endsWith("']") &&
    (path.startsWith(LABELS) || path.startsWith(ANNOTATIONS)) &&
    !name.is(SIDECARSET_VERSION_ENV) &&
    !name.is(SIDECARSET_VERSION_ALT_ENV)
  );
}

function valueFor(variable: View, metadata: View): Text {
  const path = pathOf(variable);
  const isLabel = path.startsWith(LABELS);
  const start = isLabel ? LABELS.length : ANNOTATIONS.length;
  const key = path.slice(start, max(start, path.length - 2));
  return metadata
    .get(isLabel ? 'labels' : 'annotations')
    .find(key)
    .text();
}

function pathOf(variable: View): Text {
  return variable.get('valueFrom').get('fieldRef').get('fieldPath').text();
}
