// What every command is given and gives back.
import type { Flags, Usage } from './args.ts';
import type { Progress } from './progress.ts';

/** 0 done · 1 failed · 2 wrong usage · 3 no such device, or lost · 130 stopped by Ctrl-C. */
export const EXIT = { ok: 0, failed: 1, usage: 2, device: 3, stopped: 130 } as const;

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
  /** The project's folder (public/models lies below it). */
  root: string;
}

export interface Command {
  usage: Usage<Flags>;
  /** Of a group: its commands by name, each loaded when it is named. */
  parts?: Readonly<Record<string, () => Promise<Command>>>;
  /** The exit code. Errors are thrown, and printed by main. */
  run(argv: readonly string[], context: CommandContext): Promise<number>;
}
