// Images as OCI has them: made in memory, or read from a layout on disk.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../../../api/core/json.ts';

/** What a manifest names, by what it is. */
type Descriptor = { mediaType: string; digest: string; size: number };
/** An image in memory: the manifest's bytes, and the blobs that it names by digest. */
export type Image = { manifest: { type: string; content: Uint8Array }; blobs: ReadonlyMap<string, Uint8Array> };

/** Of this machine, as images call it. */
export const ARCHITECTURE = process.arch === 'x64' ? 'amd64' : process.arch;

const OCI = 'application/vnd.oci.image';

/** An image of these layers (archives); settings are what containers of it get (`Cmd`, `Env`, ...). */
export function imageOf(layers: readonly Uint8Array[], settings: object): Image {
  const config = Buffer.from(
    JSON.stringify({
      architecture: ARCHITECTURE,
      os: 'linux',
      config: settings,
      rootfs: { type: 'layers', diff_ids: layers.map(digestOf) },
    }),
  );
  const described = (mediaType: string, content: Uint8Array): Descriptor => {
    return { mediaType, digest: digestOf(content), size: content.length };
  };
  const type = `${OCI}.manifest.v1+json`;
  const manifest = {
    schemaVersion: 2,
    mediaType: type,
    config: described(`${OCI}.config.v1+json`, config),
    layers: layers.map((layer) => described(`${OCI}.layer.v1.tar`, layer)),
  };
  const blobs = new Map([...layers, config].map((content) => [digestOf(content), content]));
  return { manifest: { type, content: Buffer.from(JSON.stringify(manifest)) }, blobs };
}

/** The only image of an OCI layout, a folder. Throws if it has none, or several. */
export function readLayout(folder: string): Image {
  const blob = (digest: string) => readFileSync(join(folder, 'blobs', ...digest.split(':')));
  const index = parseJson(readFileSync(join(folder, 'index.json'), 'utf8')) as { manifests?: Descriptor[] };
  const [one, ...others] = index.manifests ?? [];
  if (one === undefined || others.length > 0) throw new Error(`${folder}/index.json: expected exactly one manifest`);
  const content = blob(one.digest);
  const { config, layers } = parseJson(content.toString('utf8')) as { config: Descriptor; layers: Descriptor[] };
  const blobs = new Map([...layers, config].map(({ digest }) => [digest, blob(digest)]));
  return { manifest: { type: one.mediaType, content }, blobs };
}

const digestCache = new WeakMap<Uint8Array, string>();

// The layer that all stand-ins share is read once.
function digestOf(content: Uint8Array): string {
  const known = digestCache.get(content);
  if (known !== undefined) return known;
  const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
  digestCache.set(content, digest);
  return digest;
}
