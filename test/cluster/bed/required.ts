// What the tests in a real control plane, and those on real nodes, lack on this machine, and whether that is a failure.
import { type Environment, processInput } from '../../../component/flags.ts';
import { faultOfSystem, missingPackages } from './packages.ts';
import { CERT_MANAGER_PROGRAMS, findPrograms, NODE_PROGRAMS, type ProgramName, REQUIRED } from './programs.ts';

/** `cluster`: a control plane. `node`: nodes that run containers, and what installs charts. */
export type Tier = 'cluster' | 'node';

const SETUP = '"npm run cluster:setup" builds or installs what is missing';

/** The programs that are nowhere to be found; without `controllers`, those of a bed without them. */
export async function missingPrograms({ controllers = false } = {}): Promise<ProgramName[]> {
  return missingOf(controllers ? [...REQUIRED, 'kube-controller-manager'] : REQUIRED);
}

/** What a bed with nodes lacks, as words for people; empty if it can be started. */
export async function missingForNodes(): Promise<string[]> {
  const fault = faultOfSystem();
  if (fault !== undefined) return [fault];
  const missing = [...(await missingOf([...REQUIRED, ...NODE_PROGRAMS])), ...missingPackages()];
  return missing.map((name) => `no ${name}`);
}

/** What a bed lacks in which cert-manager issues certificates, as words for people. */
export async function missingForCertManager(): Promise<string[]> {
  const missing = (await missingOf(CERT_MANAGER_PROGRAMS)).map((name) => `no ${name}`);
  return [...(await missingForNodes()), ...missing];
}

/** The sentence that says what of a tier is left out because of what is missing; undefined if nothing is. */
export async function leftOut(tier: Tier): Promise<string | undefined> {
  if (tier === 'node') {
    const fault = faultOfSystem();
    if (fault !== undefined) return `test/cluster: nodes left out: ${fault}`;
    const missing = await missingForNodes();
    if (missing.length > 0) return `test/cluster: nodes left out: ${missing.join(', ')}; ${SETUP}`;
    const others = await missingForCertManager();
    return others.length === 0 ? undefined : `test/cluster: cert-manager left out: ${others.join(', ')}; ${SETUP}`;
  }
  const missing = await missingPrograms({ controllers: true });
  if (missing.length === 0) return undefined;
  const what = missing.some((name) => REQUIRED.includes(name))
    ? 'the control plane'
    : 'the control plane with controllers';
  return `test/cluster: ${what} left out: no ${missing.join(', no ')}; ${SETUP}`;
}

/** True if SLUICE_REQUIRE, a comma-separated list, has the tier: nothing of it may be left out. */
export function isRequired({ SLUICE_REQUIRE: tiers = '' }: Environment, tier: Tier): boolean {
  return tiers
    .split(',')
    .map((word) => word.trim())
    .includes(tier);
}

async function missingOf(wanted: readonly ProgramName[]): Promise<ProgramName[]> {
  const found = await findPrograms(processInput().environment);
  return wanted.filter((name) => !found.has(name));
}
