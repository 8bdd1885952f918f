// The state of the agents' view: a scenario, a run of it, the selected entry, and the apps' state at that entry. It is a separate store,
// created with the view and preserved when the user leaves the view. Scenarios are opened and played in workers (lab/agents): one worker
// for the open scenario, and another while a new scenario is read. Stopping a run ends its worker.

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

/** When there are more costs than this, the oldest are dropped. */
const MOST_COSTS = 1000;

/** A run from a link uses neither experts nor an MCP server. */
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
  /** The worker of the scenario on show, and the worker of a scenario that is being read. */
  let stage: Stage | null = null;
  let reading: Stage | null = null;
  /** Aborts the download of a file's apps. */
  let fetching: AbortController | null = null;
  /** Identifies the current run: it changes when a run starts or ends. */
  let running: object | null = null;
  const looking = createAppStateReader(store, async (params) => (await stage?.worker())?.look(params) ?? null);
  const { goTo, forget, ...player } = looking;
  const newStage = (source: ScenarioSource) =>
    createStage(start, { source, window: get().form.window }, { store, asker: () => asker });

  const setForm = (patch: Partial<AreForm>) => set(({ form }) => ({ form: { ...form, ...patch } }));

  /**
   * Resolves when the scenario is open, was refused, or was replaced by another. `file` is the name of the file in which a problem was
   * found.
   */
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

  /** Opens a file from the user's disk. A failure becomes a problem in the state. */
  async function openFile(file: Pick<File, 'name' | 'size' | 'text'>): Promise<void> {
    let text: string;
    try {
      // A character takes at most four bytes.
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

  /** Fetches the apps of the waiting file from the Hub, only at the user's request. */
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

  /** Plays the scenario on show, or the form's own scenario, with the form's settings. Resolves when the run has ended for any reason. */
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

  /** Plays the next scenarios of the form's split one after another, until stopped or until one of them cannot be played. */
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

  /** Replaces one of the agent's calls. The agent continues from there, and edits of later calls are dropped. */
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

  /** The server that is set in the form. A run from a link has no server. */
  const serverOf = (agent: PlayerName) => (agent === 'react-endpoint' ? get().form.server : null);

  /**
   * @param server null if this tab has no server for the run, as for a link
   * @param from act of the agent that is selected after the run; null selects the last entry
   */
  async function perform(recipe: Recipe, server: ServerSettings | null, from: number | null = null): Promise<void> {
    const { speed } = get();
    stop();
    forget();
    const [own, on] = [{}, stage];
    if (!on) return;
    running = own;
    // Text that was written before the edit is kept, since the model does not write it again.
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

  /** Shows the contents of a link without playing it. Ignores addresses of other views. */
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
    // A link must not make the page call one of the user's servers.
    await perform({ agent, seed: agentSeed, noise, window, maxSteps, temperature, edits, known, ...ALONE }, null);
  }

  /** Stops reading or playing, whatever the worker is doing. The run's entries stay on show. */
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
    /** Ends a run that uses a model, since a view that is not shown must not occupy the model. */
    leave(): void {
      if (hasModel(get().form.agent)) stop();
    },
    /** Sets the asker that answers for agents with a model. */
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
    /** Sets the files of the ONNX model, for the agent that plays by one. */
    chooseOnnx(files: readonly File[]): void {
      asker?.chooseOnnx(files.map((file) => ({ name: file.name, file })));
      setForm({ onnx: files.map(({ name }) => name) });
    },
    link: async () => linkOf(get(), (await stage?.worker()) ?? null),
    exported: async () => (get().played && (await (await stage?.worker())?.exported(null))) ?? null,
    /** The scenario on show, as the text of a file. */
    trace: async () => (await (await stage?.worker())?.trace({ most: BOUNDS.text })) ?? null,
    /** Checks a scenario that is being edited. Rejects with a description of the error. */
    check: async (trace: Trace) => (await (stage as Stage).worker()).check({ trace }),
    /** Why a tool of the run on show would refuse this call, or null if it would accept it. */
    refusal: async (call: CallText) => (await (await stage?.worker())?.refusal({ call })) ?? null,
  };
}

export type Are = ReturnType<typeof createAre>;
