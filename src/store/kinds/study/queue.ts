// "Run what is missing": the question's experiments, one after another as if each had been started by hand, and then their
// quarantines from the kept steps. It ends at the first that stops or fails; pressed again it goes on with what is then missing.

import { LabError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import type { QuestionId } from '../../../../research/series/study/types.ts';
import type { ArmName, ControlSpec, ExperimentSpec } from '../../../experiments/config/spec.ts';
import type { Annotation, ExperimentSummary, LoadedExperiment } from '../../../lab/protocol/experiments.ts';
import type { StoreContext } from '../../context.ts';
import { renewed } from '../../experiment-view.ts';
import { type Problem, problemOf } from '../../lab-state.ts';
import { attempt } from '../../notices.ts';
import { hasEnded } from '../../queue.ts';
import { freeName, type Missing } from './missing.ts';

export interface QueueState {
  question: QuestionId;
  /** Parts done, of all: an experiment is one part, each quarantine of it another. */
  done: number;
  of: number;
  /** In words. */
  what: string;
  /** Of the part under way, where it is known. */
  fraction: number | null;
  status: 'running' | 'done' | 'stopped' | 'failed';
  problem: Problem | null;
}

interface QueuePorts {
  context: StoreContext;
  /** False where it could not be started, which has been said. */
  startSpec(id: string, spec: ExperimentSpec): Promise<boolean>;
  annotate(id: string, changes: Annotation): Promise<boolean>;
  put(state: QueueState): void;
  /** New runs or rows of this experiment are kept. */
  changed(experimentId: string): void;
}

export function createQuestionQueue({ context, startSpec, annotate, put, changed }: QueuePorts) {
  const { store: lab, client } = context;
  let state: QueueState | null = null;
  let stopping = false;
  let current: { experiment?: string; task?: string } = {};
  let tasks = 0;
  /** Ends a wait for the model. */
  let wake = () => {};

  client.subscribe((event) => {
    if (event.type !== 'replaySteps' || event.task !== current.task) return;
    tell({ what: event.what, fraction: event.fraction });
  });

  function tell(patch: Partial<QueueState>): void {
    if (!state) return;
    state = { ...state, ...patch };
    put(state);
  }

  /** How the experiment ends; asked before it is started, since it may end at once. */
  function endOf(id: string): { end: Promise<ExperimentSummary>; forget: () => void } {
    let forget = () => {};
    const end = new Promise<ExperimentSummary>((resolve) => {
      forget = client.subscribe((event) => {
        if (event.type === 'experiment' && event.summary.id === id && hasEnded(event.summary.status))
          resolve(event.summary);
      });
    });
    return { end, forget };
  }

  async function train(question: QuestionId, spec: ExperimentSpec, arm: ArmName): Promise<string> {
    tell({ what: `training ${arm}, seeds ${spec.seeds.join(', ')}`, fraction: null });
    const device = lab.getState().device?.choice ?? spec.device;
    const id = crypto.randomUUID();
    const { end, forget } = endOf(id);
    try {
      current = { experiment: id };
      if (!(await startSpec(id, { ...spec, device }))) throw new StoppedError('not started');
      await annotate(id, { name: `${question}: ${arm}`, tags: ['study', question] });
      const { status, error } = await end;
      if (status === 'stopped') throw new StoppedError();
      if (status !== 'done')
        throw new LabError(error?.message ?? 'The experiment failed.', error?.remedy ?? 'See it under Library, Runs.');
      return id;
    } finally {
      forget();
    }
  }

  /** The model must be free: what a person has queued meanwhile trains first. */
  async function untilFree(): Promise<void> {
    if (!lab.getState().busy) return;
    current = {};
    tell({ what: 'waiting for the running experiment', fraction: null });
    await new Promise<void>((resolve) => {
      wake = resolve;
      const forget = lab.subscribe(({ busy }) => {
        if (busy && !stopping) return;
        forget();
        resolve();
      });
    });
    halt();
  }

  async function route(experimentId: string, arm: ArmName, control: ControlSpec, loaded: LoadedExperiment) {
    await untilFree();
    const task = `study-${++tasks}`;
    current = { task };
    const id = freeName(control.id, loaded.runs);
    tell({ what: `replaying ${id}`, fraction: null });
    return client.request('replaySteps', { task, experimentId, arm, shadow: { ...control, id } });
  }

  async function routeAll(experimentId: string, arm: ArmName, controls: readonly ControlSpec[]): Promise<void> {
    if (controls.length === 0) return;
    let loaded = await client.request('kept.load', { kind: 'run', id: experimentId });
    for (const control of controls) {
      halt();
      loaded = await route(experimentId, arm, control, loaded);
      show(loaded);
      tell({ done: (state?.done ?? 0) + 1 });
      changed(experimentId);
    }
  }

  /** The lab's own view of the experiment has the new lines too. */
  function show(loaded: LoadedExperiment): void {
    lab.setState(({ opened, live }) => ({ opened: renewed(opened, loaded), live: renewed(live, loaded) }));
  }

  function halt(): void {
    if (stopping) throw new StoppedError();
  }

  return {
    async run(question: QuestionId, { experiments, routes }: Missing): Promise<void> {
      if (state?.status === 'running' || lab.getState().busy) return;
      stopping = false;
      const of = [...experiments, ...routes].reduce(
        (sum, { shadows: controls }) => sum + controls.length,
        experiments.length,
      );
      state = { question, done: 0, of, what: 'starting', fraction: null, status: 'running', problem: null };
      put(state);
      try {
        for (const { experimentId, arm, shadows: controls } of routes) await routeAll(experimentId, arm, controls);
        for (const { spec, arm, shadows: controls } of experiments) {
          halt();
          const id = await train(question, spec, arm);
          tell({ done: (state?.done ?? 0) + 1 });
          changed(id);
          await routeAll(id, arm, controls);
        }
        tell({ status: 'done', what: '', fraction: null });
      } catch (error) {
        const stopped = error instanceof StoppedError;
        tell({ status: stopped ? 'stopped' : 'failed', problem: stopped ? null : problemOf(error), fraction: null });
      } finally {
        current = {};
      }
    },

    /** What is finished stays; what is under way stops at its last checkpoint. */
    async stop(): Promise<void> {
      stopping = true;
      wake();
      const { experiment, task } = current;
      if (task) await attempt(context.notices, client.request('stopTask', { task }));
      else if (experiment) await attempt(context.notices, client.request('stop', { id: experiment }));
    },
  };
}
