// A command-line program: results on stdout, progress and errors on stderr, meaningful exit codes, a first signal that stops the work and a
// second that ends the process at once.
import { setMaxListeners } from 'node:events';
import { createInterface } from 'node:readline';
import { DeviceError, LabError, SpecError, StoppedError } from '../errors.ts';
import { diskError } from '../files/disk.node.ts';
import { helpText, type Program, unknownName } from './args.ts';
import { type Command, EXIT } from './command.ts';
import { stderrProgress } from './progress.ts';
import { printer, terminalText } from './terminal.ts';

/** In milliseconds. SIGTERMs within this time count as one. */
const ONE_STOP_MS = 2000;

export const print = printer((text) => void process.stdout.write(text));

/** @param stop aborted by the first signal, or by the caller that started this process. Resolves with the exit code; errors are thrown. */
export async function runCommand(
  program: Program,
  named: Command,
  given: readonly string[],
  root: string,
  stop: AbortController,
): Promise<number> {
  const { command, rest } = await partOf(program, named, given);
  if (rest.includes('--help') || rest.includes('-h')) {
    print(helpText(command.usage, program));
    return EXIT.ok;
  }
  const progress = stderrProgress();
  // Each graded batch adds a listener and many are graded in parallel, so Node's warning about a leak would be wrong.
  setMaxListeners(0, stop.signal);
  stop.signal.addEventListener('abort', () => progress.note('Stopping (again to end at once) …'), { once: true });
  let stoppedAt: number | null = null;
  const interrupt = (name: NodeJS.Signals) => {
    if (stoppedAt !== null) {
      // A scheduler and the script that it runs both forward the same SIGTERM.
      if (name === 'SIGTERM' && performance.now() - stoppedAt < ONE_STOP_MS) return;
      process.exit(EXIT.stopped);
    }
    stoppedAt = performance.now();
    stop.abort(new StoppedError());
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    const isTerminal = process.stdin.isTTY && process.stderr.isTTY;
    const asks = isTerminal ? { ask: askPerson, askText: askLine } : {};
    return await command.run(rest, { out: print, progress, ...asks, signal: stop.signal, root });
  } finally {
    progress.end();
  }
}

/** Finds the named command of a group, and its arguments. */
async function partOf(
  program: Program,
  group: Command,
  given: readonly string[],
): Promise<{ command: Command; rest: readonly string[] }> {
  const [name, ...rest] = given;
  if (!group.parts || name === undefined || name.startsWith('-')) return { command: group, rest: given };
  const load = Object.hasOwn(group.parts, name) ? group.parts[name] : undefined;
  if (load) return { command: await load(), rest };
  const { name: own } = group.usage;
  const known = Object.keys(group.parts);
  throw unknownName(`Unknown command ${own} ${name}`, name, known, `See: ${program.lead} ${own} --help`);
}

/** Anything but a yes counts as no, including Ctrl-C and the end of the input. */
const askPerson = async (question: string): Promise<boolean> =>
  /^y(es)?$/i.test((await askLine(question))?.trim() ?? '');

/** null on Ctrl-C or at the end of the input. */
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

/** Runs the program and ends the process with its exit code; an error is printed on stderr as a sentence. */
export function runProgram(main: () => Promise<number>): void {
  // Output is lost: the pipe's reader is gone, or the disk behind it is full.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.stderr.write(`${explain(diskError(error, 'The output'))}\n`);
    process.exit(EXIT.failed);
  });
  main().then(leave, (raw: unknown) => {
    // An error of the file system becomes a sentence, wherever it occurred.
    const error = diskError(raw);
    process.stderr.write(`${explain(error)}\n`);
    leave(exitCode(error));
  });
}

/** Dawn keeps the process alive, so it is ended explicitly — after pending pipe output is written. */
function leave(code: number): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}
