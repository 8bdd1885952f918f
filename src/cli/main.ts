// The command line: the same lab without a page. Results on stdout, progress and errors on stderr, an exit code that means something. A
// command is loaded on demand, so that `--help` costs nothing.
import { print as out, runCommand, runProgram } from '@projected-grpo-lab/base/commands/program.node.ts';
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { APP_VERSION } from '../lab/protocol/version.ts';
import { LAB, unknownName } from './args.ts';
import { EXIT, EXIT_CODES } from './command.ts';
import { COMMANDS } from './commands.ts';
import { holdLifeline } from './lifeline.ts';

const HELP = [
  'npm run lab -- <command> [flags]',
  '',
  ...Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(14)}${summary}`),
  '',
  'npm run lab -- <command> --help says more; npm run lab -- --version says which lab this is.',
  EXIT_CODES,
].join('\n');

/** Pages of docs/reference that are made here. */
const PAGES = new Map<string, () => Promise<string>>([
  ['--markdown', async () => (await import('./reference-pages.ts')).commandsMarkdown()],
  ['--schemas', async () => (await import('./reference-pages.ts')).schemasMarkdown()],
  ['--models', async () => (await import('./reference-pages.ts')).modelsMarkdown()],
]);

/** Aborted by the first signal, or by the parent process. */
const stop = new AbortController();

async function main(argv: readonly string[]): Promise<number> {
  const [name, ...given] = argv;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    out((await PAGES.get(given[0])?.()) ?? HELP);
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  if (name === '--version' || name === '-v' || name === 'version') {
    const { codeCommit } = await import('./code-commit.ts');
    const commit = await codeCommit(process.env.LAB_ROOT ?? process.cwd());
    out(`projected-grpo-lab ${APP_VERSION}${commit === null ? '' : ` (${commit})`}, Node ${process.versions.node}`);
    return EXIT.ok;
  }
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!entry) throw unknownName(`Unknown command ${name}`, name, Object.keys(COMMANDS), 'See: npm run lab -- --help');
  return runCommand(LAB, await entry.load(), given, process.env.LAB_ROOT ?? process.cwd(), stop);
}

holdLifeline({ stop: () => stop.abort(new StoppedError()), end: () => process.exit(EXIT.stopped) });

runProgram(() => main(process.argv.slice(2)));
