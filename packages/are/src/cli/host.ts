// What the program that has these commands gives them: its name, models of its own beside servers, and where it finds the apps that a
// scenario's file leaves to its data set. `npx are` gives its name alone; the lab gives models in folders and the Hub.
import type { Flags, Program } from '@projected-grpo-lab/base/commands/args.ts';
import type { CommandContext } from '@projected-grpo-lab/base/commands/command.ts';
import type { Trace } from '../scenario/schema.ts';
import type { AgentName, OpenedAgent, OpenedModel } from './opened.ts';

/** All flags of a command as they were read, the program's own among them. */
export type Given = Readonly<Record<string, unknown>>;
type Context = Pick<CommandContext, 'root' | 'progress' | 'signal' | 'ask'>;

/** A model acts, judges or answers for the user; each role's flags begin with the word that it has here. */
const ROLES = { agent: '', judge: 'judge-', user: 'user-' } as const;
type Role = keyof typeof ROLES;

/** These commands look at some flags of the program's own, which are absent where it has no models. */
export interface OwnFlags {
  readonly model?: string | null;
  readonly 'judge-model'?: string | null;
  readonly 'user-model'?: string | null;
  readonly device?: unknown;
  readonly threads?: unknown;
}

export interface OwnModels {
  /** `model`, `judge-model` and `user-model` name one; the agent's also say how its prompts are written. */
  readonly flags: Readonly<Record<Role, Flags>>;
  /** These say what a model is computed on. */
  device(help: string): Flags;
  /** Agents that only such a model can play. */
  readonly agents: readonly AgentName[];
  /** Names of the given flags that say how prompts are written. */
  promptFlagsIn(flags: Given): readonly string[];
  /** Opens what `model` names as an answerer of conversations. Throws FormatError for a folder that is no model's. */
  openModel(flags: Given, context: Context): Promise<OpenedModel>;
  /** Opens what `model` names as one of `agents`. Throws FormatError for a folder that is no model's. */
  openAgent(flags: Given, context: Context): Promise<OpenedAgent>;
}

interface OwnApps {
  readonly flags: Flags;
  /** Called once a command; what it returns gives a trace the apps that its file lacks, where somebody wants them. */
  finder(flags: Given, context: Context): (trace: Trace) => Promise<Trace>;
}

export interface Host {
  readonly program: Program;
  /** Is typed in place of `program.lead` where standard output has to carry a protocol's messages alone. */
  readonly quietLead: string;
  readonly models: OwnModels;
  readonly apps: OwnApps;
}

/** Leaves out the flags of the agent's own model and its prompts: a judge and a user have their own. */
export const withoutAgents = <F extends object>({ models }: Host, flags: F): F =>
  Object.fromEntries(Object.entries(flags).filter(([name]) => !Object.hasOwn(models.flags.agent, name))) as F;

/** `--model DIR, or ` for a remedy, and nothing where the program has no models. */
export const orModel = ({ models }: Host, role: Role): string => {
  const name = `${ROLES[role]}model`;
  return Object.hasOwn(models.flags[role], name) ? `--${name} DIR, or ` : '';
};
