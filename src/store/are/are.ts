// The state of the agents' view: a scenario, a run of it, the moment that is looked at, and the apps at that moment. A store of its
// own, made with the view and kept when the view is left.

import type { AgentAction } from '@projected-grpo-lab/are/agents/types.ts';
import { MissingAppsError } from '@projected-grpo-lab/are/scenario/missing-apps.ts';
import { BOUNDS, type Trace } from '@projected-grpo-lab/are/scenario/schema.ts';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import type { Parts } from '@projected-grpo-lab/base/parts.ts';
import { createStore } from 'zustand/vanilla';
import { problemOf } from '../lab-state.ts';
import type { Asker } from './asker.ts';
import { costOf } from './budget.ts';
import { type CallEdit, editOf } from './edits.ts';
import type { Entry } from './entries.ts';
import { exportedOf, linkOf } from './given-away.ts';
import { readAreHash } from './link.ts';
import { createLooking } from './looking.ts';
import { offerOf } from './offer.ts';
import { hasModel, type PlayerName, playRecipe, type Recipe, type Written } from './play.ts';
import { completed, generated, type LoadedScenario, loaded, opened } from './scenario.ts';
import { Slices } from './slices.ts';
import { type AreForm, type AreState, type AreStore, FIRST_FORM, NO_RUN } from './state.ts';

/** Runs whose costs are drawn. */
const MOST_COSTS = 1000;

export function createAre() {
  let asker: Asker | null = null;
  const store: AreStore = createStore<AreState>(() => ({
    form: FIRST_FORM,
    scenario: null,
    offer: null,
    missing: null,
    isReading: false,
    ...NO_RUN,
    speed: null,
    problem: null,
    costs: [],
    left: 0,
  }));
  const { getState: get, setState: set } = store;
  const looking = createLooking(store);
  const { goTo, jump, play, pause, setSpeed, advance, looked } = looking;
  let running: AbortController | null = null;
  let reading: AbortController | null = null;

  const setForm = (patch: Partial<AreForm>) => set(({ form }) => ({ form: { ...form, ...patch } }));

  /** Settles when it is there, or was refused, or another took its place. `file`: which one a problem is of. */
  async function load(parts: Parts<LoadedScenario>, file: string | null = null): Promise<void> {
    stop();
    reading?.abort();
    const own = new AbortController();
    reading = own;
    set({ isReading: true, offer: null, missing: null });
    try {
      const scenario = await new Slices().through(parts, own.signal);
      if (reading !== own) return;
      looking.forget();
      set({ ...NO_RUN, scenario, problem: null });
    } catch (error) {
      if (reading !== own) return;
      const problem = problemOf(error);
      if (error instanceof MissingAppsError)
        set({ missing: { trace: error.trace, apps: error.missing, name: file ?? 'a link' } });
      set({ problem: file === null ? problem : { ...problem, message: `${file}: ${problem.message}` } });
    } finally {
      if (reading === own) set({ isReading: false });
    }
  }

  const generate = (): Promise<void> => load(generated(get().form));

  async function open(text: string, name: string): Promise<void> {
    await load(opened(text, name, get().form.window), name);
  }

  /** Of the reader's disk; what cannot be read is said. */
  async function openFile(file: Pick<File, 'name' | 'size' | 'text'>): Promise<void> {
    let text: string;
    try {
      // A character has four bytes at most.
      if (file.size > 4 * BOUNDS.text) throw new RangeError(`it has ${file.size} bytes, ${4 * BOUNDS.text} are taken`);
      text = await file.text();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return set({
        problem: problemOf(new FormatError(`${file.name} cannot be read: ${why}.`, 'Choose another file.')),
      });
    }
    await open(text, file.name);
  }

  /** Of the file that waits for them, from the Hub; only where a person says so. */
  async function fetchApps(): Promise<void> {
    const { missing } = get();
    if (!missing || !asker) return;
    const { trace, apps, name } = missing;
    reading?.abort();
    const own = new AbortController();
    reading = own;
    set({ isReading: true, problem: null });
    try {
      const { data } = await asker.row(apps, own.signal);
      if (reading === own) await load(completed(trace, data, name, get().form.window), name);
    } catch (error) {
      if (reading === own) set({ problem: problemOf(error), isReading: false });
    }
  }

  /** Ends the fetching too. */
  function declineApps(): void {
    reading?.abort();
    reading = null;
    set({ missing: null, isReading: false, problem: null });
  }

  /** A scenario that was edited here. */
  const take = (trace: Trace): Promise<void> => load(loaded(trace, 'edited here', get().form.window));

  /** Plays the scenario on show by the form, or else the form's. Settles when the run has ended, in whatever way. */
  async function run(): Promise<void> {
    if (!get().scenario) await generate();
    const { scenario, form } = get();
    if (!scenario) return;
    const { agent, agentSeed: seed, window, maxSteps, noise, temperature } = form;
    const { trace, oracle } = scenario;
    const server = serverOf(agent);
    const told = { trace, oracle, agent, seed, noise, window, maxSteps, temperature, server };
    await perform({ ...told, edits: [], known: null });
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
    await perform({ ...recipe, server: serverOf(recipe.agent), edits, known }, edit.at);
  }

  /** The run as the agent alone has it. */
  async function unamend(): Promise<void> {
    const { played } = get();
    if (!played) return;
    const { recipe } = played;
    await perform({ ...recipe, server: serverOf(recipe.agent), edits: [], known: null });
  }

  /** As the form has it now; a run of a link has none of its own. */
  const serverOf = (agent: PlayerName) => (agent === 'react-endpoint' ? get().form.server : null);

  /** @param from the agent's act that is looked at then; the last entry without one */
  async function perform(recipe: Recipe, from: number | null = null): Promise<void> {
    const { speed } = get();
    stop();
    looking.forget();
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
      if (recipe.edits.length === 0 && recipe.known === null && recipe.noise === 'none')
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

  /** Shows what a link brings, and plays nothing of it; leaves the addresses of others alone. */
  async function openLink(address: string): Promise<void> {
    try {
      const found = await readAreHash(address);
      if (found) set({ offer: offerOf(found), problem: null });
    } catch (error) {
      set({ problem: problemOf(error) });
    }
  }

  const declineOffer = () => set({ offer: null });

  /** Opens and plays the run of the link that is shown. */
  async function acceptOffer(): Promise<void> {
    const { offer } = get();
    if (!offer) return;
    const { scenario: which, agent, seed: agentSeed, noise, window, maxSteps, edits, acts } = offer.link;
    set(({ form }) => ({
      form: { ...form, ...('generated' in which ? which.generated : {}), agent, agentSeed, noise, window, maxSteps },
    }));
    await load('generated' in which ? generated(which.generated) : loaded(which.trace, which.name, window));
    const { scenario, problem } = get();
    if (!scenario || problem) return;
    const { trace, oracle } = scenario;
    const { temperature } = get().form;
    const known = acts && { acts, goesOn: false };
    const told = { trace, oracle, agent, seed: agentSeed, noise, window, maxSteps, temperature, edits, known };
    // Whoever wrote the link asks no server of the reader's.
    await perform({ ...told, server: null });
  }

  /** Ends the run that is being computed; what has happened in it stays on show. */
  function stop(): void {
    if (!running) return;
    running.abort();
    running = null;
    set({ status: 'stopped' });
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
      openFile,
      fetchApps,
      declineApps,
      take,
      run,
      runSeries,
      amend,
      unamend,
      openLink,
      acceptOffer,
      declineOffer,
      stop,
    },
    ...{ jump, play, pause, setSpeed, advance, looked },
    link: () => linkOf(get()),
    exported: () => exportedOf(get()),
  };
}

export type Are = ReturnType<typeof createAre>;
