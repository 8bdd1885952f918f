// Messages between the page and the worker of agents' scenarios (lab/agents): only plain data. The scenario, its apps and its run are in
// the worker; the page has what it draws. Every message that its receiver acts on has a schema with limits here, which agents-door.ts
// applies.

import { SCRIPTED_AGENTS } from '@projected-grpo-lab/are/agents/play.ts';
import type { RunEnd } from '@projected-grpo-lab/are/agents/run.ts';
import { NOISE_LEVELS } from '@projected-grpo-lab/are/augment/levels.ts';
import type { ModelUsage } from '@projected-grpo-lab/are/chat-model.ts';
import type { Part } from '@projected-grpo-lab/are/generate/generate.ts';
import { SPLITS } from '@projected-grpo-lab/are/generate/template.ts';
import type { MissingApps } from '@projected-grpo-lab/are/scenario/missing-apps.ts';
import type { Trace } from '@projected-grpo-lab/are/scenario/schema.ts';
import type { Value, Values } from '@projected-grpo-lab/are/value.ts';
import { DEFAULT_CONFIG, PAPER_CONFIG } from '@projected-grpo-lab/are/verifier/compare-calls.ts';
import type { Difference, Outcome as VerdictOutcome } from '@projected-grpo-lab/are/verifier/explain.ts';
import * as z from 'zod/mini';
import { OWN_AGENTS, type OwnAgent } from '../../environments/agents/live.ts';

export const isOwnAgent = (agent: string): agent is OwnAgent => Object.hasOwn(OWN_AGENTS, agent);
/**
 * `react`: with the loaded model. `react-onnx`: with an ONNX file that the user chooses. `react-endpoint`: with a model on a server that
 * the user names.
 */
export const MODEL_AGENTS = ['tiny-agent', 'tiny-agent-forms', 'react', 'react-onnx', 'react-endpoint'] as const;
export type ModelAgentName = (typeof MODEL_AGENTS)[number];
export const PLAYERS = [...SCRIPTED_AGENTS, ...MODEL_AGENTS] as const;
export type PlayerName = (typeof PLAYERS)[number];
export const hasModel = (agent: PlayerName): agent is ModelAgentName => MODEL_AGENTS.some((one) => one === agent);

/** Whether the agent's prompt lists the tools: the compact language can name only those that it was trained with. */
export const canUseTools = (agent: PlayerName): boolean => agent.startsWith('react');

/** Seconds by which an event may be early or late. */
export const WINDOWS = { usual: DEFAULT_CONFIG, paper: PAPER_CONFIG };
export type WindowName = keyof typeof WINDOWS;

/** The generator's parts that the page offers. */
export const PAGE_PARTS = ['training', 'composed', 'composed held out'] as const satisfies readonly Part[];
export type PagePart = (typeof PAGE_PARTS)[number];

export const text = (most: number) => z.string().check(z.maxLength(most));
export const integer = (least: number, most: number) => z.int().check(z.gte(least), z.lte(most));
const list = <T extends z.ZodMiniType>(item: T, most: number) => z.readonly(z.array(item).check(z.maxLength(most)));

/** A seed, an index or an act. */
const count = integer(0, 1_000_000);
/** Name of an app, a tool or a file; a model may call a tool by any text. */
export const name = text(10_000);
/** Arguments or a thought, as text. */
const long = text(1_000_000);
/** Most acts of one run: its actions, and as many idle acts between them. */
const MOST_ACTS = 20_000;
const MOST_EDITS = 1000;
/** Most characters of a question: a message of a conversation, or a text to continue. */
const MOST_ASKED = 16_000_000;
const MOST_TURNS = 100_000;

/** Names one of the generator's scenarios. */
export const generated = z.strictObject({
  split: z.enum(SPLITS),
  seed: count,
  index: count,
  /** Few people, mails and products, as in the small agent's training. */
  isSmall: z.boolean(),
  part: z.enum(PAGE_PARTS),
});
export type Generated = Readonly<z.infer<typeof generated>>;

export type ScenarioSource = (
  | { readonly kind: 'generated'; readonly which: Generated }
  | { readonly kind: 'file'; readonly text: string; readonly name: string }
  /** A scenario from a link, or edited on the page. */
  | { readonly kind: 'trace'; readonly trace: Trace; readonly name: string }
) & {
  /** The text of the scenario that has the apps, if this one has none. */
  readonly apps?: string;
};

/** A scenario as the page shows it before it is played, and the run that a file may hold. */
export interface ScenarioView {
  /** A file's name, or the template. */
  readonly source: string;
  /** null: from a file. */
  readonly generated: Generated | null;
  readonly id: string;
  readonly start: string;
  /** Most simulated seconds. */
  readonly duration: number;
  readonly apps: readonly string[];
  readonly events: number;
  readonly turns: number;
  /** The user's messages, by turn. */
  readonly tasks: readonly string[];
  /** Apps of the file that were left out, and why. */
  readonly skipped: readonly string[];
  /** The verdict on the run that a file holds; null if it holds none. */
  readonly held: { readonly agent: string; readonly success: boolean; readonly outcome: VerdictOutcome } | null;
  readonly graph: readonly GraphNode[];
}

export interface GraphNode {
  /** Id of the first of its events. */
  readonly id: string;
  readonly actor: Actor | 'condition';
  /** `App.tool` */
  readonly call: string;
  readonly turn: number;
  readonly events: readonly string[];
  /** Ids of the preceding nodes. */
  readonly after: readonly string[];
}

/** A call in the form that a user or a link writes. `args` is JSON. */
export const callText = z.strictObject({ app: name, tool: name, args: long, thought: long });
export type CallText = Readonly<z.infer<typeof callText>>;

/** `at`: number of the agent's act, from 0. */
const callEdit = z.extend(callText, { at: count });
export type CallEdit = Readonly<z.infer<typeof callEdit>>;

export const windowName = z.enum(Object.keys(WINDOWS) as [WindowName, ...WindowName[]]);

/** All settings that determine a run of the open scenario. */
export const recipe = z.strictObject({
  agent: z.enum(PLAYERS),
  /** Seed of the random agent, the mistake and the noise. */
  seed: count,
  noise: z.enum(NOISE_LEVELS),
  window: windowName,
  /** Most actions of the agent. */
  maxSteps: integer(1, 10_000),
  edits: list(callEdit, MOST_EDITS),
  /** Sampling temperature of an agent with a model; 0 = greedy. */
  temperature: z.number().check(z.gte(0), z.lte(10)),
  /** Agent-to-agent: the share of apps that are replaced by experts. */
  a2a: z.number().check(z.gte(0), z.lte(1)),
  /** Address of the user's MCP server, whose tools the agent gets; null: none. It is in no link, trace or store. */
  mcp: z.nullable(text(2000)),
  /**
   * Earlier acts of an agent with a model, which are not requested again; without `goesOn` the agent stays idle after them. Null: an idle
   * act.
   */
  known: z.nullable(z.strictObject({ acts: list(z.nullable(callText), MOST_ACTS), goesOn: z.boolean() })),
});
export type Recipe = Readonly<z.infer<typeof recipe>>;

export const ACTORS = ['user', 'agent', 'environment'] as const;
export type Actor = (typeof ACTORS)[number];

interface Base {
  readonly actor: Actor;
  /** Start (`from`) and end (`time`) of the entry in simulated seconds since 1970; a wait takes time. */
  readonly from: number;
  readonly time: number;
}

type Outcome = { readonly value: Value } | { readonly error: string };

/** A call of a tool by any actor. */
export interface CallEntry extends Base {
  readonly kind: 'call';
  /** The event's id when it was logged; after a passed turn, matched events get the oracle's ids. Null: not logged. */
  readonly id: string | null;
  readonly app: string;
  readonly tool: string;
  readonly args: Values;
  readonly outcome: Outcome;
  readonly thought: string | null;
  /** Number of the agent's act, from 0; null if the call is not the agent's own. */
  readonly act: number | null;
  /** Whether a tool called by the agent made this call. */
  readonly isInner: boolean;
}

/** Entries of a run, in the order in which they happened. */
export type Entry =
  | CallEntry
  | (Base & { readonly kind: 'notification'; readonly text: string })
  | (Base & { readonly kind: 'turn'; readonly turn: number; readonly verdict: VerdictView })
  | (Base & { readonly kind: 'end'; readonly reason: RunEnd });

export interface VerdictView {
  readonly success: boolean;
  readonly outcome: VerdictOutcome;
  /** The reference's text; `None` on success. */
  readonly rationale: string;
  /** Error raised by the judge itself. */
  readonly exception: { readonly kind: string; readonly text: string } | null;
  /** The oracle's event that no call matched, and how each call differed. */
  readonly lacking: {
    readonly oracleEventId: string;
    readonly toolName: string;
    readonly differences: readonly Difference[];
  } | null;
  /** Calls by tool, if agent and oracle made different numbers of them. */
  readonly counts: readonly { readonly what: string; readonly agent: number; readonly oracle: number }[] | null;
}

type MatchStatus = 'matched' | 'no call matches' | 'not looked at';

export interface MatchRow {
  readonly turn: number;
  readonly oracleId: string;
  readonly isAgent: boolean;
  readonly tool: string;
  readonly args: Values;
  readonly status: MatchStatus;
  /** Index of the entry that matched it. */
  readonly place: number | null;
}

export interface Unfired {
  readonly id: string;
  readonly tool: string;
  readonly why: string;
}

/** A run that has ended. Its entries were sent before it. */
export interface PlayedRun {
  readonly recipe: Recipe;
  readonly scenario: string;
  readonly verdict: VerdictView;
  /** Verdicts of the judged turns. */
  readonly turns: readonly VerdictView[];
  /** Number of turns of the oracle, and of turns that the agent ended. */
  readonly turnsWanted: number;
  readonly turnsEnded: number;
  readonly end: RunEnd;
  readonly steps: number;
  /** Simulated seconds. */
  readonly seconds: number;
  /** All acts of the agent; null: idle. */
  readonly acts: readonly (CallText | null)[];
  readonly rows: readonly MatchRow[];
  readonly unfired: readonly Unfired[];
  readonly notes: readonly string[];
  /** The mistake that the control agent was told to make. */
  readonly mistake: string | null;
  /** Present for an agent with a model. */
  readonly model: { readonly name: string; readonly spent: ModelUsage; readonly gaveUp: string | null } | null;
  /** Tools that the agent can call; `takes`: their arguments, in words. */
  readonly tools: readonly { readonly app: string; readonly tool: string; readonly takes: string }[];
}

export interface AppState {
  readonly name: string;
  readonly className: string;
  readonly state: Values | null;
}

/** `missing`: the scenario has no apps, and this data set has them. */
type Opened =
  | { readonly view: ScenarioView }
  | { readonly missing: MissingApps; readonly message: string; readonly remedy: string };

/** Calls of the page to the worker. */
export interface AgentsCalls {
  load(params: { source: ScenarioSource; window: WindowName }): Promise<Opened>;
  /** The scenario in file format; null if it has more than `most` characters. */
  trace(params: { most: number }): Promise<Trace | null>;
  /** Checks an edited scenario and counts its events. */
  check(params: { trace: Trace }): Promise<{ events: number }>;
  play(params: { recipe: Recipe }): Promise<PlayedRun>;
  /** The apps right after entry `place` of the last run; null if there is no such entry. */
  look(params: { place: number }): Promise<readonly AppState[] | null>;
  /** Why the tool will refuse these arguments; null if it takes them. */
  refusal(params: { call: CallText }): Promise<string | null>;
  /** The last run as a file for `are judge` and the page. */
  exported(params: null): Promise<string | null>;
}

const turn = z.strictObject({ role: z.enum(['system', 'user', 'assistant']), content: text(MOST_ASKED) });

/** A question to a model. */
export const question = z.strictObject({
  /** Number of the act that the model decides, from 0. */
  act: integer(0, MOST_ACTS),
  agent: z.enum(MODEL_AGENTS),
  /** A text to continue, or a conversation. */
  ask: z.union([text(MOST_ASKED), z.readonly(z.array(turn).check(z.minLength(1), z.maxLength(MOST_TURNS)))]),
  stops: list(text(100), 20),
  seed: z.int().check(z.gte(0)),
  /** 0 = greedy. */
  temperature: z.number().check(z.gte(0), z.lte(10)),
  maxNew: integer(1, 100_000),
});
export type AgentQuestion = Readonly<z.infer<typeof question>>;

export type AgentAnswer =
  | { readonly text: string; readonly inputTokens: number; readonly outputTokens: number; readonly flaw?: string }
  /** The conversation exceeds the model's context. */
  | { readonly tooLong: string };

/** Calls of the worker to the page. */
export interface AgentsHost {
  /** Sends entries from index `from` on, which replace earlier ones. */
  entries(params: { from: number; entries: readonly Entry[] }): Promise<void>;
  /** Loads the agent's model and returns its name. */
  ready(params: { agent: ModelAgentName }): Promise<string>;
  write(params: AgentQuestion): Promise<AgentAnswer>;
}
