// Writes tar archives that are the same bytes for the same entries: names sorted, no times, no names of users.

/** One entry. Paths are relative to the root, without a leading slash; `mode` are the permission bits. */
export type TarEntry = { path: string; mode: number; owner?: number } & (
  | { type: 'file'; content: Uint8Array }
  | { type: 'folder' }
  | { type: 'link'; target: string }
);

const BLOCK = 512;
const TYPE_FLAGS = { file: '0', link: '2', folder: '5' } as const;

/** The archive (ustar), in pieces that follow each other. Throws for a path that its format cannot hold. */
export function* tar(entries: readonly TarEntry[]): Generator<Uint8Array> {
  for (const entry of entries.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    yield headerOf(entry);
    if (entry.type !== 'file') continue;
    yield entry.content;
    const rest = entry.content.length % BLOCK;
    if (rest > 0) yield new Uint8Array(BLOCK - rest);
  }
  yield new Uint8Array(2 * BLOCK);
}

function headerOf(entry: TarEntry): Uint8Array {
  const header = Buffer.alloc(BLOCK);
  const path = entry.type === 'folder' ? `${entry.path}/` : entry.path;
  const [prefix, name] = splitPath(path);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  const owner = octal(entry.owner ?? 0, 8);
  header.write(name, 0);
  header.write(octal(entry.mode, 8), 100);
  header.write(owner, 108);
  header.write(owner, 116);
  header.write(octal(entry.type === 'file' ? entry.content.length : 0, 12), 124);
  header.write(octal(0, 12), 136);
  header.write(' '.repeat(8), 148);
  header.write(TYPE_FLAGS[entry.type], 156);
  if (entry.type === 'link') header.write(entry.target, 157);
  header.write('ustar\0' + '00', 257);
  header.write(prefix, 345);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

// A name has 100 bytes; what is longer is cut at a slash, and the front goes into a field of 155.
function splitPath(path: string): [string, string] {
  if (path.length <= 100) return ['', path];
  for (let at = path.indexOf('/'); at >= 0 && at <= 155; at = path.indexOf('/', at + 1)) {
    if (path.length - at - 1 <= 100 && at < path.length - 1) return [path.slice(0, at), path.slice(at + 1)];
  }
  throw new Error(`${path}: too long for a tar archive`);
}
