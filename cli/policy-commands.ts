// The sub-commands with which policies are tried out: test, diff and bench. What they do is loaded when they run.

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Host } from './host.ts';
import { addInput, addState, collect, type Done, requireInput } from './options.ts';

const TEST_FORMATS = ['table', 'json', 'junit', 'tap', 'sarif', 'github'];

export function addTest(program: Command, host: Host, done: Done): void {
  program
    .command('test')
    .summary('Run suites of policy tests.')
    .description(
      `Run suites of policy tests: what admission must answer, and what it must make of objects, without a cluster.

Suites are documents of kind PolicyTest, found in files and folders; Kyverno's kyverno-test.yaml and Gatekeeper's Suite are \
read as far as they fit. docs/guide/policy-tests.md tells how to write one.

Exit codes: 0 all cases pass, 1 at least one fails or too little is covered, 2 wrong usage, a wrong suite or no case, 3 internal error.`,
    )
    .usage('[DIR|FILE]... [flags]')
    .argument('[DIR|FILE...]', 'where the suites are; without any, the current folder')
    .option('--run <REGEX>', 'Only cases of which SUITE/CASE matches.', readPattern)
    .option('--update', 'Record: write what the answers are into the suites, where they are not as expected.')
    .option('--coverage', 'Tell which rules of which policy objects decided something, and which none.')
    .option('--coverage-threshold <PERCENT>', 'The same; less of the rules than this is a failure.', readPercent)
    .option('--allow-empty', 'No case at all is no error.')
    .addOption(new Option('-o, --output <FORMAT>', 'What to print.').choices(TEST_FORMATS).default('table'))
    .addOption(
      new Option('--color <WHEN>', 'Colours in the output.').choices(['auto', 'always', 'never']).default('auto'),
    )
    .addHelpText(
      'after',
      `
Output formats:
  table       one line a case, and the differences of those that fail
  json        one object with results, summary and coverage
  junit       JUnit XML, which most CI systems show
  tap         TAP version 14
  sarif       failures with their places, for code scanning (SARIF 2.1.0)
  github      the same as workflow commands of GitHub Actions

Examples:
  # All suites below this folder
  sluice test

  # Those of one folder, with what they leave out
  sluice test policies/tests --coverage

  # One case
  sluice test --run 'sidecars/checkout'

  # Write down what the answers are now, then look at the difference
  sluice test --update && git diff
`,
    )
    .action(async (paths: string[], options) => {
      const { runTest } = await import('./test.ts');
      done(await runTest(host, paths, options));
    });
}

export function addDiff(program: Command, host: Host, done: Done): void {
  const command = program
    .command('diff')
    .summary('Show which live pods changed policies would change.')
    .description(
      `Show which live pods changed SidecarSets, budgets and spreads would change, and how. Nothing is written.

--objects are the changed objects; the live ones, with the pods, are in files (--against) or in a cluster. Each pod is \
looked at as its workload would make it anew, before and after the change.

Exit codes: 0 nothing changes, 1 something does, 2 wrong usage or input, 3 the cluster could not be asked.`,
    )
    .usage('--objects FILE|DIR [--against FILE|DIR] [flags]');
  addState(command);
  command
    .addOption(
      new Option('--against <FILE|DIR>', 'The live objects, in files or folders, instead of a cluster. Repeatable.')
        .argParser(collect)
        .default([]),
    )
    .option('--kubeconfig <FILE>', 'Where the cluster is; without it $KUBECONFIG or ~/.kube/config.')
    .option('--context <NAME>', 'The context of the kubeconfig.')
    .addOption(
      new Option('-o, --output <FORMAT>', 'What to print.').choices(['table', 'diff', 'json']).default('table'),
    )
    .addHelpText(
      'after',
      `
Output formats:
  table       one line for each pod and policy: why it acts or not, now and then, and when the pod shows it
  diff        how the pods change, once for all that change alike
  json        all of it

Examples:
  # What would this SidecarSet change in the cluster of the kubeconfig?
  sluice diff --objects sidecarset.yaml

  # The same in one namespace of another cluster, with the differences
  sluice diff --objects sidecarset.yaml --context staging -n shop -o diff

  # Without a cluster
  kubectl get pods,replicasets,sidecarsets,namespaces -A -o yaml > live.yaml
  sluice diff --objects sidecarset.yaml --against live.yaml
`,
    )
    .action(async (options) => {
      if (options.objects.length === 0) command.error('error: --objects is required');
      if (options.against.length > 0 && (options.context ?? options.kubeconfig) !== undefined) {
        command.error('error: --against takes no --context and no --kubeconfig');
      }
      const { runDiff } = await import('./policy-diff.ts');
      done(await runDiff(host, options));
    });
}

export function addBench(program: Command, host: Host, done: Done): void {
  const command = program
    .command('bench')
    .summary('Measure what a review costs.')
    .description(
      `Measure what a review costs: microseconds and bytes of memory, in process. With --module another policy module is \
measured in turns with this one.`,
    )
    .usage('-f FILE [flags]');
  addInput(command, 'Files or folders with reviews or objects; - is standard input. Repeatable.');
  addState(command);
  command
    .option('--module <FILE>', 'Another policy.wasm to compare with.')
    .option('--path <PATH>', 'The webhook; without it the first that the API server would call.')
    .option('--count <NUMBER>', 'Reviews that are measured, after a fifth as many to warm up.', readCount, 5000)
    .addOption(new Option('-o, --output <FORMAT>', 'What to print.').choices(['table', 'json']).default('table'))
    .addHelpText(
      'after',
      `
Examples:
  # A pod creation in front of your SidecarSets
  sluice bench -f pod.yaml --objects sidecars/

  # Is the new module slower?
  sluice bench -f review.json --objects sidecars/ --module new/policy.wasm
`,
    )
    .action(async (options) => {
      requireInput(command, options);
      const { runBench } = await import('./bench.ts');
      done(await runBench(host, options));
    });
}

function readCount(value: string): number {
  if (!/^[1-9]\d{0,6}$/.test(value)) throw new InvalidArgumentError('Expected a number from 1 to 9999999.');
  return Number(value);
}

function readPercent(value: string): number {
  if (!/^(?:\d\d?|100)$/.test(value)) throw new InvalidArgumentError('Expected a whole number from 0 to 100.');
  return Number(value);
}

function readPattern(value: string): RegExp {
  try {
    return new RegExp(value, 'u');
  } catch (error) {
    throw new InvalidArgumentError((error as SyntaxError).message);
  }
}
