// The questions view's state: the published runs, this browser's own runs of the study, each question's figures and verdict made
// from both, and what runs where something is missing. A store of its own, made when the view is first opened.
import { createStore, type StoreApi } from 'zustand/vanilla';
import { caveats } from '../../../experiments/kinds/study/caveats.ts';
import { type FinishedRuns, resultOf, type StudyRun } from '../../../experiments/kinds/study/figures.ts';
import { QUESTIONS } from '../../../experiments/kinds/study/questions/index.ts';
import { h1Of } from '../../../experiments/kinds/study/report.ts';
import type { QuestionId } from '../../../experiments/kinds/study/types.ts';
import type { ExperimentSummary } from '../../../lab/protocol/experiments.ts';
import type { StoreContext } from '../../context.ts';
import { problemOf } from '../../lab-state.ts';
import { loadPublished } from './load.ts';
import { agree, finishedRun, isOfStudy, type OwnRun, ownRunsOf } from './own.ts';
import { studyKeys } from './plan.ts';
import { createPricing } from './pricing.ts';
import { createQuestionQueue } from './queue.ts';
import type { QuestionsState } from './state.ts';

export interface QuestionsPorts {
  context: StoreContext;
  /** The page's own address: the results lie below it. */
  base: string;
  startSpec: Parameters<typeof createQuestionQueue>[0]['startSpec'];
  annotate: Parameters<typeof createQuestionQueue>[0]['annotate'];
}

/** Vanilla and erase, and the controls. */
const H1_QUESTIONS: readonly QuestionId[] = ['Q2', 'Q12'];

/** Between two questions the page may answer a click. */
const breathe = () => new Promise((resolve) => setTimeout(resolve));

export function createQuestions({ context, base, startSpec, annotate }: QuestionsPorts) {
  const { store: lab, client } = context;
  const store: StoreApi<QuestionsState> = createStore<QuestionsState>(() => ({
    loading: null,
    problem: null,
    published: new Map(),
    own: new Map(),
    differing: 0,
    results: new Map(),
    first: [],
    h1: null,
    round: 0,
    missing: new Map(),
    costs: new Map(),
    queue: null,
  }));
  /** Kept experiments as they were when last read, so that none is read twice for nothing. */
  const seen = new Map<string, string>();
  /** Ids of own runs that are not what was published. */
  const differing = new Set<string>();
  /** What a reader waits for: the question asked for, then H1's. */
  let order: readonly QuestionId[] = H1_QUESTIONS;

  const all = (): FinishedRuns => {
    const { published, own } = store.getState();
    return { get: (key) => finishedRun(key, published, own) };
  };

  async function compute(): Promise<void> {
    const mine = store.getState().round + 1;
    const runs = all();
    store.setState({ round: mine });
    const isOver = () => store.getState().round !== mine;
    const left = [...QUESTIONS];
    while (left.length > 0) {
      await breathe();
      if (isOver()) return;
      const next = order.find((id) => left.some((question) => question.id === id));
      const at = left.findIndex(({ id }) => id === next);
      const [question] = left.splice(Math.max(0, at), 1);
      const result = resultOf(question, runs);
      const results = new Map(store.getState().results).set(question.id, result);
      store.setState({ results });
      if (H1_QUESTIONS.includes(question.id) && !left.some(({ id }) => H1_QUESTIONS.includes(id))) {
        await breathe();
        if (isOver()) return;
        store.setState({ h1: h1Of([...results.values()]) });
      }
    }
    // The substrate's templates are a part of the page that nothing else in this view needs.
    const { sharesOf } = await import('../../../experiments/kinds/study/template-share.ts');
    await breathe();
    const shares = isOver() ? [] : await sharesOf(runs);
    if (!isOver()) store.setState({ first: caveats(store.getState().results.values(), shares) });
  }

  async function load(): Promise<void> {
    store.setState({ loading: { done: 0, of: 0 }, problem: null });
    try {
      const found = await loadPublished(base, (done, of) => store.setState({ loading: { done, of } }));
      store.setState({ published: new Map(found?.runs.map((run) => [run.key, run])) });
    } catch (error) {
      store.setState({ problem: problemOf(error) });
    }
    store.setState({ loading: null });
    await compute();
  }

  /** Kept experiments that have changed since they were last looked at. */
  async function readOwn(): Promise<void> {
    const { connection, kept: lists } = lab.getState();
    const kept = lists.run;
    if (connection.status !== 'ready') return;
    const present = new Set(kept.map(({ id }) => id));
    const changed = kept.filter((summary) => summary.runsDone > 0 && seen.get(summary.id) !== stamp(summary));
    const gone = [...store.getState().own.values()].some(({ experimentId }) => !present.has(experimentId));
    if (changed.length === 0 && !gone) return;
    const keys = studyKeys();
    const own = new Map([...store.getState().own].filter(([, { experimentId }]) => present.has(experimentId)));
    let added = 0;
    for (const summary of changed) {
      seen.set(summary.id, stamp(summary));
      if (!isOfStudy(summary.spec, keys)) continue;
      const loaded = await client.request('kept.load', { kind: 'run', id: summary.id }).catch(() => null);
      for (const run of loaded ? ownRunsOf(loaded, keys) : []) {
        const theirs = store.getState().published.get(run.key);
        if (theirs && !(await agree(theirs, run))) {
          differing.add(run.record.id);
          continue;
        }
        own.set(run.key, better(own.get(run.key), run));
        added++;
      }
    }
    store.setState({ differing: differing.size });
    if (added === 0 && !gone) return;
    store.setState({ own });
    await compute();
  }

  let reading = load();
  /** One reading at a time, after what is published; what changed meanwhile is read after it. */
  function follow(changed?: string): void {
    if (changed !== undefined) seen.delete(changed);
    reading = reading.then(readOwn).catch((error) => context.notices.fail(error));
  }

  const queue = createQuestionQueue({
    context,
    startSpec,
    annotate,
    put: (state) => store.setState({ queue: state }),
    changed: follow,
  });

  lab.subscribe((state, before) => {
    if (state.kept.run !== before.kept.run || state.connection.status !== before.connection.status) follow();
  });
  follow();

  const { missing, price } = createPricing(context, store, all);

  return {
    store,
    reload: load,

    /** Its figures are worked out before the others’. */
    prefer(id: QuestionId): void {
      order = [id, ...H1_QUESTIONS];
    },

    price,

    async runMissing(id: QuestionId): Promise<void> {
      await queue.run(id, missing(id));
    },
    stop: queue.stop,

    /** Looked up by its record's id, for a link to one run. */
    findRun(runId: string): StudyRun | null {
      const { published, own } = store.getState();
      return [...published.values(), ...own.values()].find(({ record }) => record.id === runId) ?? null;
    },
  };
}
export type Questions = ReturnType<typeof createQuestions>;

/** Changes when a run has ended; while one is at work its experiment changes with every step. */
function stamp({ status, runsDone, updatedAt }: ExperimentSummary): string {
  return `${status} ${runsDone} ${status === 'running' ? '' : updatedAt}`;
}

/** Of two runs of the same key the one with more quarantines. */
function better(known: OwnRun | undefined, run: OwnRun): OwnRun {
  return known && known.rerouted.length > run.rerouted.length ? known : run;
}
