// The controllers as a process of its own, from the sources: `node start.ts --kubeconfig FILE ...`.

import { processInput } from '../../../component/flags.ts';
import { runReconcilers } from '../../../reconcilers/main.ts';

const { arguments: given, environment } = processInput();
process.exitCode = await runReconcilers(given, environment);
