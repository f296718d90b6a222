// The sub-commands about manifests of our kinds: lint, convert and crds. What they do is loaded when they run.

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Host } from './host.ts';
import { addInput, addState, collect, type Done, requireInput } from './options.ts';

export function addLint(program: Command, host: Host, done: Done): void {
  const command = program
    .command('lint')
    .summary("Check objects of OpenKruise's kinds in files.")
    .description(
      `Check every object of OpenKruise's kinds in the files: its types, its fields, and all rules of admission, as if it were \
created in the order given. Each error is shown with file, line, column and field.

Objects of other kinds are skipped, but count as part of the cluster, as those of --objects do.

Exit codes: 0 clean, 1 at least one error, 2 wrong usage, unreadable input or no object of OpenKruise's kinds, 3 internal error.`,
    )
    .usage('-f FILE|DIR [flags]');
  addInput(command, 'Files or folders, YAML or JSON; - is standard input. Repeatable.');
  addState(command);
  command
    .addOption(
      new Option('-o, --output <FORMAT>', 'What to print.')
        .choices(['text', 'json', 'sarif', 'github'])
        .default('text'),
    )
    .option('--allow-empty', "Files without an object of OpenKruise's kinds are no error.")
    .option('--warn-exit-code <NUMBER>', 'The exit code if there are warnings but no errors.', readExitCode, 0)
    .addHelpText(
      'after',
      `
Output formats:
  text        file:line:column: level: field: message, one a line
  json        one object with the findings and their number
  sarif       SARIF 2.1.0, for code scanning
  github      workflow commands of GitHub Actions, shown beside the lines

Examples:
  # Is everything in this folder valid?
  sluice lint -f deploy/

  # What an overlay makes, checked against the SidecarSets of the cluster
  kustomize build overlays/prod | sluice lint -f - --objects sidecars/

  # In a workflow of GitHub
  sluice lint -f deploy/ -o github

  # For code scanning
  sluice lint -f deploy/ -o sarif > lint.sarif
`,
    )
    .action(async (options) => {
      requireInput(command, options);
      const { runLint } = await import('./lint.ts');
      done(await runLint(host, options));
    });
}

export function addConvert(program: Command, host: Host, done: Done): void {
  const command = program
    .command('convert')
    .summary("Convert objects of OpenKruise's kinds to another version.")
    .description(
      `Convert objects of OpenKruise's kinds to another version, as the conversion webhook does.

Documents and lists stay in their order. Objects of other kinds, of kinds with one version, and those that have the \
version already pass through. Comments are not kept.`,
    )
    .usage('-f FILE --to VERSION [flags]');
  addInput(command, 'Files or folders, YAML or JSON; - is standard input. Repeatable.');
  command
    .option('--to <VERSION>', 'The version wanted, such as v1beta1, or with its group: apps.kruise.io/v1beta1.')
    .addOption(new Option('-o, --output <FORMAT>', 'What to print.').choices(['yaml', 'json']).default('yaml'))
    .addOption(
      new Option('--color <WHEN>', 'Colours in messages.').choices(['auto', 'always', 'never']).default('auto'),
    )
    .addHelpText(
      'after',
      `
Examples:
  # A SidecarSet in the newer version
  sluice convert -f sidecarset.yaml --to v1beta1

  # What is in a cluster, for one that knows the older version only
  kubectl get clonesets -A -o yaml | sluice convert -f - --to v1alpha1
`,
    )
    .action(async (options) => {
      requireInput(command, options);
      if (options.to === undefined) command.error('error: --to is required');
      const { runConvert } = await import('./convert.ts');
      done(await runConvert(host, options));
    });
}

export function addCrds(program: Command, host: Host, done: Done): void {
  program
    .command('crds')
    .summary('Print the CustomResourceDefinitions.')
    .description(
      "Print the CustomResourceDefinitions of OpenKruise's kinds as YAML documents, always in the same order.",
    )
    .usage('[flags]')
    .option('--kind <NAME>', 'Only this kind: its name, plural or short name. Repeatable.', collect)
    .option('--service-namespace <NAME>', 'The namespace of the service that converts between versions.')
    .option('--service-name <NAME>', 'The name of the service that converts between versions.')
    .addHelpText(
      'after',
      `
Examples:
  # Install or upgrade all of them
  sluice crds | kubectl apply --server-side -f -

  # One kind
  sluice crds --kind SidecarSet

  # With the gateway in another namespace
  sluice crds --service-namespace admission | kubectl apply --server-side -f -
`,
    )
    .action(async (options) => {
      const { runCrds } = await import('./crds.ts');
      done(await runCrds(host, options));
    });
}

function readExitCode(value: string): number {
  if (!/^\d{1,3}$/.test(value) || Number(value) > 255)
    throw new InvalidArgumentError('Expected a number from 0 to 255.');
  return Number(value);
}
