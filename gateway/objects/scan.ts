// Which files hold the objects, and what tells that one has changed. Nothing is read here but folders.

import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { InputError } from '../../component/errors.ts';
import { describing, fileFault, IS_NO_FILE } from '../../component/file-faults.ts';

/** A file: its size, and a text that differs whenever it was written. */
export type FoundFile = { bytes: number; signature: string };

/** What was found: files by path, and the folders that lead to them. */
export type Scan = { files: ReadonlyMap<string, FoundFile>; folders: ReadonlySet<string> };

const EXTENSIONS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);

/**
 * Looks through files and folders, with sub-folders, in sorted order. Hidden names are left out: a mounted ConfigMap
 * keeps its data in them and links to it. Throws InputError when a path that was named, or one that a link leads to, is
 * not there: that is no removal.
 */
export async function scan(paths: readonly string[]): Promise<Scan> {
  const files = new Map<string, FoundFile>();
  const folders = new Set<string>();
  for (const path of paths) {
    const found = await describe(path);
    if (found.isFolder) await scanFolder(path, new Set(), { files, folders });
    else if (!found.isFile) throw new InputError(IS_NO_FILE, { file: path });
    else {
      files.set(path, found);
      folders.add(join(path, '..'));
    }
    await addTarget(path, found.isFolder, folders);
  }
  return { files, folders };
}

/** True if both scans saw the same files in the same state. */
export function isSameScan(a: Scan, b: Scan): boolean {
  if (a.files.size !== b.files.size) return false;
  for (const [file, { signature }] of a.files) if (b.files.get(file)?.signature !== signature) return false;
  return true;
}

async function scanFolder(
  folder: string,
  above: ReadonlySet<string>,
  into: { files: Map<string, FoundFile>; folders: Set<string> },
): Promise<void> {
  const real = await describing(folder, () => realpath(folder));
  if (above.has(real)) return;
  into.folders.add(folder);
  const names = (await describing(folder, () => readdir(folder))).filter((name) => !name.startsWith('.'));
  for (const name of names.sort()) {
    const path = join(folder, name);
    const found = await describeIfThere(path);
    if (found === undefined) {
      if (await isLink(path)) throw new InputError('a link to what is not there', { file: path });
      continue;
    }
    if (found.isFolder) await scanFolder(path, new Set(above).add(real), into);
    else if (found.isFile && EXTENSIONS.has(extname(name))) {
      into.files.set(path, found);
      await addTarget(path, false, into.folders);
    }
  }
}

async function isLink(path: string): Promise<boolean> {
  const info = await lstat(path).catch(() => undefined);
  return info?.isSymbolicLink() === true;
}

// A link changes where it points to, not where it stands.
async function addTarget(path: string, isFolder: boolean, folders: Set<string>): Promise<void> {
  const real = await realpath(path).catch(() => path);
  folders.add(isFolder ? real : join(real, '..'));
}

type Found = FoundFile & { isFolder: boolean; isFile: boolean };

async function describe(path: string): Promise<Found> {
  const found = await describeIfThere(path);
  if (found === undefined) throw new InputError('no such file or folder', { file: path });
  return found;
}

async function describeIfThere(path: string): Promise<Found | undefined> {
  try {
    const info = await stat(path, { bigint: true });
    const signature = `${info.ino}.${info.size}.${info.mtimeNs}.${info.ctimeNs}`;
    return { isFolder: info.isDirectory(), isFile: info.isFile(), bytes: Number(info.size), signature };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fileFault(error, path);
  }
}
