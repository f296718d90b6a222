// Whether tests in a real control plane can run on this machine; if not, whether that is a failure.
import { type Environment, processInput } from '../../../component/flags.ts';
import { findPrograms, type ProgramName, REQUIRED } from './programs.ts';

/**
 * The sentence that says why tests that need these programs are left out; undefined if they run. Throws with it if
 * SLUICE_REQUIRE, a comma-separated list, has `cluster`.
 */
export async function leftOut(more: readonly ProgramName[] = []): Promise<string | undefined> {
  const { environment } = processInput();
  const found = await findPrograms(environment);
  const missing = [...REQUIRED, ...more].filter((name) => !found.has(name));
  if (missing.length === 0) return undefined;
  const line = `left out: no ${missing.join(', no ')} here; "npm run cluster:setup" builds what is missing`;
  if (isRequired(environment)) throw new Error(`SLUICE_REQUIRE has cluster, but ${line}`);
  return line;
}

function isRequired({ SLUICE_REQUIRE: tiers = '' }: Environment): boolean {
  return tiers
    .split(',')
    .map((tier) => tier.trim())
    .includes('cluster');
}
