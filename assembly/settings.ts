// What the host configures once: kept in the store's memory, so that it outlives reviews.

import { Text } from './json/text';
import { take } from './store/heap';

const NAME_MOST: i32 = 253;

let namespace: usize = 0;
let namespaceLength: i32 = 0;

/** Namespace of the controllers: where revisions and the configuration lie. */
export function systemNamespace(): Text {
  return namespaceLength == 0 ? Text.of('kruise-system') : new Text(namespace, namespaceLength);
}

/** False when the name is longer than a name may be. */
export function setSystemNamespace(name: Text): bool {
  if (name.length > NAME_MOST) {
    return false;
  }
  if (namespace == 0) {
    namespace = take(NAME_MOST);
  }
  memory.copy(namespace, name.start, name.length);
  namespaceLength = name.length;
  return true;
}
