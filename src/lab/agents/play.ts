// A run in the worker: set up from its recipe, computed in slices and recorded; and replayed up to an entry to get the state of its apps. A
// recipe determines the run, so no state needs to be stored.

import { scriptedParts } from '@projected-grpo-lab/are/agents/play.ts';
import { EditedAgent, ReplayAgent } from '@projected-grpo-lab/are/agents/replay.ts';
import { type AgentRun, runAgent } from '@projected-grpo-lab/are/agents/run.ts';
import type { Agent, Exchange } from '@projected-grpo-lab/are/agents/types.ts';
import {
  type KeptTools,
  NO_TOOLS,
  openTools,
  serverAt,
  type ToolServer,
} from '@projected-grpo-lab/are/apps/mcp/kept-tools.ts';
import { IMPORTABLE_CLASSES } from '@projected-grpo-lab/are/apps/registry.ts';
import { type Experts, type KeptTask, openExperts } from '@projected-grpo-lab/are/augment/kept-experts.ts';
import { atLevel } from '@projected-grpo-lab/are/augment/levels.ts';
import { PendingAnswer, settled } from '@projected-grpo-lab/are/pending.ts';
import { pythonRepr } from '@projected-grpo-lab/are/python-text.ts';
import type { App, Param } from '@projected-grpo-lab/are/types.ts';
import { type JudgedRun, judgedRunParts } from '@projected-grpo-lab/are/verifier/judged-run.ts';
import type { Verdict } from '@projected-grpo-lab/are/verifier/verifier.ts';
import type { Parts } from '@projected-grpo-lab/base/parts.ts';
import { type AgentsHost, type AppState, hasModel, type PlayedRun, type Recipe, WINDOWS } from '../protocol/agents.ts';
import { actText, editOf } from './edits.ts';
import { type ModelAgent, modelAgent } from './model-agent.ts';
import { Recorder } from './recorder.ts';
import type { LoadedScenario } from './scenario.ts';
import { Slices } from './slices.ts';
import { matchRows, unfiredEvents, verdictView } from './verdict.ts';

/** A run as the worker stores it. */
export interface KeptAgentRun extends JudgedRun {
  readonly recipe: Recipe;
  readonly run: AgentRun;
  readonly verdict: Verdict;
  readonly exchanges: readonly Exchange[] | null;
  readonly kept: KeptAnswers;
  /** The apps in the agent's view: an app given to an expert is replaced by the expert. */
  readonly apps: readonly App[];
  readonly view: PlayedRun;
}

/** Answers of tools and experts, which are not requested again when the run is replayed. */
interface KeptAnswers {
  readonly tools: KeptTools;
  readonly tasks: readonly KeptTask[];
}

const NOTHING: KeptAnswers = { tools: NO_TOOLS, tasks: [] };

/** Keeps only answers from before an act. */
const answersBefore = ({ tools, tasks }: KeptAnswers, act: number): KeptAnswers => ({
  tools: { tools: tools.tools, calls: tools.calls.filter((one) => one.act < act) },
  tasks: tasks.filter((one) => one.act < act),
});

interface PlayOptions {
  readonly host: AgentsHost;
  readonly slices?: Slices;
  /** Stored answers of the run that is edited. */
  readonly before?: KeptAnswers;
  readonly fetch?: Parameters<typeof serverAt>[1];
}

type Scenario = Pick<LoadedScenario, 'trace' | 'oracle'>;

/** Plays a recipe to its end. When it resolves, the host has received all entries. Throws the host's errors. */
export async function playRecipe(
  scenario: Scenario,
  recipe: Recipe,
  { slices = new Slices(), host, before = NOTHING, fetch }: PlayOptions,
): Promise<KeptAgentRun> {
  const live = recipe.mcp === null ? null : serverAt(recipe.mcp, fetch);
  const lastEdit = recipe.edits.at(-1)?.at;
  const known = lastEdit === undefined ? NOTHING : answersBefore(before, lastEdit);
  let at = -1;
  const act = () => Math.max(0, at);
  const tools = live && (await openTools(live, known.tools, act));
  const judged = await slices.through(openRun(scenario, recipe, tools));
  const recorder = new Recorder(judged);
  const { agent: name, seed, edits } = recipe;
  const show = entrySender(recorder, host);
  let mistake: string | null = null;
  let agent: Agent;
  let model: ModelAgent | null = null;
  if (hasModel(name)) {
    model = await modelAgent(name, recipe, host, act);
    agent = model.agent;
  } else {
    const parts = scriptedParts(name, scenario.trace, judged, { classes: IMPORTABLE_CLASSES, seed });
    const scripted = await slices.through(parts);
    agent = edits.length === 0 ? scripted.agent : new EditedAgent(scripted.agent, edits.map(editOf));
    mistake = scripted.mistake;
  }
  const experts = openExperts(recipe, model && ((task) => (model as ModelAgent).expert(task)), known.tasks, act);
  const onAct = () => {
    at++;
    // A question to a model may take long, so pending entries are sent first.
    show.now();
  };
  const run = await runInSlices(judged, agent, recorder, recipe, { slices, onBreath: show.now, onAct, experts });
  const verdict = await finishRun(judged, recorder, run);
  await show.rest();
  const { environment, oracle } = judged;
  const { exchanges = null, ...played } = model?.played() ?? {};
  const apps = environment.apps.map((app) => experts.apps.get(app.name) ?? app);
  const view: PlayedRun = {
    recipe,
    scenario: judged.scenario.id,
    verdict: verdictView(verdict),
    turns: recorder.turns,
    mistake,
    turnsWanted: oracle.turns.length,
    turnsEnded: run.turns,
    end: run.end,
    steps: run.steps.length,
    seconds: environment.clock.passed(),
    acts: run.acts.map(({ action }) => actText(action)),
    rows: matchRows(judged, verdict, recorder.entries),
    unfired: unfiredEvents(judged.scenario.events, recorder.entries),
    notes: environment.notes,
    model: 'name' in played ? (played as PlayedRun['model']) : null,
    tools: apps.flatMap(toolsOf),
  };
  const kept = { tools: tools?.kept() ?? NO_TOOLS, tasks: experts.tasks };
  return { ...judged, recipe, run, verdict, exchanges, kept, apps, view };
}

/** Sends entries to the host one message at a time, so that a slow page is not flooded. */
function entrySender(recorder: Recorder, host: Pick<AgentsHost, 'entries'>) {
  let sending: Promise<void> | null = null;
  async function send(): Promise<void> {
    for (let taken = recorder.taken(); taken; taken = recorder.taken()) await host.entries(taken);
  }
  return {
    now(): void {
      sending ??= send().finally(() => {
        sending = null;
      });
      // `rest` reports the failure.
      sending.catch(() => {});
    },
    async rest(): Promise<void> {
      await sending;
      await send();
    },
  };
}

/** The apps directly after entry `place`; null if the run has no such entry. */
export async function statesAt(
  scenario: Scenario,
  { recipe, run: { acts }, kept }: Pick<KeptAgentRun, 'recipe' | 'kept'> & { readonly run: Pick<AgentRun, 'acts'> },
  place: number,
  { slices = new Slices(), signal }: { readonly slices?: Slices; readonly signal?: AbortSignal } = {},
): Promise<AppState[] | null> {
  const act = () => 0;
  const tools = recipe.mcp === null ? null : await openTools(null, kept.tools, act);
  const judged = await slices.through(openRun(scenario, recipe, tools), signal);
  let found: AppState[] | null = null;
  const enough = new AbortController();
  const recorder = new Recorder(judged, (at) => {
    if (at !== place) return;
    found = stateOf(judged.environment.apps);
    enough.abort();
  });
  const either = signal ? AbortSignal.any([signal, enough.signal]) : enough.signal;
  try {
    const experts = openExperts(recipe, null, kept.tasks, act);
    const ports = { slices, signal: either, experts };
    const run = await runInSlices(judged, new ReplayAgent(acts), recorder, recipe, ports);
    await finishRun(judged, recorder, run);
  } catch (error) {
    if (!enough.signal.aborted) throw error;
  }
  return found;
}

const stateOf = (apps: readonly App[]): AppState[] =>
  apps.map((app) => ({ name: app.name, className: app.className, state: app.getState() }));

const openRun = (
  { trace, oracle }: Scenario,
  { window, noise, seed }: Recipe,
  tools: ToolServer | null,
): Parts<JudgedRun> => {
  const { augment: addNoise = (one) => one } = atLevel(noise, seed);
  const augment = (one: Parameters<typeof addNoise>[0]) => addNoise(tools ? tools.augment(one) : one);
  return judgedRunParts(trace, { classes: IMPORTABLE_CLASSES, config: WINDOWS[window], oracle, augment });
};

interface RunPorts {
  readonly slices: Slices;
  readonly signal?: AbortSignal;
  /** Called between two slices. */
  onBreath?(): void;
  /** Called before each act. */
  onAct?(): void;
  readonly experts: Experts;
}

/** At the end of a slice a step throws PendingAnswer, like a step with a pending answer, and is called again. */
function runInSlices(
  { environment, verifier }: JudgedRun,
  agent: Agent,
  recorder: Recorder,
  { maxSteps, noise, seed, a2a }: Recipe,
  { onBreath, onAct, signal, slices, experts }: RunPorts,
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
      onAct?.();
      return agent.act(view);
    },
  };
  const { interferes } = atLevel(noise, seed);
  return runAgent(environment, paced, {
    ...(interferes && { interferes }),
    ...(a2a > 0 && { experts: experts.experts }),
    turns: verifier.turnCount,
    maxSteps,
    onStep: (made) => recorder.step(made),
    ...(signal && { signal }),
  });
}

async function finishRun({ environment, verifier }: JudgedRun, recorder: Recorder, run: AgentRun): Promise<Verdict> {
  const before = verifier.turn;
  const verdict = await settled(() => verifier.judgeEnd(environment.log.list()));
  // Only a run that ended in its last turn has a verdict of that turn.
  if (verifier.turn > before) recorder.turnEnded(verdict);
  recorder.end(run.end);
  return verdict;
}

const toolsOf = (app: App): PlayedRun['tools'] =>
  app.tools
    .filter(({ roles }) => roles.includes('agent'))
    .map(({ name, params }) => ({ app: app.name, tool: name, takes: params.map(paramText).join(', ') }));

const paramText = ({ name, type, default: value }: Param): string =>
  `${name}: ${type}${value === undefined ? '' : ` = ${pythonRepr(value)}`}`;
