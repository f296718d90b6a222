// The sub-command explain: of pods, and of the drain of a node. What it does is loaded when it runs.

import { type Command, Option } from 'commander';
import type { Host } from './host.ts';
import { addInput, addState, type Done, requireInput } from './options.ts';

export function addExplain(program: Command, host: Host, done: Done): void {
  const command = program
    .command('explain')
    .summary('Tell why policy objects do or do not act on a pod, or hold a drain.')
    .description(
      `Tell for each policy object whether it acts on a pod, and if not, the first condition that failed. The input is a Pod, a \
workload with a pod template, or a review of a pod.

With "drain NODE": tell for each pod of the node whether a drain evicts it, and which budget holds it. The objects are \
those of --objects or of a cluster; nothing is evicted.

Exit codes: 0 done, 1 a pod is blocked (drain), 2 wrong usage or input, 3 the cluster could not be asked.`,
    )
    .usage('-f FILE --objects FILE|DIR [flags]\n  sluice explain drain NODE [--objects FILE|DIR] [flags]')
    .argument('[drain NODE...]', '"drain" and the name of a node, in place of --filename');
  addInput(command, 'Files or folders with pods, workloads or reviews; - is standard input. Repeatable.');
  addState(command);
  command
    .option('--kubeconfig <FILE>', 'For drain: where the cluster is; without it $KUBECONFIG or ~/.kube/config.')
    .option('--context <NAME>', 'For drain: the context of the kubeconfig.')
    .addOption(
      new Option('-o, --output <FORMAT>', 'What to print.').choices(['table', 'wide', 'json', 'yaml']).default('table'),
    )
    .addHelpText(
      'after',
      `
Examples:
  # Why does this pod get no log shipper?
  sluice explain -f pod.yaml --objects sidecars/

  # The names of the SidecarSets that act on the pods of a StatefulSet
  sluice explain -f db.yaml --objects sidecars/ -o json | jq -r '.explanations[] | select(.matched).name'

  # What would hold a drain of node-1, by PodUnavailableBudgets and PodDisruptionBudgets?
  sluice explain drain node-1 --context production
`,
    )
    .action(async (subject: string[], options) => {
      if (subject.length === 0) {
        requireInput(command, options);
        const { runExplain } = await import('./explain.ts');
        done(await runExplain(host, options));
        return;
      }
      const [word, node, ...more] = subject;
      if (word !== 'drain') command.error(`error: expected "drain NODE", got ${JSON.stringify(word)}`);
      if (node === undefined || more.length > 0) command.error('error: "drain" takes the name of one node');
      else {
        requireCluster(command, options);
        const { runDrain } = await import('./drain.ts');
        done(await runDrain(host, node, options));
      }
    });
}

type Given = { filename?: readonly string[]; objects: readonly string[]; context?: string; kubeconfig?: string };

function requireCluster(command: Command, { filename, objects, context, kubeconfig }: Given): void {
  if (filename !== undefined) command.error('error: "drain" takes no --filename; its pods are those of the node');
  if (objects.length > 0 && (context ?? kubeconfig) !== undefined) {
    command.error('error: --objects takes no --context and no --kubeconfig');
  }
}
