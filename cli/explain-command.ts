// The sub-command explain: of pods, and of the drain of a node. What it does is loaded when it runs.

import { type Command, Option } from 'commander';
import type { DrainOptions } from './drain.ts';
import type { Host } from './host.ts';
import { addInput, addObjects, addSettings, addState, type Done, requireInput } from './options.ts';

export function addExplain(program: Command, host: Host, done: Done): void {
  const command = program
    .command('explain')
    .summary('Tell why policy objects do or do not act on a pod, or hold a drain.')
    .description(
      `Tell for each policy object whether it acts on a pod, and if not, the first condition that failed. The input is a Pod, a \
workload with a pod template, or a review of a pod.

Exit codes: 0 done, 2 wrong usage or input, 3 internal error.`,
    )
    .usage('-f FILE --objects FILE|DIR [flags]\n  sluice explain drain NODE [--objects FILE|DIR] [flags]');
  addInput(command, 'Files or folders with pods, workloads or reviews; - is standard input. Repeatable.');
  addState(command);
  command
    .addOption(outputFormat())
    .addHelpText(
      'after',
      `
Examples:
  # Why does this pod get no log shipper?
  sluice explain -f pod.yaml --objects sidecars/

  # The names of the SidecarSets that act on the pods of a StatefulSet
  sluice explain -f db.yaml --objects sidecars/ -o json | jq -r '.explanations[] | select(.matched).name'

  # What would hold a drain of node-1? (sluice explain drain --help)
  sluice explain drain node-1 --context production
`,
    )
    .allowExcessArguments()
    .action(async (options) => {
      const [word] = command.args;
      if (word !== undefined) command.error(`error: expected "drain NODE", got ${JSON.stringify(word)}`);
      requireInput(command, options);
      const { runExplain } = await import('./explain.ts');
      done(await runExplain(host, options));
    });
  addDrain(command, host, done);
}

function addDrain(explain: Command, host: Host, done: Done): void {
  const command = explain
    .command('drain')
    .summary('Tell which pods of a node a drain evicts, and which budgets hold the others.')
    .description(
      `Tell for each pod of a node whether a drain evicts it, and which PodUnavailableBudget or PodDisruptionBudget holds it. The \
objects are those of --objects or of a cluster; nothing is evicted.

Exit codes: 0 done, 1 a pod is blocked, 2 wrong usage or input, 3 the cluster could not be asked.`,
    )
    .usage('NODE [--objects FILE|DIR] [flags]')
    .argument('<NODE>', 'the name of the node')
    .allowExcessArguments(false);
  addObjects(command);
  addSettings(command);
  command
    .option('--kubeconfig <FILE>', 'Where the cluster is; without it $KUBECONFIG or ~/.kube/config.')
    .option('--context <NAME>', 'The context of the kubeconfig.')
    .addOption(outputFormat())
    .addHelpText(
      'after',
      `
Examples:
  # What would hold a drain of node-1, by PodUnavailableBudgets and PodDisruptionBudgets?
  sluice explain drain node-1 --context production

  # The same from files, for programs
  kubectl get pods,pub,pdb -A -o yaml > live.yaml
  sluice explain drain node-1 --objects live.yaml -o json
`,
    )
    .action(async (node: string) => {
      // Flags that both commands have may stand before "drain", too: commander gives them to the outer one.
      const options = command.optsWithGlobals<Given & DrainOptions>();
      requireCluster(command, options);
      const { runDrain } = await import('./drain.ts');
      done(await runDrain(host, node, options));
    });
}

function outputFormat(): Option {
  return new Option('-o, --output <FORMAT>', 'What to print.')
    .choices(['table', 'wide', 'json', 'yaml'])
    .default('table');
}

/** What belongs to `explain` alone. */
type Given = { filename?: readonly string[]; namespace?: string };

function requireCluster(command: Command, given: Given & DrainOptions): void {
  const { filename, namespace, objects, context, kubeconfig } = given;
  if (filename !== undefined) command.error('error: "drain" takes no --filename; its pods are those of the node');
  if (namespace !== undefined) command.error('error: "drain" takes no --namespace; a node has pods of all namespaces');
  if (objects.length > 0 && (context ?? kubeconfig) !== undefined) {
    command.error('error: --objects takes no --context and no --kubeconfig');
  }
}
