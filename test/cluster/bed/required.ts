// Which programs the tests in a real control plane lack on this machine, and whether that is a failure.
import { type Environment, processInput } from '../../../component/flags.ts';
import { findPrograms, PROGRAMS, type ProgramName, REQUIRED } from './programs.ts';

/** The programs that are nowhere to be found; without `controllers`, those of a bed without them. */
export async function missingPrograms({ controllers = false } = {}): Promise<ProgramName[]> {
  const found = await findPrograms(processInput().environment);
  const wanted = controllers ? PROGRAMS.map(({ name }) => name) : REQUIRED;
  return wanted.filter((name) => !found.has(name));
}

/** The sentence that says what is left out because of what is missing; undefined if nothing is. */
export async function leftOut(): Promise<string | undefined> {
  const missing = await missingPrograms({ controllers: true });
  if (missing.length === 0) return undefined;
  const what = missing.some((name) => REQUIRED.includes(name))
    ? 'the control plane'
    : 'the control plane with controllers';
  return `test/cluster: ${what} left out: no ${missing.join(', no ')}; "npm run cluster:setup" builds what is missing`;
}

/** True if SLUICE_REQUIRE, a comma-separated list, has `cluster`: nothing may be left out. */
export function isRequired({ SLUICE_REQUIRE: tiers = '' }: Environment): boolean {
  return tiers
    .split(',')
    .map((tier) => tier.trim())
    .includes('cluster');
}
