// Sweeps on the page: the form, the runs of one sweep as experiments of this lab, and their results. Each experiment's id is derived from
// its run key, so that an earlier run is found again, and a run of another tab is left to that tab. This file is loaded separately, since
// most visits do not need it. Work continues after the user leaves the view.

import { createStore, type StoreApi } from 'zustand/vanilla';
import { experimentOf } from '../../experiments/config/experiment-of.ts';
import { runIdOf } from '../../experiments/config/run-spec.ts';
import type { ExperimentSpec } from '../../experiments/config/spec.ts';
import { execute } from '../../experiments/parallel/execute.ts';
import type { RunRecord, RunStatus } from '../../experiments/records/events.ts';
import type { PlannedRun } from '../../experiments/runs/finished.ts';
import { studyId } from '../../experiments/runs/runner.ts';
import { runsToMake, type SweepPlan, scoreOfRun } from '../../experiments/sweep/plan.ts';
import { reportOf, type SweepReport } from '../../experiments/sweep/report.ts';
import { readSweepText, SweepError, type SweepSpec } from '../../experiments/sweep/spec.ts';
import type { Annotation, ExperimentSummary } from '../../lab/protocol/experiments.ts';
import type { StoreContext } from '../context.ts';
import { newView, viewOfRecord } from '../experiment-view.ts';
import { type Problem, problemOf } from '../lab-state.ts';
import { hasEnded } from '../queue.ts';
import { createBegin } from '../runs/begin.ts';
import { checkSweepDraft, draftOf, FIRST_DRAFT, type SweepDraft } from './draft.ts';
import { configurationWords } from './words.ts';

/** Number of failures in this tab after which a run is skipped, since there is only one worker here. */
const MOST_FAILURES = 3;
/** Milliseconds between checks of runs that another tab has locked. */
const LOOK_MS = 1000;

export interface SweepRun extends PlannedRun {
  experimentId: string;
  runId: string;
  label: string;
  seed: number;
  of: number;
  step: number;
  status: RunStatus | 'set apart' | 'elsewhere';
  failures: string[];
  /** Seconds of training in this tab. */
  seconds: number;
}

export interface SweepWork {
  plan: SweepPlan;
  /** All runs that may be made at this stage, in the plan's order. */
  runs: readonly SweepRun[];
  isAtWork: boolean;
  /** Number of runs finished in this tab, and their duration in seconds. */
  made: number;
  seconds: number;
  report: SweepReport | null;
}

export interface SweepsState {
  draft: SweepDraft;
  check: ReturnType<typeof checkSweepDraft>;
  work: SweepWork | null;
  problem: Problem | null;
}

interface Others {
  annotate(id: string, changes: Annotation): Promise<boolean>;
  /** Shows the live experiment and its rollouts. */
  showLive(): Promise<void>;
}

export function createSweeps(context: StoreContext, { annotate, showLive }: Others) {
  const { client, store: lab } = context;
  const begin = createBegin(context);
  const store: StoreApi<SweepsState> = createStore<SweepsState>(() => ({
    draft: FIRST_DRAFT,
    check: checkSweepDraft(FIRST_DRAFT),
    work: null,
    problem: null,
  }));
  const records = new Map<string, RunRecord>();
  /** Functions that resolve the promises waiting for an experiment's end, by its id. */
  const waiting = new Map<string, (summary: ExperimentSummary) => void>();
  let isStopped = false;

  client.subscribe((event) => {
    if (event.type === 'lab' && event.event.type === 'step')
      update(event.experimentId, { status: 'running', step: event.event.row.step });
    if (event.type === 'experiment' && hasEnded(event.summary.status)) waiting.get(event.summary.id)?.(event.summary);
  });

  const setWork = (changes: Partial<SweepWork>) =>
    store.setState(({ work }) => ({ work: work && { ...work, ...changes } }));

  function update(experimentId: string, changes: Partial<SweepRun>): void {
    const { work } = store.getState();
    if (!work?.runs.some((run) => run.experimentId === experimentId)) return;
    setWork({ runs: work.runs.map((run) => (run.experimentId === experimentId ? { ...run, ...changes } : run)) });
  }

  /** Runs that may start now, with the results known so far. */
  async function look(plan: SweepPlan): Promise<SweepRun[]> {
    const before = new Map(store.getState().work?.runs.map((run) => [run.key, run]));
    const known = records.size;
    const scores = new Map([...records].map(([key, record]) => [key, scoreOfRun(record, plan.metric)]));
    const apart = new Set([...before.values()].filter(({ status }) => status === 'set apart').map(({ key }) => key));
    const labels = new Map(
      plan.configurations.flatMap(({ values, rungs }) =>
        rungs.flat().map(({ key }) => [key, configurationWords(values)] as const),
      ),
    );
    const kept = new Map(lab.getState().kept.run.map((summary) => [summary.id, summary]));
    const runs: SweepRun[] = [];
    for (const { key, spec } of runsToMake(plan, scores, apart)) {
      const experimentId = await studyId(key);
      const known = before.get(key);
      const summary = kept.get(experimentId);
      if (summary?.status === 'done' && !records.has(key)) {
        const { runs: found } = await client.request('kept.load', { kind: 'run', id: experimentId });
        const record = found.find(({ id }) => id === runIdOf(experimentId, spec));
        if (record?.status === 'done') records.set(key, record);
      }
      const isDone = records.has(key);
      runs.push({
        key,
        spec,
        experimentId,
        runId: runIdOf(experimentId, spec),
        label: labels.get(key) ?? key,
        seed: spec.seed,
        of: spec.steps,
        failures: known?.failures ?? [],
        seconds: known?.seconds ?? 0,
        step: isDone ? spec.steps : (known?.step ?? summary?.stepsDone ?? 0),
        status: isDone ? 'done' : (known?.status ?? summary?.status ?? 'waiting'),
      });
    }
    if (records.size > known) setWork({ report: reportOf(plan, records, apart) });
    return runs;
  }

  /** Starts or resumes a run. Null if another tab has it, or if it cannot start, in which case a notice has given the reason. */
  async function claim(plan: SweepPlan, run: SweepRun) {
    const { experimentId: id } = run;
    if (run.status === 'elsewhere') return null;
    const experiment = { ...experimentOf(run.spec), device: plan.spec.device };
    const ended = new Promise<ExperimentSummary>((resolve) => waiting.set(id, resolve));
    update(id, { status: 'running' });
    const isKept = lab.getState().kept.run.some((summary) => summary.id === id);
    const view = isKept
      ? await client.request('kept.load', { kind: 'run', id }).then(({ record, runs }) => viewOfRecord(record, runs))
      : newView(id, experiment, Date.now());
    const isTaken = await begin({ ...view, status: 'waiting', error: null }, () =>
      isKept ? client.request('resume', { id }) : client.request('start', { id, spec: experiment }),
    );
    if (isTaken && !isKept)
      void annotate(id, { name: `${plan.spec.name || 'Sweep'}: ${run.label}, seed ${run.seed}`, tags: ['sweep'] });
    if (!isTaken) update(id, { status: 'elsewhere' });
    return isTaken ? { ended, release: () => waiting.delete(id) } : null;
  }

  /** Waits for a run's end, and records it. */
  async function made(run: SweepRun, ended: Promise<ExperimentSummary>): Promise<void> {
    const { experimentId: id } = run;
    const from = performance.now();
    const { status, error } = await ended;
    const seconds = run.seconds + (performance.now() - from) / 1000;
    if (status === 'stopped') {
      update(id, { status, seconds });
      isStopped = true;
    } else if (status === 'failed') {
      const failures = [...run.failures, error ? `${error.message} ${error.remedy}` : 'It failed.'];
      update(id, { failures, seconds, status: failures.length >= MOST_FAILURES ? 'set apart' : 'waiting' });
    } else {
      update(id, { status: 'done', step: run.of, seconds });
      store.setState(({ work }) => ({
        work: work && { ...work, made: work.made + 1, seconds: work.seconds + seconds - run.seconds },
      }));
    }
  }

  /** Runs that are neither done nor skipped, for `execute`. */
  const listOf = (plan: SweepPlan) => ({
    async left(): Promise<SweepRun[]> {
      if (isStopped) return [];
      const kept = await client.request('kept.list', { kind: 'run' });
      lab.setState(({ kept: lists }) => ({ kept: { ...lists, run: kept } }));
      const runs = await look(plan);
      setWork({ runs });
      return runs.filter(({ status }) => status !== 'done' && status !== 'set apart');
    },
    claim: (run: SweepRun) => claim(plan, run),
    async news(): Promise<boolean> {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      for (const { experimentId, status } of store.getState().work?.runs ?? [])
        if (status === 'elsewhere') update(experimentId, { status: 'waiting' });
      return true;
    },
  });

  async function run(): Promise<void> {
    const { work, check } = store.getState();
    if (work?.isAtWork) return;
    const plan = work && JSON.stringify(work.plan.spec) === JSON.stringify(check.plan?.spec) ? work.plan : check.plan;
    if (!plan) return;
    if (work?.plan !== plan) records.clear();
    isStopped = false;
    const rest = work?.plan === plan ? work : { plan, runs: [], made: 0, seconds: 0, report: null };
    const runs = rest.runs.map((each) =>
      each.status === 'set apart' || each.status === 'done' ? each : { ...each, status: 'waiting' as const },
    );
    const { live: before, device } = lab.getState();
    store.setState({ problem: null, work: { ...rest, runs, isAtWork: true } });
    try {
      await execute(listOf(plan), (run, { ended }) => made(run, ended));
    } catch (error) {
      store.setState({ problem: problemOf(error) });
    } finally {
      const runs = await look(plan).catch(() => store.getState().work?.runs ?? []);
      setWork({ runs, isAtWork: false });
      await restorePage(runs, before?.id ?? null, device?.choice ?? null).catch((error: unknown) => {
        context.notices.fail(error);
      });
    }
  }

  /**
   * Restores the page as it was before the sweep. Otherwise the lab would show the sweep's last run, although the form names another
   * experiment, and would use the sweep's device. If the user started an experiment in the meantime, neither is restored.
   */
  async function restorePage(
    runs: readonly SweepRun[],
    before: string | null,
    device: ExperimentSpec['device'] | null,
  ): Promise<void> {
    const { busy, live, device: now } = lab.getState();
    if (busy || !runs.some(({ experimentId }) => experimentId === live?.id)) return;
    const kept = before === null ? null : await client.request('kept.load', { kind: 'run', id: before });
    lab.setState({ live: kept && viewOfRecord(kept.record, kept.runs), progress: null, preparing: null });
    await showLive();
    if (device !== null && now?.choice !== device)
      lab.setState({ device: await client.request('setDevice', { device }) });
  }

  async function stop(): Promise<void> {
    isStopped = true;
    const running = store.getState().work?.runs.find(({ status }) => status === 'running');
    if (running) await client.request('stop', { id: running.experimentId }).catch(() => {});
  }

  const setDraft = (draft: SweepDraft) => store.setState({ draft, check: checkSweepDraft(draft), problem: null });

  return {
    store,
    run,
    stop,
    set: (changes: Partial<SweepDraft>) => setDraft({ ...store.getState().draft, ...changes }),
    open: (spec: SweepSpec) => setDraft(draftOf(spec)),
    fail: (error: unknown) => store.setState({ problem: problemOf(error) }),

    /** Reads a sweep's file into the form. */
    async read(file: Blob): Promise<void> {
      try {
        if (file.size > 4_000_000) throw new SweepError(`The file has ${file.size} bytes.`, 'A sweep’s file is small.');
        setDraft(draftOf(readSweepText(await file.text(), 'The file')));
      } catch (error) {
        store.setState({ problem: problemOf(error) });
      }
    },

    /** Tries the skipped runs again. */
    retry(): void {
      setWork({
        runs: (store.getState().work?.runs ?? []).map((each) =>
          each.status === 'set apart' ? { ...each, status: 'waiting', failures: [] } : each,
        ),
      });
      void run();
    },

    /** Estimates one run on this device. */
    estimate: (spec: ExperimentSpec) => client.request('estimate', { spec }),
  };
}

export type Sweeps = ReturnType<typeof createSweeps>;
