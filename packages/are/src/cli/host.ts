// What the program that has these commands gives them: its name, models of its own beside servers, and where apps are found that a
// scenario's file leaves to its data set. `npx are` has its name alone; the lab has models in folders and the Hub.
import type { Flags, Program } from '@projected-grpo-lab/base/commands/args.ts';
import type { CommandContext } from '@projected-grpo-lab/base/commands/command.ts';
import type { Trace } from '../scenario/schema.ts';
import type { AgentName, OpenedAgent, OpenedModel } from './opened.ts';

/** A command's flags, the program's own among them. */
export type Given = Readonly<Record<string, unknown>>;
type Context = Pick<CommandContext, 'root' | 'progress' | 'signal' | 'ask'>;

/** Whom a model stands for; what its flags begin with. */
export const ROLES = { agent: '', judge: 'judge-', user: 'user-' } as const;
export type Role = keyof typeof ROLES;

/** Flags of the program's own that these commands look at; none of them is there where it has none. */
export interface OwnFlags {
  readonly model?: string | null;
  readonly 'judge-model'?: string | null;
  readonly 'user-model'?: string | null;
  /** What a model of its own is computed on. */
  readonly device?: unknown;
  readonly threads?: unknown;
}

export interface OwnModels {
  /** `model`, `judge-model` and `user-model`, which name one; the agent's with how its prompts are written. */
  readonly flags: Readonly<Record<Role, Flags>>;
  /** What a model is computed on. */
  device(help: string): Flags;
  /** Who plays by such a model alone. */
  readonly agents: readonly AgentName[];
  /** Names of the flags that say how prompts are written, as far as they are given. */
  promptFlagsIn(flags: Given): readonly string[];
  /** That `model` of the flags names. Throws FormatError for a folder that is no model's. */
  openModel(flags: Given, context: Context): Promise<OpenedModel>;
  /** As one of `agents`. */
  openAgent(flags: Given, context: Context): Promise<OpenedAgent>;
}

export interface OwnApps {
  readonly flags: Flags;
  /** For one command: a trace as it is, or with the apps that its file lacks. */
  finder(flags: Given, context: Context): (trace: Trace) => Promise<Trace>;
}

export interface Host {
  readonly program: Program;
  /** What is typed instead of `program.lead` where standard output has to have a protocol's messages alone. */
  readonly quietLead: string;
  readonly models: OwnModels;
  readonly apps: OwnApps;
}

/** The flags without those that name the agent's own model and say how its prompts are written: a judge or a user has its own. */
export const withoutAgents = <F extends object>({ models }: Host, flags: F): F =>
  Object.fromEntries(Object.entries(flags).filter(([name]) => !Object.hasOwn(models.flags.agent, name))) as F;

/** `--model DIR, or `, where the program has models of its own. */
export const orModel = ({ models }: Host, role: Role): string => {
  const name = `${ROLES[role]}model`;
  return Object.hasOwn(models.flags[role], name) ? `--${name} DIR, or ` : '';
};
