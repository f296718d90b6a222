// The command tree: names, flags, help and examples of the sub-commands; those about manifests are in
// manifest-commands.ts. What they do is loaded when they run.

import { Argument, Command, type CommanderError, Option } from 'commander';
import { printableBlock } from '../component/printable.ts';
import { SHELLS, type Shell } from './completion/rows.ts';
import { addExplain } from './explain-command.ts';
import { EXIT, type Host, type Service } from './host.ts';
import { addConvert, addCrds, addLint } from './manifest-commands.ts';
import { addInput, addState, type Done, requireInput } from './options.ts';
import { addBench, addDiff, addTest } from './policy-commands.ts';

/** The whole tree. Nothing runs until it parses arguments. */
export function commandTree(host: Host, done: Done): Command {
  const program = new Command('sluice')
    .description(
      'Admission for Kubernetes workloads: the answers of its webhooks, without a cluster or in front of one.',
    )
    .usage('COMMAND [flags]')
    .helpOption('-h, --help', 'Show help.')
    .helpCommand('help [COMMAND]', 'Show the help of a command.')
    .showSuggestionAfterError()
    .showHelpAfterError('(--help shows the flags)')
    .exitOverride()
    .configureHelp({ subcommandTerm: (command) => command.name(), optionTerm, optionDescription, styleTitle })
    .configureOutput(outputOf(host));
  addReview(program, host, done);
  addExplain(program, host, done);
  addTest(program, host, done);
  addDiff(program, host, done);
  addBench(program, host, done);
  addLint(program, host, done);
  addConvert(program, host, done);
  addCrds(program, host, done);
  addGateway(program, host, done);
  addReconcilers(program, host, done);
  addUninstallCheck(program, host, done);
  addCompletion(program, host, done);
  addVersion(program, host, done);
  return program;
}

function addReview(program: Command, host: Host, done: Done): void {
  const command = program
    .command('review')
    .summary('Show what admission answers to a review, a pod or a workload.')
    .description(
      `Show what admission answers, and what the object looks like afterwards.

The input is an AdmissionReview or ConversionReview, the bare request of one, a Pod, a workload with a pod template \
(reviewed for the first pod that its controller would create), or any other object. Without --path the mutating and \
then the validating webhooks of the resource are called, as the API server does; the first refusal is the answer.

Exit codes: 0 allowed, 1 denied, 2 wrong usage or input, 3 internal error.`,
    )
    .usage('-f FILE [flags]');
  addInput(command, 'Files or folders with reviews or objects, YAML or JSON; - is standard input. Repeatable.');
  addState(command);
  command
    .option('--path <PATH>', 'Call only the webhook at this path, such as /mutate-pod or /convert.')
    .addOption(
      new Option('--operation <OPERATION>', 'What is done with an object that is no review.')
        .choices(['CREATE', 'UPDATE', 'DELETE'])
        .default('CREATE'),
    )
    .addOption(
      new Option('-o, --output <FORMAT>', 'What to print.')
        .choices(['summary', 'review', 'patch', 'object', 'diff', 'json', 'yaml', 'sarif', 'github'])
        .default('summary'),
    )
    .option('--record <FILE>', 'Also write a recording: requests, objects and facts, settings, and the answers.')
    .option('--redact', 'Record without values of variables, secrets, foreign annotations and names of users.')
    .option(
      '--replay <FILE>',
      'Answer what was recorded again, in place of --filename; exit code 1 if an answer differs.',
    )
    .addHelpText(
      'after',
      `
Output formats:
  summary     the verdict and a diff, for people
  review      the whole review answer, one line of JSON for each input
  patch       the decoded JSON patch (RFC 6902), one operation a line
  object      the resulting object, as YAML
  diff        a unified diff from the object as sent to the object as admitted
  json, yaml  the resulting object
  sarif       refusals and warnings with their places, for code scanning (SARIF 2.1.0)
  github      the same as workflow commands of GitHub Actions

Examples:
  # Which sidecars would this pod get?
  sluice review -f pod.yaml --objects sidecars/

  # The same for the pods of a Deployment, as a diff, in namespace shop
  sluice review -f deployment.yaml --objects sidecars/ -n shop -o diff

  # Is this SidecarSet valid, and what are its defaults?
  sluice review -f sidecarset.yaml -o yaml

  # Answer a recorded review of the API server
  sluice review -f review.json --objects cluster.yaml --path /mutate-pod -o review

  # A recording for a bug report, and its replay elsewhere
  sluice review -f pod.yaml --objects cluster.yaml --record report.json --redact
  sluice review --replay report.json

  # Fail a pipeline when an object would be refused
  kustomize build . | sluice review -f - --objects sidecars/ -o object > /dev/null
`,
    )
    .action(async (options) => {
      if (options.redact === true && options.record === undefined) command.error('error: --redact needs --record');
      if (options.replay !== undefined) {
        for (const other of ['filename', 'record'] as const) {
          if (options[other] !== undefined) command.error(`error: --replay takes no --${other}`);
        }
        const { runReplay } = await import('./replay.ts');
        done(await runReplay(host, options));
        return;
      }
      requireInput(command, options);
      const { runReview } = await import('./review.ts');
      done(await runReview(host, options));
    });
}

// Services describe their flags themselves, in tables: see program.ts for how their arguments reach them.
function addGateway(program: Command, host: Host, done: Done): void {
  const command = program
    .command('gateway')
    .summary('Serve the admission webhooks over HTTPS.')
    .description('Serve the admission webhooks over HTTPS, with the policy objects of a cluster or of files.')
    .usage('[--objects FILE|DIR | --kubeconfig FILE] [flags]');
  runService(command, host.services.gateway, done);
}

function addReconcilers(program: Command, host: Host, done: Done): void {
  const command = program
    .command('reconcilers')
    .summary('Run the controllers in a cluster.')
    .description('Run the controllers in a cluster; of several processes one leads and acts.')
    .usage('[flags]');
  runService(command, host.services.reconcilers, done);
}

function runService(command: Command, service: Service, done: Done): void {
  command
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async () => {
      done(await service.run(command.args));
    });
}

function addUninstallCheck(program: Command, host: Host, done: Done): void {
  program
    .command('uninstall-check')
    .summary('Tell whether Sluice may be taken out of a cluster.')
    .description(
      `Tell which objects are in the way of taking Sluice out of a cluster: workloads, whose pods nobody would look after. The \
chart asks it before it is uninstalled.

Exit codes: 0 nothing is in the way, 1 objects are, 2 wrong usage, 3 the cluster could not be asked.`,
    )
    .usage('[flags]')
    .option(
      '--kubeconfig <FILE>',
      'Where the cluster is; without it the one of the pod, else $KUBECONFIG or ~/.kube/config.',
    )
    .option('--all-kinds', 'Objects of every kind are in the way, as when the CustomResourceDefinitions go too.')
    .addHelpText(
      'after',
      `
Examples:
  # What would be left behind or in the way
  sluice uninstall-check --kubeconfig ~/.kube/config
`,
    )
    .action(async (options) => {
      const { runUninstallCheck } = await import('./uninstall-check.ts');
      done(await runUninstallCheck(host, options));
    });
}

function addCompletion(program: Command, host: Host, done: Done): void {
  program
    .command('completion')
    .summary('Print a completion script for a shell.')
    .description('Print a completion script for a shell, to be sourced by it.')
    .usage('bash|zsh|fish')
    .addArgument(new Argument('<SHELL>', 'the shell').choices(SHELLS))
    .addHelpText(
      'after',
      `
Examples:
  # bash, for this session
  source <(sluice completion bash)

  # zsh, for all sessions
  sluice completion zsh > "\${fpath[1]}/_sluice"

  # fish, for all sessions
  sluice completion fish > ~/.config/fish/completions/sluice.fish
`,
    )
    .action(async (shell: Shell) => {
      const { runCompletion } = await import('./completion.ts');
      done(await runCompletion(host, program, shell));
    });
}

function addVersion(program: Command, host: Host, done: Done): void {
  program
    .command('version')
    .summary('Print the version.')
    .description('Print the version of the command and of the policy module.')
    .usage('[flags]')
    .addOption(new Option('-o, --output <FORMAT>', 'What to print.').choices(['text', 'json', 'yaml']).default('text'))
    .action(async (options) => {
      const { runVersion } = await import('./version.ts');
      done(await runVersion(host, options));
    });
}

function optionTerm({ flags }: Option): string {
  return `${flags.startsWith('--') ? '    ' : ''}${flags.replace(/[<>]/g, '')}`;
}

function optionDescription({ description, argChoices, defaultValue }: Option): string {
  const words = argChoices === undefined ? '' : ` One of ${argChoices.join(', ')}.`;
  const given = typeof defaultValue === 'string' && defaultValue !== '' ? ` (default ${defaultValue})` : '';
  return `${description}${words}${given}`;
}

function styleTitle(title: string): string {
  return title === 'Options:' ? 'Flags:' : title;
}

function outputOf(host: Host) {
  return {
    writeOut: (text: string) => host.stdout.write(text),
    writeErr: (text: string) => host.stderr.write(text),
    outputError: (text: string, write: (text: string) => void) => write(printableBlock(text.replace(/[<>]/g, ''))),
    getOutHelpWidth: () => Math.min(host.stdout.columns ?? 100, 120),
    getErrHelpWidth: () => Math.min(host.stderr.columns ?? 100, 120),
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  };
}

/** The exit code of what commander throws: help that was asked for is no error. */
export function exitCodeOf({ exitCode }: CommanderError): number {
  return exitCode === 0 ? EXIT.allowed : EXIT.usage;
}
