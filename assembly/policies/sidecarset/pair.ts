// The two containers that stand for one that is upgraded hot (sidecarset.md 9.1).

import {
  SIDECARSET_VERSION_ALT_ENV,
  SIDECARSET_VERSION_ALT_PREFIX,
  SIDECARSET_VERSION_ENV,
  SIDECARSET_VERSION_PREFIX,
} from '../../../api/names';
import { Draft } from '../../json/draft';
import { Text } from '../../json/text';
import { View } from '../../json/view';
import { Writer } from '../../json/writer';
import { isRestartable } from '../../object/pod';

/** Is the container of a set upgraded in place? */
export function isUpgraded(container: View, isInit: bool): bool {
  return !isInit || isRestartable(container);
}

/** Does a pair stand for the container of a set? */
export function isHotUpgraded(container: View, isInit: bool): bool {
  return isUpgraded(container, isInit) && container.get('upgradeStrategy').get('upgradeType').is('HotUpgrade');
}

/** The name of the container of a pair that works at first. */
export function firstTwin(name: Text): Text {
  return twinName(name, '-1');
}

/** The name of the one that is idle at first. */
export function secondTwin(name: Text): Text {
  return twinName(name, '-2');
}

/** Name and version variables of one of a hot-upgrade pair (sidecarset.md 9.1). */
export function asTwin(container: Draft, name: Text): void {
  container.put(Text.of('name'), Draft.string(name));
  const env = container.needArray('env');
  env.append(versionEnv(SIDECARSET_VERSION_ENV, SIDECARSET_VERSION_PREFIX, name));
  env.append(versionEnv(SIDECARSET_VERSION_ALT_ENV, SIDECARSET_VERSION_ALT_PREFIX, name));
}

function versionEnv(variable: string, prefix: string, container: Text): Draft {
  const path = new Writer();
  path.ascii("metadata.annotations['");
  path.ascii(prefix);
  path.text(container);
  path.ascii("']");
  const fieldRef = Draft.object();
  fieldRef.put(Text.of('fieldPath'), Draft.string(path.toText()));
  const valueFrom = Draft.object();
  valueFrom.put(Text.of('fieldRef'), fieldRef);
  const env = Draft.object();
  env.put(Text.of('name'), Draft.ascii(variable));
  env.put(Text.of('valueFrom'), valueFrom);
  return env;
}

function twinName(name: Text, suffix: string): Text {
  const out = new Writer(name.length + 2);
  out.text(name);
  out.ascii(suffix);
  return out.toText();
}
