// Tries another basis on a run's stored optimizer steps: the choice that sliders change, how the worker splits the steps by it, and the
// evaluations of the model that it would deploy. Moving a slider replaces the request in progress. A useful choice becomes a row of the
// table, for all seeds of the arm. It is a separate store, since only that part of the page reads it.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ContrastivePair } from '../../environments/code/pairs.ts';
import type { ControlSpec } from '../../experiments/config/controls.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import type { TrialPoint, TrialReport } from '../../experiments/kinds/run/basis-trial.ts';
import { canTryBases, ownChoice, type TrialChoice } from '../../experiments/kinds/run/own-choice.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import type { TrialSource } from '../../lab/protocol/trials.ts';
import type { StoreContext } from '../context.ts';
import { type ExperimentView, refreshedView } from '../experiment-view.ts';
import { type Problem, problemOf, unlessCancelled } from '../lab-state.ts';
import { createWorkerTask } from '../worker-task.ts';

/** A run with stored optimizer steps, as the page knows it. */
export interface TrialRun {
  /** Two objects with the same id describe the same run. */
  id: string;
  spec: RunSpec;
  /** Its experiment, to which a row is added; null for a published run. */
  experimentId: string | null;
  /** Called once, when the first choice is made. */
  source(): Promise<TrialSource>;
}

interface TrialState {
  run: TrialRun | null;
  choice: TrialChoice | null;
  /** The split of the steps by the run's own basis and by the chosen one; null until the worker has answered. */
  own: TrialReport | null;
  report: TrialReport | null;
  /** Pairs of the chosen set, in the order of the choice's indices; null until they are loaded. */
  pairs: readonly ContrastivePair[] | null;
  /** Evaluations of the shown report's models, in the order of arrival. */
  points: readonly TrialPoint[];
  doing: { what: string; isEvaluating: boolean } | null;
  /** Milliseconds that the last split took. */
  tookMs: number | null;
  /** A row that is being made for the table, and the last one that was made. */
  work: { task: string; what: string; fraction: number } | null;
  made: string | null;
  problem: Problem | null;
}

/** Milliseconds without a change before the models are evaluated. While a slider moves, only the split is requested. */
const REST_MS = 150;

/** Runs that have ended and have stored steps on which a basis can be tried. */
export const trialRuns = ({ runs }: Pick<ExperimentView, 'runs'>): RunRecord[] =>
  runs.filter(({ spec, status }) => status === 'done' && canTryBases(spec));

/** The selected pairs, with their rewritten versions if there are any. */
export const chosenPairs = (pairs: readonly ContrastivePair[], { off, edited }: TrialChoice): ContrastivePair[] =>
  pairs.map((pair, i) => edited.find(({ index }) => index === i)?.pair ?? pair).filter((_, i) => !off.includes(i));

/** The choice as a control, named by its differences from the run's own basis: `k 12, no gate, placebo`. */
export function controlOf(choice: TrialChoice, spec: RunSpec, ownPairs: { id: string; count: number } | null = null) {
  const { kind, gate, k } = choice;
  const changed: Partial<RunSpec> = {};
  const isMatched = kind === 'random_matched';
  if (ownPairs)
    Object.assign(changed, { pairSet: ownPairs.id, pairs: ownPairs.count, nHeldout: 0, pairModes: [] } as const);
  else if (choice.pairSet !== spec.pairSet && !isMatched) changed.pairSet = choice.pairSet;
  if (choice.basisKind !== spec.basisKind && !isMatched) changed.basisKind = choice.basisKind;
  if (choice.basisLoss !== spec.basisLoss && !isMatched) changed.basisLoss = choice.basisLoss;
  if (choice.dropBottomFrac !== spec.dropBottomFrac && !isMatched) changed.dropBottomFrac = choice.dropBottomFrac;
  if (choice.overshoot !== spec.overshoot) changed.overshoot = choice.overshoot;
  // The trial used the untrained model's basis for all steps.
  if (spec.refreshEvery > 0 && !isMatched) changed.refreshEvery = 0;
  const words = [
    kind === 'real' ? [] : kind.replace('_', ' '),
    // The id of a user's own set is a long hash.
    changed.pairSet ? changed.pairSet.replace(/^pairs:(.{6}).*$/, 'pairs $1') : [],
    changed.basisKind ? changed.basisKind.replace('_', ' ') : [],
    changed.basisLoss ? `${changed.basisLoss} gradients` : [],
    isMatched || choice.basisKind === 'mean_diff' ? [] : `k ${k}`,
    changed.dropBottomFrac === undefined ? [] : `floor ${changed.dropBottomFrac}`,
    gate === 'one_sided' ? [] : gate.replace('_', ' '),
    changed.overshoot === undefined ? [] : `overshoot ${changed.overshoot}`,
  ].flat();
  const control: ControlSpec = { id: words.join(', ') || 'the same basis', kind, gate, k, mode: null };
  return Object.keys(changed).length > 0 ? { ...control, settings: changed } : control;
}

export function createBasisTrial(context: StoreContext, now: () => number = () => performance.now()) {
  const { store: lab, client } = context;
  const nothing = { own: null, report: null, pairs: null, points: [], doing: null, tookMs: null } as const;
  const store: StoreApi<TrialState> = createStore<TrialState>(() => ({
    ...nothing,
    run: null,
    choice: null,
    work: null,
    made: null,
    problem: null,
  }));
  const keeping = createWorkerTask(context, 'replaySteps', store);
  /** Increases with every change, so that an answer to an earlier choice can be dropped. */
  let newest = 0;
  let isSplitting = false;
  let count = 0;
  let source: { of: TrialRun; loading: Promise<TrialSource> } | null = null;
  const sourceOf = (run: TrialRun) => {
    if (source?.of.id !== run.id) source = { of: run, loading: run.source() };
    return source.loading;
  };

  client.subscribe((event) => {
    if (event.type !== 'trial' || event.task !== `trial-${count}`) return;
    const { what, point } = event;
    store.setState(({ points, doing }) => ({
      points: point ? [...points, point] : points,
      doing: doing && { ...doing, what },
    }));
  });

  async function asked<T>(name: 'tryBasis' | 'evaluateTrial' | 'trialPairs', run: TrialRun, choice: TrialChoice) {
    const from = await sourceOf(run);
    return client.request(name, { task: `trial-${++count}`, source: from, choice }) as Promise<T>;
  }

  /** Splits until the newest choice is shown, then evaluates it. */
  async function follow(): Promise<void> {
    if (isSplitting) return;
    isSplitting = true;
    try {
      for (let at = -1; at !== newest; ) {
        at = newest;
        const { run, choice } = store.getState();
        if (run && choice) await split(run, choice, at);
      }
    } finally {
      isSplitting = false;
    }
    const at = newest;
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
    if (at === newest && store.getState().report) await evaluate(at);
  }

  async function split(run: TrialRun, choice: TrialChoice, at: number): Promise<void> {
    /** Another run may be on show by the time an answer arrives. */
    const put = (changes: Partial<TrialState>) =>
      store.setState(({ run: shown }) => (shown?.id === run.id ? changes : {}));
    try {
      if (store.getState().own === null) {
        put({ doing: { what: 'opening the kept steps', isEvaluating: false } });
        const own = ownChoice(run.spec);
        const report = await asked<TrialReport>('tryBasis', run, own);
        const pairs = await asked<ContrastivePair[]>('trialPairs', run, own);
        put({ own: report, pairs: choice.pairSet === own.pairSet ? pairs : null });
      }
      put({ doing: { what: 'splitting', isEvaluating: false } });
      if (store.getState().pairs === null) {
        const pairs = await asked<ContrastivePair[]>('trialPairs', run, choice);
        if (store.getState().choice?.pairSet === choice.pairSet) put({ pairs });
      }
      const begun = now();
      const report = await asked<TrialReport>('tryBasis', run, choice);
      put({ report, points: [], tookMs: now() - begun, problem: null });
    } catch (error) {
      if (at === newest) put({ problem: problemOf(error), report: null, points: [] });
    } finally {
      if (at === newest) put({ doing: null });
    }
  }

  async function evaluate(at: number): Promise<void> {
    const { run, choice } = store.getState();
    if (!run || !choice) return;
    store.setState({ points: [], doing: { what: 'evaluating', isEvaluating: true } });
    try {
      await asked<null>('evaluateTrial', run, choice);
    } catch (error) {
      if (at === newest && !(error instanceof StoppedError)) store.setState({ problem: problemOf(error) });
    } finally {
      if (at === newest) store.setState({ doing: null });
    }
  }

  function set(choice: TrialChoice): Promise<void> {
    newest += 1;
    store.setState({ choice, problem: null, made: null });
    return follow();
  }

  return {
    store,
    /** Shows a run's own choice, without a request to the worker. */
    show(run: TrialRun): void {
      if (store.getState().run?.id === run.id) return;
      newest += 1;
      store.setState({ ...nothing, run, choice: ownChoice(run.spec), made: null, problem: null });
    },
    /** Opens the kept steps, and splits and evaluates as they are chosen. */
    start: () => set(store.getState().choice!),
    change(changes: Partial<TrialChoice>): Promise<void> {
      const before = store.getState().choice!;
      const isOtherSet = changes.pairSet !== undefined && changes.pairSet !== before.pairSet;
      if (isOtherSet) store.setState({ pairs: null });
      return set({ ...before, ...(isOtherSet && { off: [], edited: [] }), ...changes });
    },
    /** Returns to the run's own choice. */
    reset(): Promise<void> {
      const own = ownChoice(store.getState().run!.spec);
      return this.change(own);
    },
    /** Stops the evaluation. */
    stop: () => client.request('stopTask', { task: `trial-${count}` }),
    /** Adds the choice to the table as a row, for every finished run of the arm. */
    async keep(): Promise<void> {
      const { run, choice, pairs } = store.getState();
      if (!run?.experimentId || !choice) return;
      const { experimentId, spec } = run;
      const ask = async (task: string) => {
        store.setState({ problem: null, made: null });
        const isOwnSet = choice.off.length + choice.edited.length > 0 && pairs !== null;
        const own = isOwnSet ? await savedPairs(chosenPairs(pairs, choice)) : null;
        const control = controlOf(choice, spec, own);
        const answer = await client.request('replaySteps', { task, experimentId, arm: spec.arm, shadow: control });
        lab.setState(({ opened, live }) => ({
          opened: refreshedView(opened, answer),
          live: refreshedView(live, answer),
        }));
        store.setState({ made: control.id });
      };
      await keeping.run({ what: 'starting', fraction: 0 }, ask, (error) =>
        store.setState({ problem: unlessCancelled(error) }),
      );
    },
    cancelKeeping: () => keeping.stop(),
  };

  /** The row's record names its pairs, so they are stored as a set. */
  async function savedPairs(pairs: ContrastivePair[]) {
    const name = `${pairs.length} pairs tried on a run`;
    const { id } = await client.request('savePairs', { name, pairs, replaces: null });
    lab.setState({ pairSets: await client.request('listPairSets') });
    return { id, count: pairs.length };
  }
}
