// A run in the worker: set up from its recipe, computed in slices, listened to; and played again up to an entry for the state that the apps
// had then. A recipe has all that decides a run, so that no state needs to be kept.

import { EditedAgent } from '@projected-grpo-lab/are/agents/edited.ts';
import { scriptedParts } from '@projected-grpo-lab/are/agents/play.ts';
import { ReplayAgent } from '@projected-grpo-lab/are/agents/replay.ts';
import { type AgentRun, runAgent } from '@projected-grpo-lab/are/agents/run.ts';
import type { Agent, AgentAct, Exchange } from '@projected-grpo-lab/are/agents/types.ts';
import { IMPORTABLE_CLASSES } from '@projected-grpo-lab/are/apps/registry.ts';
import { atLevel } from '@projected-grpo-lab/are/augment/levels.ts';
import { PendingAnswer, settled } from '@projected-grpo-lab/are/pending.ts';
import { pythonRepr } from '@projected-grpo-lab/are/python-text.ts';
import type { App, Param } from '@projected-grpo-lab/are/types.ts';
import { type JudgedRun, judgedRunParts } from '@projected-grpo-lab/are/verifier/judged-run.ts';
import type { Verdict } from '@projected-grpo-lab/are/verifier/verifier.ts';
import type { Parts } from '@projected-grpo-lab/base/parts.ts';
import { type AgentsHost, type AppState, hasModel, type PlayedRun, type Recipe, WINDOWS } from '../protocol/agents.ts';
import { actText, editOf } from './edits.ts';
import { modelAgent } from './model-agent.ts';
import { Recorder } from './recorder.ts';
import type { Loaded } from './scenario.ts';
import { Slices } from './slices.ts';
import { matchRows, unfired, verdictView } from './verdict.ts';

/** A run as the worker keeps it. */
export interface Played extends JudgedRun {
  readonly recipe: Recipe;
  readonly run: AgentRun;
  readonly verdict: Verdict;
  readonly exchanges: readonly Exchange[] | null;
  readonly view: PlayedRun;
}

export interface PlayOptions {
  readonly host: AgentsHost;
  readonly slices?: Slices;
}

type Scenario = Pick<Loaded, 'trace' | 'oracle'>;

/** The host has all entries when it settles. Throws what the host refuses a question with. */
export async function playRecipe(
  scenario: Scenario,
  recipe: Recipe,
  { slices = new Slices(), host }: PlayOptions,
): Promise<Played> {
  const judged = await slices.through(begin(scenario, recipe));
  const recorder = new Recorder(judged);
  const { agent: name, seed, edits } = recipe;
  const show = shower(recorder, host);
  let mistake: string | null = null;
  let agent: Agent;
  let told: Awaited<ReturnType<typeof modelAgent>>['told'] | null = null;
  if (hasModel(name)) ({ agent, told } = await modelAgent(name, recipe, host));
  else {
    const parts = scriptedParts(name, scenario.trace, judged, { classes: IMPORTABLE_CLASSES, seed });
    const scripted = await slices.through(parts);
    agent = edits.length === 0 ? scripted.agent : new EditedAgent(scripted.agent, edits.map(editOf));
    mistake = scripted.mistake;
  }
  const run = await runInSlices(judged, agent, recorder, recipe, { slices, onBreath: show.now });
  const verdict = await finish(judged, recorder, run);
  await show.rest();
  const { environment, oracle } = judged;
  const { exchanges = null, ...model } = told?.() ?? {};
  const view: PlayedRun = {
    ...{ recipe, scenario: judged.scenario.id, verdict: verdictView(verdict), turns: recorder.turns, mistake },
    ...{ turnsWanted: oracle.turns.length, turnsEnded: run.turns, end: run.end, steps: run.steps.length },
    seconds: environment.clock.passed(),
    acts: run.acts.map(({ action }) => actText(action)),
    rows: matchRows(judged, verdict, recorder.entries),
    unfired: unfired(judged.scenario.events, recorder.entries),
    notes: environment.notes,
    model: 'name' in model ? (model as PlayedRun['model']) : null,
    tools: environment.apps.flatMap(toolsOf),
  };
  return { ...judged, recipe, run, verdict, exchanges, view };
}

/** Tells the host what has happened: one message at a time, so that a page which draws slowly is not flooded. */
function shower(recorder: Recorder, host: Pick<AgentsHost, 'entries'>) {
  let sending: Promise<void> | null = null;
  async function send(): Promise<void> {
    for (let taken = recorder.taken(); taken; taken = recorder.taken()) await host.entries(taken);
  }
  return {
    now(): void {
      sending ??= send().finally(() => {
        sending = null;
      });
      // Whoever waits for the rest is told.
      sending.catch(() => {});
    },
    async rest(): Promise<void> {
      await sending;
      await send();
    },
  };
}

/** The apps as they were when entry `place` had just happened. null where the run has no such entry. */
export async function statesAt(
  scenario: Scenario,
  recipe: Recipe,
  acts: readonly AgentAct[],
  place: number,
  { slices = new Slices(), signal }: { readonly slices?: Slices; readonly signal?: AbortSignal } = {},
): Promise<AppState[] | null> {
  const judged = await slices.through(begin(scenario, recipe), signal);
  let found: AppState[] | null = null;
  const enough = new AbortController();
  const recorder = new Recorder(judged, (at) => {
    if (at !== place) return;
    found = stateOf(judged.environment.apps);
    enough.abort();
  });
  const either = signal ? AbortSignal.any([signal, enough.signal]) : enough.signal;
  try {
    const run = await runInSlices(judged, new ReplayAgent(acts), recorder, recipe, { slices, signal: either });
    await finish(judged, recorder, run);
  } catch (error) {
    if (!enough.signal.aborted) throw error;
  }
  return found;
}

const stateOf = (apps: readonly App[]): AppState[] =>
  apps.map((app) => ({ name: app.name, className: app.className, state: app.getState() }));

const begin = ({ trace, oracle }: Scenario, { window, noise, seed }: Recipe): Parts<JudgedRun> => {
  const { augment } = atLevel(noise, seed);
  return judgedRunParts(trace, {
    ...{ classes: IMPORTABLE_CLASSES, config: WINDOWS[window], oracle },
    ...(augment && { augment }),
  });
};

interface RunPorts {
  readonly slices: Slices;
  readonly signal?: AbortSignal;
  /** Between two slices. */
  onBreath?(): void;
}

/** A step that finds its slice over asks to be called again, as one does that awaits an answer. */
function runInSlices(
  { environment, verifier }: JudgedRun,
  agent: Agent,
  recorder: Recorder,
  { maxSteps, noise, seed }: Recipe,
  { onBreath, signal, slices }: RunPorts,
): Promise<AgentRun> {
  const breathe = async () => {
    onBreath?.();
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
      // Who asks a model may wait long.
      onBreath?.();
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

const toolsOf = (app: App): PlayedRun['tools'] =>
  app.tools
    .filter(({ roles }) => roles.includes('agent'))
    .map(({ name, params }) => ({ app: app.name, tool: name, takes: params.map(paramText).join(', ') }));

const paramText = ({ name, type, default: usual }: Param): string =>
  `${name}: ${type}${usual === undefined ? '' : ` = ${pythonRepr(usual)}`}`;
