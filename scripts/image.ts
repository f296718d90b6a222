// Makes the image of all programs, without Docker, as an OCI image layout: `node scripts/image.ts [FOLDER]`, by default
// dist/image. For the architecture of this machine, which is a Debian. The same sources give the same bytes.
import { existsSync } from 'node:fs';
import packageFile from '../package.json' with { type: 'json' };
import { writeLayout } from './image/layout.ts';
import { baseEntries, NODE, PROGRAM, programEntries, USER } from './image/root.ts';

const root = new URL('..', import.meta.url).pathname;
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

const architecture = architectures[process.arch];
const node = `${root}node_modules/node-linux-${process.arch}`;
if (architecture === undefined || !existsSync(node))
  throw new Error(`no image for ${process.arch}: ${node} is missing`);

const [folder = `${root}dist/image`] = process.argv.slice(2);
const { digest, bytes } = await writeLayout(folder, {
  architecture,
  tag: packageFile.version,
  layers: [await baseEntries(node), await programEntries(`${root}dist`)],
  // A small young generation: what a review leaves behind is gone before it is copied; and memory that is free for a second
  // goes back to the system (npm start has the same).
  entrypoint: [`/${NODE}`, '--max-semi-space-size=2', '--memory-pool-timeout=1', `/${PROGRAM}`],
  user: `${USER}:${USER}`,
  // One heap of the C library for all threads: less memory that is freed and not given back.
  environment: ['PATH=/nodejs/bin', 'NODE_ENV=production', 'MALLOC_ARENA_MAX=1'],
  labels: {
    'org.opencontainers.image.title': 'sluice',
    'org.opencontainers.image.description': packageFile.description,
    'org.opencontainers.image.licenses': packageFile.license,
    'org.opencontainers.image.version': packageFile.version,
  },
});
process.stdout.write(`${folder}: ${digest}, ${(bytes / 1e6).toFixed(1)} MB packed\n`);
