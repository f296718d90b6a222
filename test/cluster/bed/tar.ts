// Writes archives (POSIX ustar): the layers of images.
export type TarEntry = {
  /** Relative, of 100 bytes at most. */
  path: string;
  mode?: number;
} & ({ type: 'folder' } | { type: 'file'; content: Uint8Array } | { type: 'link'; target: string });

const BLOCK = 512;
const TYPES = { file: '0', link: '2', folder: '5' } as const;

/** The same entries give the same bytes: owner is root, times are 1970. */
export function tar(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = entry.type === 'file' ? entry.content : new Uint8Array();
    return [header(entry, content.length), content, Buffer.alloc(-content.length & (BLOCK - 1))];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function header(entry: TarEntry, size: number): Buffer {
  const { path, type, mode = type === 'link' ? 0o777 : 0o755 } = entry;
  if (Buffer.byteLength(path) > 100) throw new Error(`${path}: expected a path of 100 bytes at most`);
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    block.write(value.toString(8).padStart(length - 1, '0'), at);
  block.write(path, 0);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  block.write(TYPES[type], 156);
  if (type === 'link') block.write(entry.target, 157);
  block.write('ustar\x0000', 257);
  // The sum counts its own field as spaces.
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
