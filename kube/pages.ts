// All objects of a resource, page after page as one state of the API server. Where stored objects cannot be converted,
// pieces are taken in the versions in which they are stored: those need no conversion.

import { StatusError } from '../component/errors.ts';
import type { Client, ListOptions, ObjectList } from './client.ts';
import { isConversionFailure } from './conversion-errors.ts';
import { FrameError } from './frames.ts';
import type { KubeObject } from './objects.ts';
import type { Resource } from './resource.ts';

/** Objects that are asked for at once. */
const PAGE = 500;
/** By this a piece shrinks when it cannot be read in any version, and grows by two when it can. */
const SHRINK = 8;
/** Objects that are taken over before others get their turn: some milliseconds. */
const TURN = 100;

export type PagesOptions = {
  readonly client: Pick<Client, 'list'>;
  readonly selection: Pick<ListOptions, 'namespace' | 'labelSelector' | 'fieldSelector'>;
  readonly signal: AbortSignal;
};

/**
 * Without `paged` all come in one piece. Throws as `list` rejects. A first page is not asked for again here: whoever wants
 * it waits in a way of its own, and a server in trouble would be asked twice as often as either of them means to.
 */
export async function* pagesOf(
  resource: Resource,
  { client, selection, signal, paged }: PagesOptions & { paged: boolean },
): AsyncGenerator<ObjectList> {
  const read = (next: string | undefined) => {
    const page = { ...(paged ? { limit: PAGE } : {}), ...(next === undefined ? { once: true } : { continue: next }) };
    const list = client.list(resource, { ...selection, ...page, signal });
    // It is waited for a little later, or not at all any more.
    list.catch(() => undefined);
    return list;
  };
  for (let reading: Promise<ObjectList> | undefined = read(undefined); reading !== undefined; ) {
    const page = checked(await reading);
    const next = page.metadata.continue;
    // The next page is on its way while this one is taken over.
    reading = next ? read(next) : undefined;
    yield page;
  }
}

/**
 * Objects of `versions`, which are one resource, each as it is stored where nothing else works. Throws as `list` rejects,
 * with the last failure of a single object when that cannot be read in any version.
 */
export async function* piecesOf(
  versions: readonly Resource[],
  { client, selection, signal }: PagesOptions,
): AsyncGenerator<ObjectList> {
  let order = [...versions];
  let limit = PAGE;
  for (let next: string | undefined; ; ) {
    const from = { ...selection, ...(next === undefined ? {} : { continue: next }), signal };
    const { page, by, failure } = await firstOf(order, (one) => client.list(one, { ...from, limit, once: true }));
    if (page === undefined) {
      if (limit === 1) throw failure;
      limit = Math.max(1, Math.floor(limit / SHRINK));
      continue;
    }
    // Objects that were written one after the other are often stored alike.
    order = [by, ...order.filter((one) => one !== by)];
    limit = Math.min(PAGE, limit * 2);
    yield checked(page);
    next = page.metadata.continue;
    if (!next) return;
  }
}

/** Gives the objects of all pages to `add`, some at a time, and says `heard` for each page. Resolves to their resourceVersion. */
export async function takeAll(
  pages: AsyncIterable<ObjectList>,
  add: (objects: readonly KubeObject[]) => void,
  { signal, heard }: { signal: AbortSignal; heard: () => void },
): Promise<string> {
  let version = '';
  for await (const { metadata, items } of pages) {
    heard();
    version = metadata.resourceVersion;
    for (let at = 0; at < items.length; at += TURN) {
      add(items.slice(at, at + TURN));
      await new Promise<void>((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    }
  }
  return version;
}

type Found =
  | { page: ObjectList; by: Resource; failure?: undefined }
  | { page?: undefined; by?: undefined; failure: unknown };

async function firstOf(versions: readonly Resource[], read: (one: Resource) => Promise<ObjectList>): Promise<Found> {
  let failure: unknown;
  for (const by of versions) {
    try {
      return { page: await read(by), by };
    } catch (error) {
      const isUnserved = error instanceof StatusError && error.code === 404 && by !== versions[0];
      if (!isUnserved && !isConversionFailure(error)) throw error;
      failure = error;
    }
  }
  return { failure };
}

function checked(page: ObjectList): ObjectList {
  if (!page.metadata.continue && !page.metadata.resourceVersion) throw new FrameError('a list without resourceVersion');
  return page;
}
