// Makes the image of all programs, without Docker, as an OCI image layout: `node scripts/image.ts [FOLDER]`, by default
// dist/image. For the architecture of this machine, which is a Debian. The same sources give the same bytes.
import { existsSync } from 'node:fs';
import packageFile from '../package.json' with { type: 'json' };
import { writeLayout } from './image/layout.ts';
import { baseEntries, NODE, PROGRAM, programEntries, USER } from './image/root.ts';
import { NODE_ENVIRONMENT, NODE_FLAGS } from './image/runtime.ts';

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
  entrypoint: [`/${NODE}`, ...NODE_FLAGS, `/${PROGRAM}`],
  user: `${USER}:${USER}`,
  environment: ['PATH=/nodejs/bin', 'NODE_ENV=production', `MALLOC_ARENA_MAX=${NODE_ENVIRONMENT.MALLOC_ARENA_MAX}`],
  labels: {
    'org.opencontainers.image.title': 'sluice',
    'org.opencontainers.image.description': packageFile.description,
    'org.opencontainers.image.licenses': packageFile.license,
    'org.opencontainers.image.version': packageFile.version,
  },
});
process.stdout.write(`${folder}: ${digest}, ${(bytes / 1e6).toFixed(1)} MB packed\n`);
