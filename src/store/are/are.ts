// The state of the agents' view: a scenario, a run of it, the moment that is looked at, and the apps at that moment. A store of its
// own, made with the view and kept when the view is left.
import { createStore, type StoreApi } from 'zustand/vanilla';
import { USUAL_MAX_STEPS } from '../../environments/are/agents/run.ts';
import type { AgentAction } from '../../environments/are/agents/types.ts';
import type { Split } from '../../environments/are/generate/template.ts';
import { traceText } from '../../environments/are/scenario/export.ts';
import type { Trace } from '../../environments/are/scenario/schema.ts';
import { traceOfRun } from '../../environments/are/scenario/trace.ts';
import type { Parts } from '../../lib/parts.ts';
import { type Problem, problemOf } from '../lab-state.ts';
import type { Asker } from './asker.ts';
import { costOf, type RunCost } from './budget.ts';
import { type CallEdit, editOf } from './edits.ts';
import { type Entry, placeAt } from './entries.ts';
import { areHash, readAreHash } from './link.ts';
import {
  type AppState,
  hasModel,
  type PlayedRun,
  type PlayerName,
  playRecipe,
  type Recipe,
  statesAt,
  type WindowName,
  type Written,
} from './play.ts';
import { generated, type LoadedScenario, loaded, opened } from './scenario.ts';
import { Slices } from './slices.ts';

/** Simulated seconds a second; null: at once. */
export const SPEEDS = [1, 10, 100, null] as const;
export type Speed = (typeof SPEEDS)[number];

export interface AreForm {
  split: Split;
  seed: number;
  /** Of the scenario within split and seed; templates take turns. */
  index: number;
  /** Few people, mails and products. */
  isSmall: boolean;
  agent: PlayerName;
  agentSeed: number;
  window: WindowName;
  maxSteps: number;
  /** Of a model's sampling; 0 = greedy. */
  temperature: number;
}

export interface AreState {
  form: AreForm;
  scenario: LoadedScenario | null;
  /** A scenario is being read. */
  isReading: boolean;
  status: 'none' | 'running' | 'done' | 'stopped';
  entries: readonly Entry[];
  /** What a model wrote, by act; of the run that is shown. */
  written: ReadonlyMap<number, string>;
  played: PlayedRun | null;
  /** The entry that is looked at; -1: before the first. */
  place: number;
  /** Simulated seconds since 1970 that have been played. */
  now: number;
  isPlaying: boolean;
  speed: Speed;
  /** The apps when entry `place` had happened; of an earlier place until they are there. */
  states: { readonly place: number; readonly apps: readonly AppState[] } | null;
  problem: Problem | null;
  /** Of all runs without edits that were played here. */
  costs: readonly RunCost[];
  /** Runs of a series that are left. */
  left: number;
}

/** Runs whose costs are drawn. */
const MOST_COSTS = 1000;

/** Moments whose states are kept, so that stepping to and fro plays nothing again. */
const KEPT = 16;

export function createAre() {
  let asker: Asker | null = null;
  const store: StoreApi<AreState> = createStore<AreState>(() => ({
    form: {
      split: 'execution',
      seed: 1,
      index: 0,
      isSmall: false,
      agent: 'oracle',
      agentSeed: 0,
      window: 'usual',
      maxSteps: USUAL_MAX_STEPS,
      temperature: 0.5,
    },
    scenario: null,
    isReading: false,
    ...NO_RUN,
    speed: null,
    problem: null,
    costs: [],
    left: 0,
  }));
  const { getState: get, setState: set } = store;
  let running: AbortController | null = null;
  let reading: AbortController | null = null;
  let looking: Promise<void> | null = null;
  let known = new Map<number, readonly AppState[]>();

  const setForm = (patch: Partial<AreForm>) => set(({ form }) => ({ form: { ...form, ...patch } }));

  /** Settles when it is there, or was refused, or another took its place. */
  async function load(parts: Parts<LoadedScenario>): Promise<void> {
    stop();
    reading?.abort();
    const own = new AbortController();
    reading = own;
    set({ isReading: true });
    try {
      const scenario = await new Slices().through(parts, own.signal);
      if (reading !== own) return;
      known = new Map();
      set({ ...NO_RUN, scenario, problem: null });
    } catch (error) {
      if (reading === own) set({ problem: problemOf(error) });
    } finally {
      if (reading === own) set({ isReading: false });
    }
  }

  const generate = (): Promise<void> => load(generated(get().form));

  const open = (text: string, name: string): Promise<void> => load(opened(text, name, get().form.window));

  /** A scenario that was edited here. */
  const take = (trace: Trace): Promise<void> => load(loaded(trace, 'edited here', get().form.window));

  /** Plays the scenario by the form. Settles when the run has ended, in whatever way. */
  async function run(): Promise<void> {
    const { scenario, form } = get();
    if (!scenario) return;
    const { agent, agentSeed: seed, window, maxSteps, temperature } = form;
    const { trace, oracle } = scenario;
    await perform({ trace, oracle, agent, seed, window, maxSteps, temperature, edits: [], known: null });
  }

  /** The next scenarios of the form's split, one after another; ended by a stop, or by the first that cannot be played. */
  async function runSeries(count: number): Promise<void> {
    for (let left = count; left > 0; left--) {
      set({ left });
      setForm({ index: get().form.index + 1 });
      await generate();
      if (get().problem === null) await run();
      if (get().status !== 'done') break;
    }
    set({ left: 0 });
  }

  /** Back to a call of the agent's, which is made otherwise; from there the agent goes on. Edits of later calls are gone with them. */
  async function amend(edit: CallEdit): Promise<void> {
    const { played } = get();
    if (!played) return;
    const { recipe, run } = played;
    let action: AgentAction;
    try {
      action = editOf(edit).action;
    } catch (error) {
      return set({ problem: problemOf(error) });
    }
    const edits = [...recipe.edits.filter(({ at }) => at < edit.at), edit];
    const before = run.acts.slice(0, edit.at).map((act) => act.action);
    const known = hasModel(recipe.agent) ? { acts: [...before, action], goesOn: true } : null;
    await perform({ ...recipe, edits, known }, edit.at);
  }

  /** The run as the agent alone has it. */
  async function unamend(): Promise<void> {
    const { played } = get();
    if (played) await perform({ ...played.recipe, edits: [], known: null });
  }

  /** @param from the agent's act that is looked at then; the last entry without one */
  async function perform(recipe: Recipe, from: number | null = null): Promise<void> {
    const { speed } = get();
    stop();
    known = new Map();
    const own = new AbortController();
    running = own;
    // What it wrote before the edit was not written again.
    const before = get().written;
    const kept = from === null ? [] : [...before].filter(([act]) => act < from);
    set({ ...NO_RUN, status: 'running', problem: null, written: new Map(kept) });
    const onWritten = ({ act, text }: Written) => {
      if (running === own) set(({ written }) => ({ written: new Map(written).set(act, text) }));
    };
    const show = (entries: readonly Entry[]) => {
      if (running === own) set({ entries: [...entries] });
    };
    try {
      const played = await playRecipe(recipe, { onEntries: show, onWritten, asker, signal: own.signal });
      if (running !== own) return;
      running = null;
      if (recipe.edits.length === 0 && recipe.known === null)
        set(({ costs }) => ({ costs: [...costs, costOf(played)].slice(-MOST_COSTS) }));
      set({ status: 'done', played, entries: played.entries, isPlaying: speed !== null });
      const edited =
        from === null ? -1 : played.entries.findIndex((entry) => entry.kind === 'call' && entry.act === from);
      goTo(edited >= 0 ? edited : speed === null ? played.entries.length - 1 : 0);
    } catch (error) {
      if (running !== own) return;
      running = null;
      set({ status: 'stopped', problem: problemOf(error) });
    }
  }

  /** The part after # of an address in which this run is played again. null: without a run, or where it is too long for a link. */
  async function link(): Promise<string | null> {
    const { played, scenario } = get();
    if (!played || !scenario) return null;
    const { trace, agent, seed, window, maxSteps, edits } = played.recipe;
    const acts = hasModel(agent) ? played.run.acts.map(({ action }) => action) : null;
    const { generated: which, source: name } = scenario;
    return areHash({
      scenario: which ? { generated: which } : { trace, name },
      agent,
      seed,
      window,
      maxSteps,
      edits,
      acts,
    });
  }

  /** Opens and plays the run of a link; leaves the addresses of others alone. */
  async function openLink(address: string): Promise<void> {
    try {
      const found = await readAreHash(address);
      if (!found) return;
      const { scenario: which, agent, seed: agentSeed, window, maxSteps, edits, acts } = found;
      set(({ form }) => ({
        form: { ...form, ...('generated' in which ? which.generated : {}), agent, agentSeed, window, maxSteps },
      }));
      await load('generated' in which ? generated(which.generated) : loaded(which.trace, which.name, window));
      const { scenario, problem } = get();
      if (!scenario || problem) return;
      const { trace, oracle } = scenario;
      const { temperature } = get().form;
      const known = acts && { acts, goesOn: false };
      await perform({ trace, oracle, agent, seed: agentSeed, window, maxSteps, temperature, edits, known });
    } catch (error) {
      set({ problem: problemOf(error) });
    }
  }

  /** Ends the run that is being computed; what has happened in it stays on show. */
  function stop(): void {
    if (!running) return;
    running.abort();
    running = null;
    set({ status: 'stopped' });
  }

  function goTo(place: number): void {
    const { entries } = get();
    const to = Math.max(Math.min(place, entries.length - 1), entries.length > 0 ? 0 : -1);
    const entry = entries[to];
    if (!entry) return;
    set({ place: to, now: entry.time });
    look();
  }

  /** By a person's hand: playing ends. */
  function jump(place: number): void {
    set({ isPlaying: false });
    goTo(place);
  }

  function play(): void {
    const { entries, place, speed } = get();
    if (entries.length === 0) return;
    if (speed === null) {
      goTo(entries.length - 1);
      return;
    }
    if (place >= entries.length - 1) goTo(0);
    set({ isPlaying: true });
  }

  const pause = () => set({ isPlaying: false });

  function setSpeed(speed: Speed): void {
    set({ speed });
    if (speed === null && get().isPlaying) {
      pause();
      goTo(get().entries.length - 1);
    }
  }

  /** Lets so many seconds of the reader's time pass. */
  function advance(seconds: number): void {
    const { isPlaying, speed, now, entries, place } = get();
    if (!isPlaying || speed === null) return;
    const later = now + seconds * speed;
    const next = Math.max(placeAt(entries, later), place);
    const isOver = next >= entries.length - 1;
    set({ now: isOver ? (entries.at(-1)?.time ?? later) : later, place: next, isPlaying: !isOver });
    if (next !== place) look();
  }

  /** Brings the apps' state of the place that is looked at; one replay at a time, and always the latest place. */
  function look(): void {
    looking ??= bring().finally(() => {
      looking = null;
    });
  }

  async function bring(): Promise<void> {
    for (;;) {
      const { place, played, states } = get();
      if (!played || place < 0 || states?.place === place) return;
      try {
        const apps = known.get(place) ?? (await statesAt(played.recipe, played.run.acts, place));
        if (get().played !== played) continue;
        if (!apps) return;
        keep(place, apps);
        set({ states: { place, apps } });
      } catch (error) {
        return set({ problem: problemOf(error) });
      }
    }
  }

  function keep(place: number, apps: readonly AppState[]): void {
    known.delete(place);
    known.set(place, apps);
    const [oldest] = known.keys();
    if (known.size > KEPT && oldest !== undefined) known.delete(oldest);
  }

  /** The run as a file that `are judge` and this page read. null without one. */
  function exported(): string | null {
    const { played } = get();
    if (!played) return null;
    const { recipe, run, environment, verdict } = played;
    return traceText(traceOfRun(recipe.trace, { agent: recipe.agent, run, log: environment.log.list(), verdict }));
  }

  return {
    store,
    /** A model is not held for a view that is left: what it plays is ended. */
    leave(): void {
      if (hasModel(get().form.agent)) stop();
    },
    /** Who answers for agents with a model. */
    askOf(given: Asker | null): void {
      asker = given;
    },
    ...{
      setForm,
      generate,
      open,
      take,
      run,
      runSeries,
      amend,
      unamend,
      link,
      openLink,
      stop,
      jump,
      play,
      pause,
      setSpeed,
      advance,
      exported,
    },
    /** Settles when the apps of the place that is looked at are there. */
    looked: () => looking ?? Promise.resolve(),
  };
}

export type Are = ReturnType<typeof createAre>;

const NO_RUN = {
  status: 'none',
  entries: [],
  written: new Map<number, string>(),
  played: null,
  place: -1,
  now: 0,
  isPlaying: false,
  states: null,
} as const satisfies Partial<AreState>;
