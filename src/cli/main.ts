// The command line: the same lab without a page. Results on stdout, progress and errors on stderr, an exit code that means
// something. A command is loaded when it is asked for, so that `--help` costs nothing.
import { createInterface } from 'node:readline';
import { DeviceError, LabError, SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { APP_VERSION } from '../lab/protocol/version.ts';
import { diskError } from '../storage/disk.node.ts';
import { helpText, unknownName } from './args.ts';
import { type Command, EXIT, EXIT_CODES } from './command.ts';
import { COMMANDS } from './commands.ts';
import { holdLifeline } from './lifeline.ts';
import { stderrProgress } from './progress.ts';
import { printer, terminalText } from './terminal.ts';

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

/** Aborted by the first signal, or by whoever started this process. */
const stop = new AbortController();
/** SIGTERMs within it are one stop. */
const ONE_STOP_MS = 2000;

async function main(argv: readonly string[]): Promise<number> {
  const [name, ...given] = argv;
  const out = printer((text) => void process.stdout.write(text));
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
  const { command, rest } = await partOf(await entry.load(), given);
  if (rest.includes('--help') || rest.includes('-h')) {
    out(helpText(command.usage));
    return EXIT.ok;
  }
  const progress = stderrProgress();
  stop.signal.addEventListener('abort', () => progress.note('Stopping (again to end at once) …'), { once: true });
  let stoppedAt: number | null = null;
  const interrupt = (name: NodeJS.Signals) => {
    if (stoppedAt !== null) {
      // A scheduler and the script that it runs both hand on the same SIGTERM.
      if (name === 'SIGTERM' && performance.now() - stoppedAt < ONE_STOP_MS) return;
      process.exit(EXIT.stopped);
    }
    stoppedAt = performance.now();
    stop.abort(new StoppedError());
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    const root = process.env.LAB_ROOT ?? process.cwd();
    const isTerminal = process.stdin.isTTY && process.stderr.isTTY;
    const asks = isTerminal ? { ask: askPerson, askText: askLine } : {};
    return await command.run(rest, { out, progress, ...asks, signal: stop.signal, root });
  } finally {
    progress.end();
  }
}

/** Of a group the command that is named, with what follows its name. */
async function partOf(
  group: Command,
  given: readonly string[],
): Promise<{ command: Command; rest: readonly string[] }> {
  const [name, ...rest] = given;
  if (!group.parts || name === undefined || name.startsWith('-')) return { command: group, rest: given };
  const load = Object.hasOwn(group.parts, name) ? group.parts[name] : undefined;
  if (load) return { command: await load(), rest };
  const { name: own } = group.usage;
  const known = Object.keys(group.parts);
  throw unknownName(`Unknown command ${own} ${name}`, name, known, `See: npm run lab -- ${own} --help`);
}

/** Everything but a yes is a no, Ctrl-C and the end of the input too. */
const askPerson = async (question: string): Promise<boolean> =>
  /^y(es)?$/i.test((await askLine(question))?.trim() ?? '');

/** null: Ctrl-C, or the end of the input. */
function askLine(question: string): Promise<string | null> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    terminal.once('SIGINT', () => terminal.close());
    terminal.once('close', () => resolve(null));
    terminal.question(terminalText(question), (answer) => {
      resolve(answer);
      terminal.close();
    });
  });
}

function exitCode(error: unknown): number {
  if (error instanceof StoppedError) return EXIT.stopped;
  if (error instanceof SpecError) return EXIT.usage;
  return error instanceof DeviceError ? EXIT.device : EXIT.failed;
}

function explain(error: unknown): string {
  if (error instanceof LabError) return terminalText(`${error.message}\n${error.remedy}`);
  return terminalText(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

// What is printed goes nowhere: the reader of the pipe is gone, or the disk behind it is full.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.stderr.write(`${explain(diskError(error, 'The output'))}\n`);
  process.exit(EXIT.failed);
});

holdLifeline({ stop: () => stop.abort(new StoppedError()), end: () => process.exit(EXIT.stopped) });

main(process.argv.slice(2)).then(
  (code) => leave(code),
  (raw: unknown) => {
    // What the file system refused, wherever it did, is a sentence.
    const error = diskError(raw);
    process.stderr.write(`${explain(error)}\n`);
    leave(exitCode(error));
  },
);

/** Dawn keeps the process alive, so it is ended on purpose — after what was written to a pipe has gone out. */
function leave(code: number): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}
