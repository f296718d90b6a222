// Installs Sluice into a bed with nodes as users do: by helm, from the image of this checkout.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Bed } from './bed.ts';

const ROOT = new URL('../../../', import.meta.url).pathname;
const BUNDLE = join(ROOT, 'dist/sluice.mjs');
const IMAGE = 'library/sluice:0.1.0';

/** Puts the image into the registry that nodes pull from, under the name that the chart gives it. */
export async function pushSluice(bed: Bed): Promise<void> {
  if (!existsSync(BUNDLE)) throw new Error('dist/sluice.mjs is missing; "npm run build" makes it');
  const layout = join(bed.folder, 'image');
  await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/image.ts'), layout], { cwd: ROOT });
  await bed.registry.pushImage(layout, IMAGE);
}

/**
 * Resolves when all pods of the release `kruise` are ready; `settings` are flags of helm. Throws if nothing was built, or
 * helm says why it failed.
 */
export async function installChart(bed: Bed, settings: readonly string[] = []): Promise<void> {
  await pushSluice(bed);
  const given = ['install', 'kruise', join(ROOT, 'charts/sluice'), '--wait', '--timeout=4m', ...settings];
  const { code, stderr } = await bed.helm(given);
  if (code !== 0) throw new Error(`helm install: ${stderr}`);
}
