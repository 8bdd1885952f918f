// Input and output types of every command.
import { SpecError } from '../errors.ts';
import { type Flags, type Parsed, type Program, parseArgs, type Usage } from './args.ts';
import type { Progress } from './progress.ts';

export const EXIT = { ok: 0, failed: 1, usage: 2, device: 3, stopped: 130 } as const;

/** Printed in help. A process that ignores a stop is ended by scripts/tool/supervise.mjs, whose code is 128 plus the signal’s number. */
export const EXIT_CODES =
  'Exit codes: 0 done, 1 failed, 2 wrong usage, 3 device missing or lost, 130 stopped (checkpoints are kept), 143 ended because it did not answer a SIGTERM within two seconds.';

export interface CommandContext {
  /** Prints results for users or, with --json, for programs. */
  out(text: string): void;
  progress: Progress;
  /** Asks the user at the terminal; absent without one. */
  ask?(question: string): Promise<boolean>;
  /** Asks for a line of text; resolves with null if the user gives none. */
  askText?(question: string): Promise<string | null>;
  /** Aborted by the first Ctrl-C. */
  signal: AbortSignal;
  /** Project folder, which contains public/models. */
  root: string;
}

export interface Command {
  usage: Usage<Flags>;
  /** A group's commands by name, each loaded when it is named. */
  parts?: Readonly<Record<string, () => Promise<Command>>>;
  /** Returns the exit code. Errors are thrown, and printed by main. */
  run(argv: readonly string[], context: CommandContext): Promise<number>;
}

/** Runs a command after its flags are read; returns the exit code. `argv`: the unparsed arguments. */
export type Run<F extends Flags> = (
  given: Parsed<F>,
  context: CommandContext,
  argv: readonly string[],
) => Promise<number>;

/** Makes a command that parses its flags first. */
export const command = <F extends Flags>(program: Program, usage: Usage<F>, run: Run<F>): Command => ({
  usage,
  run: (argv, context) => run(parseArgs(usage, argv, program), context, argv),
});

/** A command of a group: its arguments, its summary, and its loader. */
export type Part = readonly [rest: string, about: string, load: () => Promise<Command>];

/** Several commands under one name: `name …`. */
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
