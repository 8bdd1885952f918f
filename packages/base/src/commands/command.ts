// What every command is given and gives back.
import { SpecError } from '../errors.ts';
import { type Flags, type Parsed, type Program, parseArgs, type Usage } from './args.ts';
import type { Progress } from './progress.ts';

export const EXIT = { ok: 0, failed: 1, usage: 2, device: 3, stopped: 130 } as const;

/** For people. What does not answer a stop is ended by scripts/tool/supervise.mjs, whose code is 128 and the signal’s number. */
export const EXIT_CODES =
  'Exit codes: 0 done, 1 failed, 2 wrong usage, 3 device missing or lost, 130 stopped (checkpoints are kept), 143 ended because it did not answer a SIGTERM within two seconds.';

export interface CommandContext {
  /** Results for people or, with --json, for machines. */
  out(text: string): void;
  progress: Progress;
  /** Asks the person at the terminal; absent where there is none. */
  ask?(question: string): Promise<boolean>;
  /** The same for a line of text; null where the person gives none. */
  askText?(question: string): Promise<string | null>;
  /** Aborted by the first Ctrl-C. */
  signal: AbortSignal;
  /** The project's folder (public/models is below it). */
  root: string;
}

export interface Command {
  usage: Usage<Flags>;
  /** Of a group: its commands by name, each loaded when it is named. */
  parts?: Readonly<Record<string, () => Promise<Command>>>;
  /** The exit code. Errors are thrown, and printed by main. */
  run(argv: readonly string[], context: CommandContext): Promise<number>;
}

/** What a command does once its flags are read: the exit code. `argv`: what was read. */
export type Run<F extends Flags> = (
  given: Parsed<F>,
  context: CommandContext,
  argv: readonly string[],
) => Promise<number>;

/** A command that reads its flags first. */
export const command = <F extends Flags>(program: Program, usage: Usage<F>, run: Run<F>): Command => ({
  usage,
  run: (argv, context) => run(parseArgs(usage, argv, program), context, argv),
});

/** One of a group: what follows its name, what it does, and how it is loaded when it is named. */
export type Part = readonly [rest: string, about: string, load: () => Promise<Command>];

/** `name …`: several commands under one. */
export function group(
  { lead }: Program,
  { name, summary, positional }: Pick<Usage<Flags>, 'name' | 'summary' | 'positional'>,
  parts: Readonly<Record<string, Part>>,
): Command {
  const lines = Object.entries(parts).map(([part, [rest, about]]) => {
    const head = `  ${part} ${rest}`.trimEnd();
    return `${head.length > 13 ? `${head}  ` : head.padEnd(15)}${about}`;
  });
  const help = `${lead} ${name}`;
  return {
    usage: {
      name,
      summary,
      positional,
      flags: {},
      notes: ['Commands:', ...lines, '', `${help} COMMAND --help says more.`].join('\n'),
    },
    parts: Object.fromEntries(Object.entries(parts).map(([part, [, , load]]) => [part, load])),
    run() {
      throw new SpecError(`\`${name}\` needs a command: ${Object.keys(parts).join(', ')}.`, `See: ${help} --help`);
    },
  };
}
