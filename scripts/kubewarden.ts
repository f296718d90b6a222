// Puts the metadata of the Kubewarden policy into its module, where kwctl's `annotate` would: a custom section
// `io.kubewarden.metadata` with the metadata as JSON.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';

const root = new URL('..', import.meta.url).pathname;
const SECTION = 'io.kubewarden.metadata';

/** The module with its metadata. */
export async function annotated(module: Uint8Array): Promise<Uint8Array> {
  const metadata = parse(await readFile(join(root, 'assembly/kubewarden/metadata.yml'), 'utf8')) as Metadata;
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  const annotations = { ...metadata.annotations, 'io.kubewarden.policy.version': version };
  const text = JSON.stringify({ protocolVersion: 'v1', ...metadata, annotations });
  const name = Buffer.from(SECTION);
  const content = Buffer.concat([length(name.length), name, Buffer.from(text)]);
  return Buffer.concat([module, Buffer.of(0), length(content.length), content]);
}

type Metadata = { annotations: Record<string, string> };

/** Unsigned LEB128. */
function length(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    bytes.push(rest < 128 ? rest : (rest & 127) | 128);
    if (rest < 128) return Buffer.from(bytes);
  }
}
