// A run for the page: set up from its recipe, computed in slices, listened to; and played again up to an entry for the state that the
// apps had then. A recipe has all that decides a run, so that no state needs to be kept.

import { EditedAgent } from '@projected-grpo-lab/are/agents/edited.ts';
import { type Given, givenReact } from '@projected-grpo-lab/are/agents/given.ts';
import { SCRIPTED_AGENTS, scriptedParts } from '@projected-grpo-lab/are/agents/play.ts';
import type { ChatTurn, Spent } from '@projected-grpo-lab/are/agents/react/model.ts';
import { ReplayAgent } from '@projected-grpo-lab/are/agents/replay.ts';
import { type AgentRun, runAgent } from '@projected-grpo-lab/are/agents/run.ts';
import type { Agent, AgentAct, AgentAction, Exchange } from '@projected-grpo-lab/are/agents/types.ts';
import { IMPORTABLE_CLASSES } from '@projected-grpo-lab/are/apps/registry.ts';
import { atLevel, type NoiseLevel } from '@projected-grpo-lab/are/augment/levels.ts';
import { PendingAnswer, settled } from '@projected-grpo-lab/are/pending.ts';
import type { Trace } from '@projected-grpo-lab/are/scenario/schema.ts';
import type { App } from '@projected-grpo-lab/are/types.ts';
import type { Values } from '@projected-grpo-lab/are/value.ts';
import { PAPER_CONFIG, USUAL_CONFIG } from '@projected-grpo-lab/are/verifier/compare-calls.ts';
import { type JudgedRun, judgedRunParts } from '@projected-grpo-lab/are/verifier/judged-run.ts';
import type { Oracle } from '@projected-grpo-lab/are/verifier/oracle-run.ts';
import type { Verdict } from '@projected-grpo-lab/are/verifier/verifier.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { Parts } from '@projected-grpo-lab/base/parts.ts';
import { LanguageAgent, OWN_AGENTS } from '../../environments/agents/live.ts';
import { type Asker, isOwnAgent, MODEL_AGENTS, type ModelAgentName } from './asker.ts';
import { type CallEdit, editOf } from './edits.ts';
import { type Entry, Recorder } from './entries.ts';
import type { ServerSettings } from './server.ts';
import { Slices } from './slices.ts';

export const PLAYERS = [...SCRIPTED_AGENTS, ...MODEL_AGENTS] as const;
export type PlayerName = (typeof PLAYERS)[number];
export const hasModel = (agent: PlayerName): agent is ModelAgentName => MODEL_AGENTS.some((one) => one === agent);

/** Seconds early and late that an event may be. */
export const WINDOWS = { usual: USUAL_CONFIG, paper: PAPER_CONFIG };
export type WindowName = keyof typeof WINDOWS;

export interface Recipe {
  readonly trace: Trace;
  /** Of the trace's scenario: played once, since a run only reads it. */
  readonly oracle: Oracle;
  readonly agent: PlayerName;
  /** Of the random agent, the mistake and the noise. */
  readonly seed: number;
  readonly noise: NoiseLevel;
  readonly window: WindowName;
  /** Actions of the agent in all. */
  readonly maxSteps: number;
  readonly edits: readonly CallEdit[];
  /** Of an agent with a model: of its sampling; 0 = greedy. */
  readonly temperature: number;
  /** Of an agent that asks a server: which. Null where nobody of this tab named one, as in a link. */
  readonly server: ServerSettings | null;
  /** What such an agent did before, so that it is not asked for it again; where it does not go on, nothing comes after. */
  readonly known: { readonly acts: readonly AgentAction[]; readonly goesOn: boolean } | null;
}

export interface PlayedRun extends JudgedRun {
  readonly recipe: Recipe;
  readonly run: AgentRun;
  readonly verdict: Verdict;
  /** Of the turns that were judged. */
  readonly turns: readonly Verdict[];
  readonly entries: readonly Entry[];
  /** What the agent that errs was made to do wrong. */
  readonly mistake: string | null;
  /** Of an agent with a model. */
  readonly model: {
    readonly name: string;
    readonly spent: Spent;
    readonly gaveUp: string | null;
    readonly exchanges: readonly Exchange[];
  } | null;
}

/** What a model wrote for an act, as far as it has. */
export interface Written {
  readonly act: number;
  readonly text: string;
}

export interface PlayOptions {
  /** Told after each slice, with what has happened so far. */
  readonly onEntries?: (entries: readonly Entry[]) => void;
  readonly signal?: AbortSignal;
  readonly slices?: Slices;
  /** For agents with a model. */
  readonly asker?: Asker | null;
  readonly onWritten?: (written: Written) => void;
}

/** Throws ScenarioError, OracleError, or what the signal was aborted with. */
export async function playRecipe(recipe: Recipe, options: PlayOptions = {}): Promise<PlayedRun> {
  const { slices = new Slices(), signal } = options;
  const judged = await slices.through(begin(recipe), signal);
  const recorder = new Recorder(judged);
  const { agent: name, seed, trace } = recipe;
  if (hasModel(name)) {
    const { agent, told } = await modelAgent(name, recipe, options);
    const run = await runInSlices(judged, agent, recorder, recipe, { ...options, slices });
    const verdict = await finish(judged, recorder, run);
    const { turns, entries } = recorder;
    return { ...judged, recipe, run, verdict, turns, entries, mistake: null, model: told() };
  }
  const parts = scriptedParts(name, trace, judged, { classes: IMPORTABLE_CLASSES, seed });
  const { agent, mistake } = await slices.through(parts, signal);
  const edited = recipe.edits.length === 0 ? agent : new EditedAgent(agent, recipe.edits.map(editOf));
  const run = await runInSlices(judged, edited, recorder, recipe, { ...options, slices });
  const verdict = await finish(judged, recorder, run);
  return { ...judged, recipe, run, verdict, turns: recorder.turns, entries: recorder.entries, mistake, model: null };
}

/** Tokens of an answer at most; the small agent's are short. */
const MOST_NEW = { 'tiny-agent': 48, 'tiny-agent-forms': 64, react: 512, 'react-endpoint': 2048 } as const;

async function modelAgent(
  name: ModelAgentName,
  { known, seed, temperature, server }: Recipe,
  { asker = null, signal, onWritten }: PlayOptions,
): Promise<{ agent: Agent; told: () => NonNullable<PlayedRun['model']> }> {
  const given: Given = (act) => known?.acts[act] ?? (known && !known.goesOn ? { kind: 'idle' } : null);
  const needsModel = !known || known.goesOn;
  if (needsModel && !asker) throw new SpecError('An agent with a model needs the lab.', 'Wait until the lab is ready.');
  const model = needsModel && asker ? await asker.ready(name, server) : name;
  let act = -1;
  let asked = 0;
  const write = (ask: string | readonly ChatTurn[], stops: readonly string[]) => {
    if (!asker) throw new SpecError('An agent with a model needs the lab.', 'Wait until the lab is ready.');
    const own = act;
    return asker.write({
      ...{ ask, stops, temperature, signal, server, maxNew: MOST_NEW[name] },
      // A question of its own each, so that the same words asked twice may be answered otherwise.
      seed: seed * 1000 + asked++,
      onText: (text) => onWritten?.({ act: own, text }),
    });
  };
  const counting = (agent: Agent): Agent => ({
    name: agent.name,
    act(view) {
      act++;
      return agent.act(view);
    },
  });
  if (isOwnAgent(name)) {
    const own = new LanguageAgent({ name: model, write: (prompt) => write(prompt, []) }, given, OWN_AGENTS[name]);
    return {
      agent: counting(own),
      told: () => ({ name: model, spent: own.spent, gaveUp: own.failure, exchanges: [] }),
    };
  }
  const answer = async (turns: readonly ChatTurn[], { stop }: { stop: readonly string[] }) => ({
    ...(await write(turns, stop)),
    seconds: 0,
  });
  const { agent, react } = givenReact({ model: { name: model, answer } }, given);
  const told = () => ({ name: model, spent: react.spent, gaveUp: react.failure, exchanges: react.exchanges });
  return { agent: counting(agent), told };
}

export interface AppState {
  readonly name: string;
  readonly className: string;
  readonly state: Values | null;
}

/** The apps as they were when entry `place` had just happened. null where the run has no such entry. */
export async function statesAt(
  recipe: Recipe,
  acts: readonly AgentAct[],
  place: number,
  options: Pick<PlayOptions, 'signal' | 'slices'> = {},
): Promise<AppState[] | null> {
  const { slices = new Slices() } = options;
  const judged = await slices.through(begin(recipe), options.signal);
  let found: AppState[] | null = null;
  const enough = new AbortController();
  const recorder = new Recorder(judged, (at) => {
    if (at !== place) return;
    found = stateOf(judged.environment.apps);
    enough.abort();
  });
  const signal = options.signal ? AbortSignal.any([options.signal, enough.signal]) : enough.signal;
  try {
    const run = await runInSlices(judged, new ReplayAgent(acts), recorder, recipe, { slices, signal });
    await finish(judged, recorder, run);
  } catch (error) {
    if (!enough.signal.aborted) throw error;
  }
  return found;
}

const stateOf = (apps: readonly App[]): AppState[] =>
  apps.map((app) => ({ name: app.name, className: app.className, state: app.getState() }));

const begin = ({ trace, oracle, window, noise, seed }: Recipe): Parts<JudgedRun> => {
  const { augment } = atLevel(noise, seed);
  return judgedRunParts(trace, {
    ...{ classes: IMPORTABLE_CLASSES, config: WINDOWS[window], oracle },
    ...(augment && { augment }),
  });
};

/** A step that finds its slice over asks to be called again, as one does that awaits an answer. */
function runInSlices(
  { environment, verifier }: JudgedRun,
  agent: Agent,
  recorder: Recorder,
  { maxSteps, noise, seed }: Recipe,
  { onEntries, signal, slices }: PlayOptions & { readonly slices: Slices },
): Promise<AgentRun> {
  const breathe = async () => {
    onEntries?.(recorder.entries);
    await slices.breathe();
  };
  const step = environment.step.bind(environment);
  environment.step = () => {
    if (slices.isOver) throw new PendingAnswer(breathe);
    return step();
  };
  const paced: Agent = {
    name: agent.name,
    act: async (view) => {
      if (slices.isOver) await breathe();
      return agent.act(view);
    },
  };
  const { interferes } = atLevel(noise, seed);
  return runAgent(environment, paced, {
    ...(interferes && { interferes }),
    turns: verifier.turnCount,
    maxSteps,
    onStep: (made) => recorder.step(made),
    ...(signal && { signal }),
  });
}

async function finish({ environment, verifier }: JudgedRun, recorder: Recorder, run: AgentRun): Promise<Verdict> {
  const before = verifier.turn;
  const verdict = await settled(() => verifier.judgeEnd(environment.log.list()));
  // A run that ended before its last turn has no verdict of that turn.
  if (verifier.turn > before) recorder.turnEnded(verdict);
  recorder.end(run.end);
  return verdict;
}
