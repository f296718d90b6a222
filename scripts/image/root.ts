// The file system of the image: Node with the libraries that it loads, certificates of authorities, and the program.
// No shell, no package manager. Node itself knows the time zones.
import { execFile } from 'node:child_process';
import { readdir, readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { TarEntry } from './tar.ts';

/** The user that the programs run as, the one of the system that we replace: it may own folders that are mounted. */
export const USER = 65_534;
export const NODE = 'nodejs/bin/node';
export const PROGRAM = 'sluice/sluice.mjs';

const AUTHORITIES = '/usr/share/ca-certificates/mozilla';
const LICENCES = '/usr/share/doc';
/** The Debian packages that Node's libraries are from. */
const LIBRARY_PACKAGES = ['libc6', 'libstdc++6', 'libgcc-s1', 'libatomic1'];

/**
 * The layer below the program. `node` is the package that brings Node. Throws if this machine, a Debian of the image's
 * architecture, lacks a file.
 */
export async function baseEntries(node: string): Promise<TarEntry[]> {
  const program = join(node, 'bin/node');
  const files = new Map<string, Promise<Uint8Array>>();
  for (const path of await librariesOf(program)) files.set(path.slice(1), readFile(path));
  files.set(
    'etc/passwd',
    text(`root:x:0:0:root:/:/sbin/nologin\nnobody:x:${USER}:${USER}:nobody:/tmp:/sbin/nologin\n`),
  );
  files.set('etc/group', text(`root:x:0:\nnogroup:x:${USER}:\n`));
  files.set('etc/nsswitch.conf', text('hosts: files dns\n'));
  files.set('etc/ssl/certs/ca-certificates.crt', authorities());
  files.set('usr/share/doc/node/LICENSE', readFile(join(node, 'LICENSE')));
  for (const name of LIBRARY_PACKAGES) {
    const path = join(LICENCES, name, 'copyright');
    files.set(
      path.slice(1),
      realpath(path).then((real) => readFile(real)),
    );
  }
  const folders: TarEntry[] = [
    { type: 'folder', path: 'tmp', mode: 0o1777 },
    // Where the log of refusals goes.
    { type: 'folder', path: 'log', mode: 0o755, owner: USER },
  ];
  const programs = [await fileEntry(NODE, 0o755, readFile(program))];
  // The loader is a program too.
  const others = [...files].map(([path, content]) => fileEntry(path, path.includes('.so') ? 0o755 : 0o644, content));
  return withFolders([...folders, ...programs, ...(await Promise.all(others))]);
}

/** The layer of the program: what `npm run build` has put into `folder`, without maps and what only tests load. */
export async function programEntries(folder: string): Promise<TarEntry[]> {
  const names = (await readdir(folder)).filter((name) => /\.mjs$|^package\.json$|^policy\.wasm$/.test(name));
  for (const needed of ['sluice.mjs', 'policy.wasm']) {
    if (!names.includes(needed)) throw new Error(`${join(folder, needed)} is missing; "npm run build" makes it`);
  }
  const files = names.map((name) => fileEntry(join(dirname(PROGRAM), name), 0o644, readFile(join(folder, name))));
  return withFolders(await Promise.all(files));
}

async function librariesOf(program: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ldd', [program]);
  const missing = /^\s*(\S+) => not found$/m.exec(stdout)?.[1];
  if (missing !== undefined) throw new Error(`${program}: the library ${missing} is not on this machine`);
  return [...stdout.matchAll(/(\/\S+) \(0x/g)].flatMap(([, path]) => path ?? []);
}

// The packaged ones alone: what an administrator has added to this machine does not belong into an image.
async function authorities(): Promise<Uint8Array> {
  const names = (await readdir(AUTHORITIES)).filter((name) => name.endsWith('.crt')).sort();
  return Buffer.concat(await Promise.all(names.map((name) => readFile(join(AUTHORITIES, name)))));
}

async function text(content: string): Promise<Uint8Array> {
  return Buffer.from(content);
}

async function fileEntry(path: string, mode: number, content: Promise<Uint8Array>): Promise<TarEntry> {
  return { type: 'file', path, mode, content: await content };
}

function withFolders(entries: readonly TarEntry[]): TarEntry[] {
  const all = new Map(entries.map((entry) => [entry.path, entry]));
  for (const { path } of entries) {
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      if (!all.has(folder)) all.set(folder, { type: 'folder', path: folder, mode: 0o755 });
    }
  }
  return [...all.values()];
}
