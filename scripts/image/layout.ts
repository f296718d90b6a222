// Writes an OCI image layout: blobs by digest, one image for one platform.
import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import { type TarEntry, tar } from './tar.ts';

export type ImageSettings = {
  /** As in an image's name: `amd64`, `arm64`. */
  architecture: string;
  tag: string;
  /** Bottom layer first. */
  layers: readonly (readonly TarEntry[])[];
  entrypoint: readonly string[];
  /** `UID:GID`. */
  user: string;
  environment: readonly string[];
  labels: Readonly<Record<string, string>>;
};

/** The digest of the image's manifest, and the bytes that a registry keeps for it. */
export type WrittenImage = { digest: string; bytes: number };

type Descriptor = { mediaType: string; digest: string; size: number };

const MEDIA = 'application/vnd.oci.image';
/** Layers, settings and the image have no age: the same content is the same image. */
const CREATED = '1970-01-01T00:00:00Z';

/** Writes the layout into a folder of its own, in place of what is there. */
export async function writeLayout(folder: string, settings: ImageSettings): Promise<WrittenImage> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'blobs/sha256'), { recursive: true });
  const layers = [];
  for (const entries of settings.layers) layers.push(await writeLayer(folder, entries));
  const config = await writeJson(folder, `${MEDIA}.config.v1+json`, {
    created: CREATED,
    architecture: settings.architecture,
    os: 'linux',
    config: {
      User: settings.user,
      Env: settings.environment,
      Entrypoint: settings.entrypoint,
      WorkingDir: '/',
      Labels: settings.labels,
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ unpacked }) => unpacked) },
    history: layers.map(() => ({ created: CREATED, created_by: 'scripts/image.ts' })),
  });
  const manifest = await writeJson(folder, `${MEDIA}.manifest.v1+json`, {
    schemaVersion: 2,
    mediaType: `${MEDIA}.manifest.v1+json`,
    config,
    layers: layers.map(({ descriptor }) => descriptor),
  });
  const platform = { architecture: settings.architecture, os: 'linux' };
  const annotations = { 'org.opencontainers.image.ref.name': settings.tag };
  const index = {
    schemaVersion: 2,
    mediaType: `${MEDIA}.index.v1+json`,
    manifests: [{ ...manifest, platform, annotations }],
  };
  await writeFile(join(folder, 'index.json'), JSON.stringify(index));
  await writeFile(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  const bytes = layers.reduce((sum, { descriptor }) => sum + descriptor.size, config.size + manifest.size);
  return { digest: manifest.digest, bytes };
}

async function writeLayer(folder: string, entries: readonly TarEntry[]) {
  const unpacked = createHash('sha256');
  const gzip = createGzip({ level: 6 });
  const packed: Buffer[] = [];
  gzip.on('data', (chunk: Buffer) => packed.push(chunk));
  const ended = new Promise((resolve, reject) => gzip.once('end', resolve).once('error', reject));
  for (const piece of tar(entries)) {
    unpacked.update(piece);
    if (!gzip.write(piece)) await new Promise((resolve) => gzip.once('drain', resolve));
  }
  gzip.end();
  await ended;
  const descriptor = await writeBlob(folder, `${MEDIA}.layer.v1.tar+gzip`, Buffer.concat(packed));
  return { descriptor, unpacked: `sha256:${unpacked.digest('hex')}` };
}

function writeJson(folder: string, mediaType: string, value: object): Promise<Descriptor> {
  return writeBlob(folder, mediaType, Buffer.from(JSON.stringify(value)));
}

async function writeBlob(folder: string, mediaType: string, content: Buffer): Promise<Descriptor> {
  const hash = createHash('sha256').update(content).digest('hex');
  await writeFile(join(folder, 'blobs/sha256', hash), content);
  return { mediaType, digest: `sha256:${hash}`, size: content.length };
}
