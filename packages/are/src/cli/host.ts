// Interface of a program with these commands: its name, its local models, and a source for apps that a scenario's file leaves to its data
// set. `npx are` provides only its name; the lab provides models from folders and the Hub.
import type { Flags, Program } from '@projected-grpo-lab/base/commands/args.ts';
import type { CommandContext } from '@projected-grpo-lab/base/commands/command.ts';
import type { Trace } from '../scenario/schema.ts';
import type { AgentName, OpenedAgent, OpenedModel } from './opened.ts';

/** All parsed flags of a command, including the program's own. */
export type ParsedFlags = Readonly<Record<string, unknown>>;
type Context = Pick<CommandContext, 'root' | 'progress' | 'signal' | 'ask'>;

/** A model acts, judges or answers for the user; the value is the prefix of the role's flags. */
const ROLES = { agent: '', judge: 'judge-', user: 'user-' } as const;
type Role = keyof typeof ROLES;

/** Flags of the program that these commands read; absent if it has no models. */
export interface OwnFlags {
  readonly model?: string | null;
  readonly 'judge-model'?: string | null;
  readonly 'user-model'?: string | null;
  readonly device?: unknown;
  readonly threads?: unknown;
}

export interface OwnModels {
  /** `model`, `judge-model` and `user-model` each name a model; the agent's flags also configure its prompts. */
  readonly flags: Readonly<Record<Role, Flags>>;
  /** Flags that select the device of a model. */
  device(help: string): Flags;
  /** Agents that need such a model. */
  readonly agents: readonly AgentName[];
  /** Names of the given flags that configure the agent's own model: its prompts, and its adapter. */
  promptFlagsIn(flags: ParsedFlags): readonly string[];
  /** Opens the model in flag `model` for conversations. Throws FormatError if the folder contains no model. */
  openModel(flags: ParsedFlags, context: Context): Promise<OpenedModel>;
  /** Opens the model in flag `model` as one of `agents`. Throws FormatError if the folder contains no model. */
  openAgent(flags: ParsedFlags, context: Context): Promise<OpenedAgent>;
}

interface OwnApps {
  readonly flags: Flags;
  /** Called once per command; the returned function adds apps missing from a trace's file, if they are requested. */
  finder(flags: ParsedFlags, context: Context): (trace: Trace) => Promise<Trace>;
}

export interface Host {
  readonly program: Program;
  /** Replaces `program.lead` when standard output must contain only a protocol's messages. */
  readonly quietLead: string;
  readonly models: OwnModels;
  readonly apps: OwnApps;
}

/** Removes the flags of the agent's own model and prompts: a judge and a user have their own. */
export const withoutAgents = <F extends object>({ models }: Host, flags: F): F =>
  Object.fromEntries(Object.entries(flags).filter(([name]) => !Object.hasOwn(models.flags.agent, name))) as F;

/** `--model DIR, or ` for a remedy; empty if the program has no models. */
export const orModel = ({ models }: Host, role: Role): string => {
  const name = `${ROLES[role]}model`;
  return Object.hasOwn(models.flags[role], name) ? `--${name} DIR, or ` : '';
};
