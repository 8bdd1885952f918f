// The command line of the research: judges the published rows, writes what the lab's page and the docs show of them, and prints the tables
// of rows with their verdicts. It imports the lab as a library; the lab does not depend on it.
import { unknownName } from '@projected-grpo-lab/base/commands/args.ts';
import { type Command, EXIT, EXIT_CODES } from '@projected-grpo-lab/base/commands/command.ts';
import { print, runCommand, runProgram } from '@projected-grpo-lab/base/commands/program.node.ts';
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { holdLifeline } from '../src/cli/lifeline.ts';
import { RESEARCH } from './program.ts';

const COMMANDS: Readonly<Record<string, { summary: string; load(): Promise<Command> }>> = {
  judge: {
    summary: 'judges the questions of every series from the published rows',
    load: async () => (await import('./commands/judge.ts')).judge,
  },
  verify: {
    summary: 'judges them again, compares the published sheets, and prints every figure of README beside its rows',
    load: async () => (await import('./commands/verify.ts')).verify,
  },
  publish: {
    summary: 'writes the sheets, the headlines and the marked parts of README and the docs',
    load: async () => (await import('./commands/publish.ts')).publish,
  },
  tables: {
    summary: 'prints the tables of rows with the verdicts on them',
    load: async () => (await import('./commands/tables.ts')).tables,
  },
  study: {
    summary: 'writes the study’s sweeps, compares, packs and reports their runs',
    load: async () => (await import('./commands/study.ts')).study,
  },
  arena: {
    summary: 'tells what the arena’s sweeps come to: kept, removed, and the bar',
    load: async () => (await import('./commands/arena.ts')).arena,
  },
  evaluate: {
    summary: 'makes the runs of headlines again and evaluates them with several sampling seeds',
    load: async () => (await import('./commands/evaluate.ts')).evaluate,
  },
  kinds: {
    summary: 'tells which kinds of Linears carry the hack, from checkpoints of routing runs',
    load: async () => (await import('./commands/kinds.ts')).kinds,
  },
  tied: {
    summary: 'makes the bases and rows of S13: a hack that pretraining tied to another trait',
    load: async () => (await import('./commands/tied.ts')).tied,
  },
  predict: {
    summary: 'asks what can be known of labelled pairs before training',
    load: async () => (await import('./commands/predict.ts')).predict,
  },
};

const HELP = [
  `${RESEARCH.lead} <command> [flags]`,
  '',
  ...Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(14)}${summary}`),
  '',
  `${RESEARCH.lead} <command> --help says more.`,
  EXIT_CODES,
].join('\n');

/** Aborted by the first signal, or by the caller that started this process. */
const stop = new AbortController();

async function main([name, ...given]: readonly string[]): Promise<number> {
  if (name === undefined || ['--help', '-h', 'help'].includes(name)) {
    print(HELP);
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!entry) throw unknownName(`Unknown command ${name}`, name, Object.keys(COMMANDS), `See: ${RESEARCH.lead} --help`);
  return runCommand(RESEARCH, await entry.load(), given, process.env.LAB_ROOT ?? process.cwd(), stop);
}

holdLifeline({ stop: () => stop.abort(new StoppedError()), end: () => process.exit(EXIT.stopped) });

runProgram(() => main(process.argv.slice(2)));
