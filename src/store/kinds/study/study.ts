// The questions view's state: each question as it was published, the rows of those that are opened, this browser's own runs
// of the study, from which the sheets that they belong to are made anew, and what runs where something is missing. A store of its
// own, made when the view is first opened.
import { createStore, type StoreApi } from 'zustand/vanilla';
import { caveats } from '../../../../research/series/study/caveats.ts';
import { QUESTIONS } from '../../../../research/series/study/questions/index.ts';
import { h1Of, provenance } from '../../../../research/series/study/report.ts';
import { type QuestionResult, resultOf } from '../../../../research/series/study/results.ts';
import { shownH1, shownOf } from '../../../../research/series/study/shown.ts';
import type { QuestionId, StudyQuestion } from '../../../../research/series/study/types.ts';
import type { FinishedRun, FinishedRuns } from '../../../experiments/runs/finished.ts';
import type { ShownQuestion } from '../../../findings/sheet.ts';
import type { ExperimentSummary } from '../../../lab/protocol/experiments.ts';
import { turn } from '../../../lib/turn.ts';
import type { StoreContext } from '../../context.ts';
import { problemOf } from '../../lab-state.ts';
import { curvesOf } from './curves.ts';
import { openPublished, type Published } from './load.ts';
import { studyKeys } from './missing.ts';
import { agree, finishedRun, isOfStudy, madeHere, type OwnRun, ownRunsOf } from './own.ts';
import { createPricing } from './pricing.ts';
import { createQuestionQueue } from './queue.ts';
import type { QuestionsState } from './state.ts';

export interface QuestionsPorts {
  context: StoreContext;
  /** The page's own address: the results are below it. */
  base: string;
  startSpec: Parameters<typeof createQuestionQueue>[0]['startSpec'];
  annotate: Parameters<typeof createQuestionQueue>[0]['annotate'];
}

/** Vanilla and erase, and the controls. */
const H1_QUESTIONS: readonly QuestionId[] = ['Q2', 'Q12'];

export function createQuestions({ context, base, startSpec, annotate }: QuestionsPorts) {
  const { store: lab, client } = context;
  const store: StoreApi<QuestionsState> = createStore<QuestionsState>(() => ({
    loading: null,
    problem: null,
    origin: null,
    open: new Set(),
    published: new Map(),
    own: new Map(),
    added: 0,
    differing: 0,
    results: new Map(),
    first: [],
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
  let found: Published | null = null;
  /** Counts computations: a later one takes the place of the one under way. */
  let computing = 0;
  /** Row files that are here or on their way. */
  const files = new Map<string, Promise<void>>();

  const all = (): FinishedRuns => {
    const { published, own } = store.getState();
    return { get: (key) => finishedRun(key, published, own) };
  };

  function fetchRows(name: string): Promise<void> {
    const known = files.get(name);
    if (known || !found) return known ?? Promise.resolve();
    const coming = found.rows(name).then((runs) => {
      const published = new Map(store.getState().published);
      for (const run of runs) published.set(run.key, run);
      store.setState({ published });
    });
    files.set(name, coming);
    // What did not come may be asked for again.
    coming.catch(() => files.delete(name));
    return coming;
  }

  const filesOf = (id: QuestionId): string[] => [...(store.getState().results.get(id)?.files ?? [])];
  /** In the place of those of the same ids. */
  function put(shown: readonly ShownQuestion[]): void {
    store.setState(({ results }) => {
      // Of the published rows, as they were published.
      const own = shown.map((question) => {
        const age = question.age ?? results.get(question.id)?.age;
        return [question.id, age ? { ...question, age } : question] as const;
      });
      return { results: new Map([...results, ...own]) };
    });
  }

  /** The rows behind a question; each file is fetched once. */
  async function openRows(id: QuestionId): Promise<void> {
    await ready;
    const names = found?.sheet ? filesOf(id) : [];
    await Promise.all(names.map(fetchRows));
    store.setState(({ open, round }) => (open.has(id) ? {} : { open: new Set(open).add(id), round: round + 1 }));
  }

  /** From the rows, which must be here. */
  function judge(id: QuestionId, runs: FinishedRuns): QuestionResult {
    const result = resultOf(QUESTIONS.find((question) => question.id === id) as StudyQuestion, runs);
    const { published, own } = store.getState();
    const here = new Map<string, number>();
    if (own.size > 0)
      for (const [cell, figures] of result.figures) {
        const count = madeHere(figures, published, own);
        if (count > 0) here.set(cell, count);
      }
    put(shownOf(result, { here, files: filesOf }));
    return result;
  }

  /** These questions, in the order in which a reader waits for them; null where runs have come or gone meanwhile. */
  async function compute(asked: readonly QuestionId[]): Promise<Map<QuestionId, QuestionResult> | null> {
    const mine = ++computing;
    store.setState(({ round }) => ({ round: round + 1 }));
    const [runs, made] = [all(), new Map<QuestionId, QuestionResult>()];
    const isOver = () => computing !== mine;
    const left = [...asked];
    while (left.length > 0) {
      await turn();
      if (isOver()) return null;
      const at = Math.max(0, left.indexOf(order.find((id) => left.includes(id)) ?? left[0]));
      const [id] = left.splice(at, 1);
      made.set(id, judge(id, runs));
      if (H1_QUESTIONS.includes(id) && H1_QUESTIONS.every((one) => made.has(one))) {
        await turn();
        if (isOver()) return null;
        put([shownH1(h1Of([...made.values()]), { files: filesOf })]);
      }
    }
    return made;
  }

  /** Where no sheets are published with the rows (a study that somebody has just packed), or no rows either. */
  async function computeAll(): Promise<void> {
    const made = await compute(QUESTIONS.map(({ id }) => id));
    if (!made) return;
    // The substrate's templates are a part of the page that nothing else in this view needs.
    const { sharesOf } = await import('../../../../research/series/study/template-share.ts');
    await turn();
    const mine = computing;
    const shares = await sharesOf(all());
    if (computing === mine) store.setState({ first: caveats(made.values(), shares) });
  }

  async function readAll({ index }: Published): Promise<void> {
    const of = index.files.length;
    for (const [done, { name }] of index.files.entries()) {
      store.setState({ loading: { done, of } });
      await fetchRows(name);
    }
    const runs = [...store.getState().published.values()];
    const seconds = runs.reduce((sum, run) => sum + run.seconds, 0);
    store.setState({ origin: { about: provenance(runs), runs: runs.length, seconds } });
  }

  async function load(): Promise<void> {
    store.setState({ loading: { done: 0, of: 0 }, problem: null });
    try {
      found = await openPublished(base);
      if (found?.sheet) {
        const { origin = null, first = [], questions } = found.sheet;
        store.setState({ origin, first });
        put(questions);
      } else if (found) await readAll(found);
      else store.setState({ origin: { about: [], runs: 0, seconds: 0 } });
    } catch (error) {
      store.setState({ problem: problemOf(error) });
    }
    store.setState({ loading: null });
    if (found?.sheet) return;
    store.setState({ open: new Set(QUESTIONS.map(({ id }) => id)) });
    await computeAll();
  }

  /** Kept experiments that have changed since they were last looked at. */
  async function readOwn(): Promise<void> {
    const { connection, kept: lists } = lab.getState();
    const kept = lists.run;
    if (connection.status !== 'ready') return;
    const present = new Set(kept.map(({ id }) => id));
    const changed = kept.filter((summary) => summary.runsDone > 0 && seen.get(summary.id) !== stamp(summary));
    const gone = [...store.getState().own.values()].filter(({ experimentId }) => !present.has(experimentId));
    if (changed.length === 0 && gone.length === 0) return;
    const asking = await studyKeys();
    const own = new Map([...store.getState().own].filter(([, { experimentId }]) => present.has(experimentId)));
    const touched = new Set<QuestionId>(gone.flatMap(({ key }) => [...(asking.get(key) ?? [])]));
    for (const summary of changed) {
      seen.set(summary.id, stamp(summary));
      if (!isOfStudy(summary.spec, asking)) continue;
      const loaded = await client.request('kept.load', { kind: 'run', id: summary.id }).catch(() => null);
      for (const run of loaded ? ownRunsOf(loaded, asking) : []) {
        const questions = [...(asking.get(run.key) ?? [])];
        // Whether it is what was published, the published rows say.
        await Promise.all(questions.map(openRows));
        const theirs = store.getState().published.get(run.key);
        if (theirs && !(await agree(theirs, run))) {
          differing.add(run.record.id);
          continue;
        }
        own.set(run.key, better(own.get(run.key), run));
        // One that says the same as a published one changes no figure.
        if (!theirs || run.rerouted.length > 0) for (const id of questions) touched.add(id);
      }
    }
    const { published } = store.getState();
    const added = [...own.keys()].filter((key) => !published.has(key)).length;
    store.setState({ own, added, differing: differing.size });
    if (touched.size === 0) return;
    if (!found?.sheet) return computeAll();
    // H1's card is made from both its questions. What to ask first stays of the published runs.
    if (H1_QUESTIONS.some((id) => touched.has(id))) for (const id of H1_QUESTIONS) touched.add(id);
    await Promise.all([...touched].map(openRows));
    await compute([...touched]);
  }

  const ready = load();
  let reading = ready;
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

    /** Its rows are wanted: its runs, curves, and what is missing. */
    async open(id: QuestionId): Promise<void> {
      await openRows(id).catch((error) => store.setState({ problem: problemOf(error) }));
    },

    /** Its figures are worked out before the others’. */
    prefer(id: QuestionId): void {
      order = [id, ...H1_QUESTIONS];
    },

    price,

    /** Of the runs that are here. */
    curves: (id: QuestionId, measure: 'hack' | 'solve') => curvesOf(id, all(), measure),

    async runMissing(id: QuestionId): Promise<void> {
      await queue.run(id, missing(id));
    },
    stop: queue.stop,

    /** Looked up by its record's id, for a link to one run. */
    findRun(runId: string): FinishedRun | null {
      const { published, own } = store.getState();
      return [...published.values(), ...own.values()].find(({ record }) => record.id === runId) ?? null;
    },
  };
}

/** Changes when a run has ended; while one is at work its experiment changes with every step. */
function stamp({ status, runsDone, updatedAt }: ExperimentSummary): string {
  return `${status} ${runsDone} ${status === 'running' ? '' : updatedAt}`;
}

/** Of two runs of the same key the one with more quarantines. */
function better(known: OwnRun | undefined, run: OwnRun): OwnRun {
  return known && known.rerouted.length > run.rerouted.length ? known : run;
}
