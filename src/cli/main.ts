// The command line: the same lab without a page. Results on stdout, progress and errors on stderr, an exit code that means
// something. A command is loaded when it is asked for, so that `--help` costs nothing.
import { DeviceError, LabError, SpecError, StoppedError } from '../lib/errors.ts';
import { helpText, nearest } from './args.ts';
import { type Command, EXIT } from './command.ts';
import { stderrProgress } from './progress.ts';

const COMMANDS: Readonly<Record<string, { summary: string; load: () => Promise<Command> }>> = {
  run: { summary: 'trains arms × seeds and prints the final table', load: async () => (await import('./run.ts')).run },
  generate: {
    summary: 'lets a model of your own answer a prompt',
    load: async () => (await import('./generate.ts')).generate,
  },
  download: {
    summary: 'fetches a model of the Hugging Face Hub, and goes on where it was stopped',
    load: async () => (await import('./download.ts')).download,
  },
  svd: {
    summary: 'factors every Linear of a model and keeps the factors',
    load: async () => (await import('./svd.ts')).svd,
  },
  extract: {
    summary: 'extracts a hack basis of a model from labelled pairs',
    load: async () => (await import('./extract.ts')).extract,
  },
  pool: {
    summary: 'builds a teacher pool from the model, a run or the templates',
    load: async () => (await import('./pool.ts')).pool,
  },
  export: {
    summary: 'writes a trained student as plain weights or as ONNX',
    load: async () => (await import('./export.ts')).exportModel,
  },
  probe: {
    summary: 'asks whether the hack basis sees hacking, before any RL is run',
    load: async () => (await import('./probe.ts')).probe,
  },
  study: {
    summary: 'runs the questions of the study, resumes, publishes and reports',
    load: async () => (await import('./study.ts')).study,
  },
  parity: {
    summary: 'compares the engine with a folder of reference tensors',
    load: async () => (await import('./parity.ts')).parity,
  },
  devices: { summary: 'lists what the lab can compute on', load: async () => (await import('./devices.ts')).devices },
  teacher: {
    summary: 'finetunes the embedded model to hack and writes it as ONNX',
    load: async () => (await import('./teacher.ts')).teacher,
  },
  pretrain: { summary: 'trains the embedded model', load: async () => (await import('./pretrain.ts')).pretrain },
  grade: {
    summary: 'grades completions from a file of JSON lines',
    load: async () => (await import('./grade.ts')).grade,
  },
};

const HELP = [
  'npm run lab -- <command> [flags]',
  '',
  ...Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`),
  '',
  'npm run lab -- <command> --help says more.',
  'Exit codes: 0 done, 1 failed, 2 wrong usage, 3 device missing or lost, 130 stopped (checkpoints are kept).',
].join('\n');

async function main(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv;
  const out = (text: string) => void process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    out(HELP);
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!entry) {
    const guess = nearest(name, Object.keys(COMMANDS));
    throw new SpecError(
      `Unknown command ${name}${guess ? `; did you mean ${guess}?` : '.'}`,
      'See: npm run lab -- --help',
    );
  }
  const command = await entry.load();
  if (rest.includes('--help') || rest.includes('-h')) {
    out(helpText(command.usage));
    return EXIT.ok;
  }
  const stop = new AbortController();
  const progress = stderrProgress();
  const interrupt = () => {
    if (stop.signal.aborted) process.exit(EXIT.stopped);
    stop.abort(new StoppedError());
    progress.note('Stopping (again to end at once) …');
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    return await command.run(rest, { out, progress, signal: stop.signal, root: process.env.LAB_ROOT ?? process.cwd() });
  } finally {
    progress.end();
  }
}

function exitCode(error: unknown): number {
  if (error instanceof StoppedError) return EXIT.stopped;
  if (error instanceof SpecError) return EXIT.usage;
  return error instanceof DeviceError ? EXIT.device : EXIT.failed;
}

function explain(error: unknown): string {
  if (error instanceof LabError) return `${error.message}\n${error.remedy}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

main(process.argv.slice(2)).then(
  (code) => leave(code),
  (error: unknown) => {
    process.stderr.write(`${explain(error)}\n`);
    leave(exitCode(error));
  },
);

/** Dawn keeps the process alive, so it is ended on purpose — after what was written to a pipe has gone out. */
function leave(code: number): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}
