// Class metadata as the certificate library expects to find it on Reflect: it asks for a polyfill and uses these three.

type Metadata = Map<unknown, unknown>;
const metadata = new WeakMap<object, Metadata>();

/** Adds the metadata functions to Reflect unless something else already did. Must run before the library is loaded. */
export function installReflection(): void {
  if ('getMetadata' in Reflect) return;
  const own = (key: unknown, target: object): unknown => metadata.get(target)?.get(key);
  const inherited = (key: unknown, target: object | null): unknown =>
    target === null ? undefined : (own(key, target) ?? inherited(key, Reflect.getPrototypeOf(target)));
  const define = (key: unknown, value: unknown, target: object): void => {
    const entries: Metadata = metadata.get(target) ?? new Map();
    metadata.set(target, entries.set(key, value));
  };
  Object.assign(Reflect, { defineMetadata: define, getMetadata: inherited, getOwnMetadata: own });
}
