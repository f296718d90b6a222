// How readers that keep whole objects give them as stored ones: the same one for the same object.
import type { KubeObject } from '../../kube/objects.ts';
import type { Reader, Stored } from '../../kube/reader.ts';

export function storedIn(indexed: Reader['indexed']): Pick<Reader, 'stored' | 'count'> {
  const known = new WeakMap<KubeObject, Stored>();
  const storedOf = (object: KubeObject): Stored => {
    const stored = known.get(object) ?? { read: () => object };
    known.set(object, stored);
    return stored;
  };
  return {
    stored: (resource, index, key) => indexed(resource, index, key).map(storedOf),
    count: (resource, index, key) => indexed(resource, index, key).length,
  };
}
