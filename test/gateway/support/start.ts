// Runs a gateway with the stand-in evaluator in a process of its own: `node start.ts [flags]`. SLUICE_TEST_TIMES holds
// shorter times as JSON.

import { processInput } from '../../../component/flags.ts';
import { LIMITS } from '../../../gateway/limits.ts';
import { runGateway } from '../../../gateway/main.ts';

const { arguments: given, environment } = processInput();
const { limits, ...times } = JSON.parse(environment.SLUICE_TEST_TIMES ?? '{}');
const evaluatorModule = new URL('./stand-in.ts', import.meta.url).href;
process.exitCode = await runGateway(given, environment, {
  evaluatorModule,
  ...times,
  limits: { ...LIMITS, ...limits },
});
