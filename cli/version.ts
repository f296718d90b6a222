// `sluice version`: which build this is.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import packageFile from '../package.json' with { type: 'json' };
import { EXIT, type Host } from './host.ts';
import { renderJson, renderYaml } from './render.ts';

type VersionFormat = 'text' | 'json' | 'yaml';

/** Prints the version of the command, of Node and the digest of the policy module. */
export async function runVersion(host: Host, options: { output: VersionFormat }): Promise<number> {
  const version = {
    version: packageFile.version,
    node: host.nodeVersion,
    platform: host.platform,
    policyModule: await moduleDigest(host.policyModule),
  };
  if (options.output === 'json') host.stdout.write(`${renderJson(version, 2)}\n`);
  else if (options.output === 'yaml') host.stdout.write(renderYaml(version));
  else {
    host.stdout.write(`sluice ${version.version}\nnode ${version.node} ${version.platform}\n`);
    host.stdout.write(`policy.wasm ${version.policyModule}\n`);
  }
  return EXIT.allowed;
}

/** `sha256:` and the digest of a module; `not built` if it is not there. */
export async function moduleDigest(path: URL): Promise<string> {
  const bytes = await readFile(path).catch(() => undefined);
  return bytes === undefined ? 'not built' : `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
