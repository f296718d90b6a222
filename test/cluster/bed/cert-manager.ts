// The real cert-manager in a bed with nodes: the controllers that issue certificates, and the injector that tells webhook
// configurations and CRDs of the authority. They run beside the control plane, as an administrator.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import type { JsonObject } from '../../../api/core/json.ts';
import { processInput } from '../../../component/flags.ts';
import type { Bed } from './bed.ts';
import { createCrds } from './installation.ts';
import type { Process } from './process.ts';
import { findPrograms, type ProgramName } from './programs.ts';

/** All that a chart with certificates needs; issuers that talk to others are left out. */
const CONTROLLERS = [
  ...['issuers', 'clusterissuers', 'certificaterequests-approver', 'certificaterequests-issuer-ca'],
  ...['certificaterequests-issuer-selfsigned', 'certificates-trigger', 'certificates-issuing'],
  ...['certificates-key-manager', 'certificates-request-manager', 'certificates-readiness'],
  'certificates-revision-manager',
];

/** Creates its CRDs and starts it; resolves to its programs, which the one who asked ends. Throws if one is missing. */
export async function startCertManager(bed: Bed): Promise<Process[]> {
  const { network, kubeconfig } = bed;
  if (network === undefined) throw new Error('cert-manager runs in beds with nodes');
  const found = await findPrograms(processInput().environment);
  const pathOf = (name: ProgramName) => {
    const path = found.get(name)?.path;
    if (path === undefined) throw new Error(`${name} is missing; "npm run cluster:setup" builds it`);
    return path;
  };
  await createCrds(bed.client, definitions(join(dirname(pathOf('cert-manager-controller')), 'crds')));
  const start = (name: ProgramName, given: readonly string[]) =>
    network.controlPlane.run({
      name,
      path: pathOf(name),
      arguments: ['--kubeconfig', kubeconfig, '--leader-elect=false', ...given],
    });
  return [
    start('cert-manager-controller', ['--controllers', CONTROLLERS.join(',')]),
    start('cert-manager-cainjector', []),
  ];
}

/** Labels and remarks in the files are written for a template; nothing else in them is. */
function definitions(folder: string): JsonObject[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => {
      const crd = parse(readFileSync(join(folder, file), 'utf8')) as JsonObject;
      return { ...crd, metadata: { name: (crd.metadata as JsonObject).name ?? '' } };
    });
}
