// Properties are tried with the same values in every run, so that CI is not a matter of luck. `SLUICE_SEED=random`
// tries new ones; a number repeats a run.

import fc from 'fast-check';
import { processInput } from '../../component/flags.ts';

const { SLUICE_SEED: wanted = '20261130' } = processInput().environment;
if (wanted !== 'random') fc.configureGlobal({ seed: Number(wanted) });
