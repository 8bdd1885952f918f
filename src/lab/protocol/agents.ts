// What the page and the worker of agents' scenarios (lab/agents) say to each other: plain data alone. The scenario, its apps and the run
// of it live in the worker; the page has what it draws. What either sends for the other to act by is a schema here, with its bounds, by
// which agents-door.ts checks it.

import { SCRIPTED_AGENTS } from '@projected-grpo-lab/are/agents/play.ts';
import type { RunEnd } from '@projected-grpo-lab/are/agents/run.ts';
import { NOISE_LEVELS } from '@projected-grpo-lab/are/augment/levels.ts';
import type { Spent } from '@projected-grpo-lab/are/chat-model.ts';
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
/** `react`: by the loaded model. `react-onnx`: by one of an ONNX file that the user chooses. `react-endpoint`: by a model behind a server that the user names. */
export const MODEL_AGENTS = ['tiny-agent', 'tiny-agent-forms', 'react', 'react-onnx', 'react-endpoint'] as const;
export type ModelAgentName = (typeof MODEL_AGENTS)[number];
export const PLAYERS = [...SCRIPTED_AGENTS, ...MODEL_AGENTS] as const;
export type PlayerName = (typeof PLAYERS)[number];
export const hasModel = (agent: PlayerName): agent is ModelAgentName => MODEL_AGENTS.some((one) => one === agent);

/** Whether it is shown what tools there are: the compact language has words for its own alone. */
export const canUseTools = (agent: PlayerName): boolean => agent.startsWith('react');

/** Seconds early and late that an event may be. */
export const WINDOWS = { usual: DEFAULT_CONFIG, paper: PAPER_CONFIG };
export type WindowName = keyof typeof WINDOWS;

/** The generator's parts that the page offers. */
export const PAGE_PARTS = ['training', 'composed', 'composed held out'] as const satisfies readonly Part[];
export type PagePart = (typeof PAGE_PARTS)[number];

export const text = (most: number) => z.string().check(z.maxLength(most));
export const integer = (least: number, most: number) => z.int().check(z.gte(least), z.lte(most));
const list = <T extends z.ZodMiniType>(item: T, most: number) => z.readonly(z.array(item).check(z.maxLength(most)));

/** Of a seed, a number, an act. */
const count = integer(0, 1_000_000);
/** Of an app, a tool, a file; a model may call what is no name at all. */
export const name = text(10_000);
/** Arguments and a thought, as text. */
const long = text(1_000_000);
/** Acts of one run: as many actions, and idling between them. */
const MOST_ACTS = 20_000;
const MOST_EDITS = 1000;
/** Of a question: what a conversation, or a text that is gone on from, may have. */
const MOST_ASKED = 16_000_000;
const MOST_TURNS = 100_000;

/** Which of the generator's scenarios. */
export const generated = z.strictObject({
  split: z.enum(SPLITS),
  seed: count,
  index: count,
  /** Few people, mails and products: what the small agent was trained in. */
  isSmall: z.boolean(),
  part: z.enum(PAGE_PARTS),
});
export type Generated = Readonly<z.infer<typeof generated>>;

export type ScenarioSource = (
  | { readonly kind: 'generated'; readonly which: Generated }
  /** A file's text. */
  | { readonly kind: 'file'; readonly text: string; readonly name: string }
  /** Of a link, or edited on the page. */
  | { readonly kind: 'trace'; readonly trace: Trace; readonly name: string }
) & {
  /** The text of the scenario that has the apps, for one that has none of its own. */
  readonly apps?: string;
};

/** What is said of a scenario before it is played, and of the run that a file may hold. */
export interface ScenarioView {
  /** A file's name, or the template. */
  readonly source: string;
  /** null: of a file. */
  readonly generated: Generated | null;
  readonly id: string;
  readonly start: string;
  /** Simulated seconds at most. */
  readonly duration: number;
  readonly apps: readonly string[];
  readonly events: number;
  readonly turns: number;
  /** The user's words, by turn. */
  readonly tasks: readonly string[];
  /** Apps of the file that were left out, and why. */
  readonly skipped: readonly string[];
  /** Of a file that holds a run: how that run is judged. */
  readonly held: { readonly agent: string; readonly success: boolean; readonly outcome: VerdictOutcome } | null;
  readonly graph: readonly GraphNode[];
}

export interface GraphNode {
  /** Of the first of its events. */
  readonly id: string;
  readonly actor: Actor | 'condition';
  /** `App.tool` */
  readonly call: string;
  readonly turn: number;
  readonly events: readonly string[];
  /** Ids of nodes. */
  readonly after: readonly string[];
}

/** A call as a person or a link writes it. `args` is JSON. */
export const callText = z.strictObject({ app: name, tool: name, args: long, thought: long });
export type CallText = Readonly<z.infer<typeof callText>>;

/** `at`: the agent's act, from 0. */
const callEdit = z.extend(callText, { at: count });
export type CallEdit = Readonly<z.infer<typeof callEdit>>;

export const windowName = z.enum(Object.keys(WINDOWS) as [WindowName, ...WindowName[]]);

/** All that decides a run of the scenario that is open. */
export const recipe = z.strictObject({
  agent: z.enum(PLAYERS),
  /** Of the random agent, the mistake and the noise. */
  seed: count,
  noise: z.enum(NOISE_LEVELS),
  window: windowName,
  /** Actions of the agent in all. */
  maxSteps: integer(1, 10_000),
  edits: list(callEdit, MOST_EDITS),
  /** Of an agent with a model: of its sampling; 0 = greedy. */
  temperature: z.number().check(z.gte(0), z.lte(10)),
  /** Agent-to-agent: the share of apps that an expert has in the agent's place. */
  a2a: z.number().check(z.gte(0), z.lte(1)),
  /** Address of an MCP server of the reader's, whose tools the agent gets; null: none. No link, trace or store has it. */
  mcp: z.nullable(text(2000)),
  /** What such an agent did before, so that it is not asked for it again; where it does not go on, nothing comes after. null: an idle act. */
  known: z.nullable(z.strictObject({ acts: list(z.nullable(callText), MOST_ACTS), goesOn: z.boolean() })),
});
export type Recipe = Readonly<z.infer<typeof recipe>>;

export const ACTORS = ['user', 'agent', 'environment'] as const;
export type Actor = (typeof ACTORS)[number];

interface Base {
  readonly actor: Actor;
  /** Simulated seconds since 1970: when it began, and when it had happened (a wait lasts). */
  readonly from: number;
  readonly time: number;
}

type Outcome = { readonly value: Value } | { readonly error: string };

/** A call of a tool, whoever made it. */
export interface CallEntry extends Base {
  readonly kind: 'call';
  /** As it was when it happened: a turn that passed gives matched events the oracle's ids. null: nothing was logged. */
  readonly id: string | null;
  readonly app: string;
  readonly tool: string;
  readonly args: Values;
  readonly outcome: Outcome;
  readonly thought: string | null;
  /** Of the agent's act, from 0; null where it is not the agent's own. */
  readonly act: number | null;
  /** Made by a tool that the agent called. */
  readonly isInner: boolean;
}

/** What happened in a run, in the order in which it happened. */
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
  /** What the judge itself raised. */
  readonly exception: { readonly kind: string; readonly text: string } | null;
  /** The oracle's event that no call was matched with, and what each call lacked. */
  readonly lacking: {
    readonly oracleEventId: string;
    readonly toolName: string;
    readonly differences: readonly Difference[];
  } | null;
  /** Calls by tool where one side made more of them. */
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
  /** Of the entry that was matched with it. */
  readonly place: number | null;
}

export interface Unfired {
  readonly id: string;
  readonly tool: string;
  readonly why: string;
}

/** A run that has ended. Its entries came before it. */
export interface PlayedRun {
  readonly recipe: Recipe;
  readonly scenario: string;
  readonly verdict: VerdictView;
  /** Of the turns that were judged. */
  readonly turns: readonly VerdictView[];
  /** Turns that the oracle has, and that the agent ended. */
  readonly turnsWanted: number;
  readonly turnsEnded: number;
  readonly end: RunEnd;
  readonly steps: number;
  /** Simulated. */
  readonly seconds: number;
  /** All that the agent did; null: idle. */
  readonly acts: readonly (CallText | null)[];
  readonly rows: readonly MatchRow[];
  readonly unfired: readonly Unfired[];
  readonly notes: readonly string[];
  /** What the agent that errs was made to do wrong. */
  readonly mistake: string | null;
  /** Of an agent with a model. */
  readonly model: { readonly name: string; readonly spent: Spent; readonly gaveUp: string | null } | null;
  /** What the agent can call; `takes`: its arguments, in words. */
  readonly tools: readonly { readonly app: string; readonly tool: string; readonly takes: string }[];
}

export interface AppState {
  readonly name: string;
  readonly className: string;
  readonly state: Values | null;
}

/** `missing`: the scenario has no apps, and says which data set has them. */
type Opened =
  | { readonly view: ScenarioView }
  | { readonly missing: MissingApps; readonly message: string; readonly remedy: string };

/** What the page calls in the worker. */
export interface AgentsCalls {
  load(params: { source: ScenarioSource; window: WindowName }): Promise<Opened>;
  /** The scenario as a file has it; null where it has more characters than that. */
  trace(params: { most: number }): Promise<Trace | null>;
  /** Whether a scenario that is being edited is one; how many events it has. */
  check(params: { trace: Trace }): Promise<{ events: number }>;
  play(params: { recipe: Recipe }): Promise<PlayedRun>;
  /** The apps as they were when entry `place` of the last run had just happened; null where it has no such entry. */
  look(params: { place: number }): Promise<readonly AppState[] | null>;
  /** Why the tool will refuse such arguments; null where it takes them. */
  refusal(params: { call: CallText }): Promise<string | null>;
  /** The last run as a file that `are judge` and the page read. */
  exported(params: null): Promise<string | null>;
}

const turn = z.strictObject({ role: z.enum(['system', 'user', 'assistant']), content: text(MOST_ASKED) });

/** A question to a model. */
export const question = z.strictObject({
  /** Of the act that it is asked for, from 0. */
  act: integer(0, MOST_ACTS),
  agent: z.enum(MODEL_AGENTS),
  /** Where a text is gone on from, or a conversation. */
  ask: z.union([text(MOST_ASKED), z.readonly(z.array(turn).check(z.minLength(1), z.maxLength(MOST_TURNS)))]),
  stops: list(text(100), 20),
  seed: z.int().check(z.gte(0)),
  /** 0 = greedy. */
  temperature: z.number().check(z.gte(0), z.lte(10)),
  maxNew: integer(1, 100_000),
});
export type Asked = Readonly<z.infer<typeof question>>;

export type Answered =
  | { readonly text: string; readonly inputTokens: number; readonly outputTokens: number; readonly flaw?: string }
  /** The conversation has outgrown the model. */
  | { readonly tooLong: string };

/** What the worker calls on the page. */
export interface AgentsHost {
  /** Entries from a place on; those that were there are replaced. */
  entries(params: { from: number; entries: readonly Entry[] }): Promise<void>;
  /** Makes the agent's model the one that is used; its name. */
  ready(params: { agent: ModelAgentName }): Promise<string>;
  write(params: Asked): Promise<Answered>;
}
