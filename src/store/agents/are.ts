// The state of the agents' view: a scenario, a run of it, the moment that is looked at, and the apps at that moment. It is a store of its
// own, made with the view and kept when the view is left. Scenarios are opened and played in a worker (lab/agents): one for the open
// scenario, another for one that is being read; stopping ends the worker.

import { BOUNDS, type Trace } from '@projected-grpo-lab/are/scenario/schema.ts';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { createStore } from 'zustand/vanilla';
import { AppsMissing, type StartAgents } from '../../lab/agents/client.ts';
import { actionOf } from '../../lab/agents/edits.ts';
import {
  type CallEdit,
  type CallText,
  canUseTools,
  hasModel,
  type PlayerName,
  type Recipe,
  type ScenarioSource,
} from '../../lab/protocol/agents.ts';
import { problemOf } from '../lab-state.ts';
import { createAppStateReader } from './app-state-reader.ts';
import type { Asker } from './asker.ts';
import { costOf } from './budget.ts';
import { isAlone, linkOf, readAreHash } from './link.ts';
import { offerOf } from './offer.ts';
import type { ServerSettings } from './server.ts';
import { createStage, type Stage } from './stage.ts';
import { type AreForm, type AreState, type AreStore, FIRST_FORM, NO_RUN } from './state.ts';

/** Costs of older runs are dropped. */
const MOST_COSTS = 1000;

/** No experts and no MCP server: runs of links have neither. */
const ALONE = { a2a: 0, mcp: null } as const;

/** @param start starts a worker */
export function createAre(start: StartAgents) {
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
  /** Workers of the scenario on show, and of one that is being read. */
  let stage: Stage | null = null;
  let reading: Stage | null = null;
  /** Download of a file's apps. */
  let fetching: AbortController | null = null;
  /** Changes with each run that starts or ends. */
  let running: object | null = null;
  const looking = createAppStateReader(store, async (params) => (await stage?.worker())?.look(params) ?? null);
  const { goTo, forget, ...player } = looking;
  const newStage = (source: ScenarioSource) =>
    createStage(start, { source, window: get().form.window }, { store, asker: () => asker });

  const setForm = (patch: Partial<AreForm>) => set(({ form }) => ({ form: { ...form, ...patch } }));

  /** Settles when it is open, refused or replaced by another. `file`: name of the file with a problem. */
  async function load(source: ScenarioSource, file: string | null = null): Promise<void> {
    stop();
    const own = newStage(source);
    reading = own;
    set({ isReading: true, offer: null, missing: null });
    try {
      const scenario = await own.opened();
      if (reading !== own) return;
      stage?.close();
      stage = own;
      forget();
      set({ ...NO_RUN, scenario, problem: null });
    } catch (error) {
      own.close();
      if (reading !== own) return;
      const problem = problemOf(error);
      if (error instanceof AppsMissing) set({ missing: { source, apps: error.missing, name: file ?? 'a link' } });
      set({ problem: file === null ? problem : { ...problem, message: `${file}: ${problem.message}` } });
    } finally {
      if (reading === own) {
        reading = null;
        set({ isReading: false });
      }
    }
  }

  function generate(): Promise<void> {
    const { split, seed, index, isSmall, part } = get().form;
    return load({ kind: 'generated', which: { split, seed, index, isSmall, part } });
  }

  const open = (text: string, name: string): Promise<void> => load({ kind: 'file', text, name }, name);

  /** Opens a file of the reader's disk; a failure becomes a problem. */
  async function openFile(file: Pick<File, 'name' | 'size' | 'text'>): Promise<void> {
    let text: string;
    try {
      // A character has four bytes at most.
      if (file.size > 4 * BOUNDS.text)
        throw new RangeError(`it has ${file.size} bytes; at most ${4 * BOUNDS.text} are allowed`);
      text = await file.text();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return set({
        problem: problemOf(new FormatError(`${file.name} cannot be read: ${why}.`, 'Choose another file.')),
      });
    }
    await open(text, file.name);
  }

  /** Fetches the apps of the waiting file from the Hub; only when a person asks for it. */
  async function fetchApps(): Promise<void> {
    const { missing } = get();
    if (!missing || !asker) return;
    const { source, apps, name } = missing;
    stop();
    const own = new AbortController();
    fetching = own;
    set({ isReading: true, problem: null });
    try {
      const { data } = await asker.row(apps, own.signal);
      if (fetching !== own) return;
      fetching = null;
      await load({ ...source, apps: data }, name);
    } catch (error) {
      if (fetching !== own) return;
      fetching = null;
      set({ problem: problemOf(error), isReading: false });
    }
  }

  /** Also aborts the download. */
  function declineApps(): void {
    stop();
    set({ missing: null, problem: null });
  }

  /** Opens a scenario that was edited here. */
  const take = (trace: Trace): Promise<void> => load({ kind: 'trace', trace, name: 'edited here' });

  /** Plays the scenario on show by the form, or the form's own. Settles when the run has ended, however it ended. */
  async function run(): Promise<void> {
    if (!get().scenario) await generate();
    const { scenario, form } = get();
    if (!scenario) return;
    const { agent, agentSeed: seed, window, maxSteps, noise, temperature, a2a } = form;
    const mcp = canUseTools(agent) ? form.mcp.trim() || null : null;
    await perform(
      { agent, seed, noise, window, maxSteps, temperature, a2a, mcp, edits: [], known: null },
      serverOf(agent),
    );
  }

  /** Plays the next scenarios of the form's split one after another, until stopped or until one cannot be played. */
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

  /** Replaces a call of the agent's; the agent goes on from there. Edits of later calls are dropped. */
  async function amend(edit: CallEdit): Promise<void> {
    const { played } = get();
    if (!played) return;
    const { recipe, acts } = played;
    const { at, ...call } = edit;
    try {
      actionOf(call);
    } catch (error) {
      return set({ problem: problemOf(error) });
    }
    const edits = [...recipe.edits.filter((one) => one.at < at), edit];
    const known = hasModel(recipe.agent) ? { acts: [...acts.slice(0, at), call], goesOn: true } : null;
    await perform({ ...recipe, edits, known }, serverOf(recipe.agent), at);
  }

  /** Plays the run again without any edit. */
  async function removeEdits(): Promise<void> {
    const { played } = get();
    if (!played) return;
    const { recipe } = played;
    await perform({ ...recipe, edits: [], known: null }, serverOf(recipe.agent));
  }

  /** The form's current server: a run from a link has none. */
  const serverOf = (agent: PlayerName) => (agent === 'react-endpoint' ? get().form.server : null);

  /**
   * @param server null where this tab named no server, as for a link
   * @param from the agent's act to look at then; without it the last entry
   */
  async function perform(recipe: Recipe, server: ServerSettings | null, from: number | null = null): Promise<void> {
    const { speed } = get();
    stop();
    forget();
    const [own, on] = [{}, stage];
    if (!on) return;
    running = own;
    // Text from before the edit is not written again.
    const before = get().written;
    const kept = from === null ? [] : [...before].filter(([act]) => act < from);
    set({ ...NO_RUN, status: 'running', problem: null, written: new Map(kept) });
    try {
      const played = await on.play(recipe, server);
      if (running !== own) return;
      running = null;
      if (recipe.edits.length === 0 && recipe.known === null && recipe.noise === 'none' && isAlone(recipe))
        set(({ costs }) => ({ costs: [...costs, costOf(played)].slice(-MOST_COSTS) }));
      set({ status: 'done', played, isPlaying: speed !== null });
      const { entries } = get();
      const edited = from === null ? -1 : entries.findIndex((entry) => entry.kind === 'call' && entry.act === from);
      goTo(edited >= 0 ? edited : speed === null ? entries.length - 1 : 0);
    } catch (error) {
      if (running !== own) return;
      running = null;
      set({ status: 'stopped', problem: problemOf(error) });
    }
  }

  /** Shows what a link brings without playing it; ignores addresses of other views. */
  async function openLink(address: string): Promise<void> {
    try {
      const found = await readAreHash(address);
      if (found) set({ offer: offerOf(found), problem: null });
    } catch (error) {
      set({ problem: problemOf(error) });
    }
  }

  const declineOffer = () => set({ offer: null });

  /** Opens and plays the run of the link on show. */
  async function acceptOffer(): Promise<void> {
    const { offer } = get();
    if (!offer) return;
    const { scenario: which, agent, seed: agentSeed, noise, window, maxSteps, edits, acts } = offer.link;
    set(({ form }) => ({
      form: { ...form, ...('generated' in which ? which.generated : {}), agent, agentSeed, noise, window, maxSteps },
    }));
    await load(
      'generated' in which
        ? { kind: 'generated', which: which.generated }
        : { kind: 'trace', trace: which.trace, name: which.name },
    );
    const { scenario, problem, form } = get();
    if (!scenario || problem) return;
    const known = acts && { acts, goesOn: false };
    const { temperature } = form;
    // A link must not make the page call a server of the reader's.
    await perform({ agent, seed: agentSeed, noise, window, maxSteps, temperature, edits, known, ...ALONE }, null);
  }

  /** Ends what is being read or played, whatever the worker does; entries of the run stay on show. */
  function stop(): void {
    if (reading || fetching) {
      reading?.close();
      fetching?.abort();
      reading = null;
      fetching = null;
      set({ isReading: false });
    }
    if (!running) return;
    running = null;
    stage?.end();
    set({ status: 'stopped' });
  }

  return {
    store,
    /** Ends a run with a model: a view that was left must not hold the model. */
    leave(): void {
      if (hasModel(get().form.agent)) stop();
    },
    /** Sets what answers for agents with a model. */
    askOf(given: Asker | null): void {
      asker = given;
    },
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
    removeEdits,
    openLink,
    acceptOffer,
    declineOffer,
    stop,
    ...player,
    /** Sets the model files of the agent that plays by an ONNX file. */
    chooseOnnx(files: readonly File[]): void {
      asker?.chooseOnnx(files.map((file) => ({ name: file.name, file })));
      setForm({ onnx: files.map(({ name }) => name) });
    },
    link: async () => linkOf(get(), (await stage?.worker()) ?? null),
    exported: async () => (get().played && (await (await stage?.worker())?.exported(null))) ?? null,
    /** The scenario on show as text of a file. */
    trace: async () => (await (await stage?.worker())?.trace({ most: BOUNDS.text })) ?? null,
    /** Checks a scenario that is being edited. Rejects with what is wrong. */
    check: async (trace: Trace) => (await (stage as Stage).worker()).check({ trace }),
    /** Why a tool of the run on show would refuse this call; null if it would accept it. */
    refusal: async (call: CallText) => (await (await stage?.worker())?.refusal({ call })) ?? null,
  };
}

export type Are = ReturnType<typeof createAre>;
