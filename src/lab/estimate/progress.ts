// Progress of an experiment and its remaining time, from its events and the clock: one bar from its first preparation to its last
// evaluation, which never goes back. A step counts 1; evaluations count by their rollouts, which cost a little less than a step's (no
// backward pass); preparation counts as many steps as its estimated time.

import { ALPHAS, MERGE_CONTROLS, RELEARN_STEPS } from '../../experiments/config/controls.ts';
import { capabilitiesOf } from '../../experiments/config/environments.ts';
import { type RunSpec, runIdOf } from '../../experiments/config/run-spec.ts';
import type { LabEvent } from '../../experiments/records/events.ts';
import { type ExperimentState, isOver, recordOf } from '../../experiments/records/experiment-state.ts';
import type { ExperimentProgress } from '../protocol/protocol.ts';

/** Cost of an evaluation rollout in rollouts of a step. */
const EVALUATION_COST = 0.6;

/** Facts that are known before the start. */
interface Known {
  /** Whether a run is to be trained now; by default all are. */
  includes?: (runId: string) => boolean;
  /** Estimated seconds of a step, and of everything before the first one; null without an estimate. */
  seconds?: { perStep: number; preparing: number } | null;
}

export class ProgressTracker {
  /** Runs by id, in the order of the plan. */
  readonly #runs: ReadonlyMap<string, RunSpec>;
  readonly #state: ExperimentState;
  readonly #now: () => number;
  readonly #total: number;
  readonly #prior: number | null;
  /** Estimated seconds of preparing, and the same in steps. */
  readonly #preparing: number;
  readonly #preparingSteps: number;
  readonly #opened: number;
  #shown = 0;
  /** When training began, and the work done before that in a resumed experiment. */
  #started: number | null = null;
  #skipped = 0;

  /** `state`: the tracked experiment, folded by the caller. `now` in milliseconds. */
  constructor(experimentId: string, state: ExperimentState, now: () => number, known: Known = {}) {
    const { includes = () => true, seconds = null } = known;
    const planned = state.planned.map((run) => [runIdOf(experimentId, run), run] as const);
    this.#runs = new Map(planned.filter(([id]) => includes(id)));
    this.#state = state;
    this.#now = now;
    this.#prior = seconds?.perStep ?? null;
    this.#preparing = seconds?.preparing ?? 0;
    this.#preparingSteps = seconds && seconds.perStep > 0 ? this.#preparing / seconds.perStep : 0;
    this.#opened = now();
    this.#total = [...this.#runs.values()].reduce((sum, run) => sum + weightOf(run), 0);
  }

  /** Notes the time when the first phase of a run begins; must be called before the event is applied to the state. */
  see(event: LabEvent): void {
    if (event.type !== 'phase' || this.#started !== null) return;
    this.#started = this.#now();
    this.#skipped = this.#done();
  }

  /** Milliseconds of preparation; null until training begins. */
  get prepared(): number | null {
    return this.#started === null ? null : this.#started - this.#opened;
  }

  /** Share of the preparation that is done, 0..1, by the clock, since progress events cover only their own part. It stays below 1 until
   *  training begins. */
  #preparedShare(): number {
    if (this.#started !== null || this.#preparing <= 0) return 1;
    const share = (this.#now() - this.#opened) / 1000 / this.#preparing;
    return share < 0.7 ? share : 1 - 0.3 * Math.exp((0.7 - share) / 0.3);
  }

  progress(): ExperimentProgress {
    const done = this.#done();
    const elapsed = this.#started === null ? 0 : (this.#now() - this.#started) / 1000;
    const gained = done - this.#skipped;
    const share = this.#preparedShare();
    const whole = this.#preparingSteps + this.#total;
    const at = whole > 0 ? Math.min(1, (share * this.#preparingSteps + done) / whole) : 1;
    this.#shown = Math.max(this.#shown, at);
    const training = this.#left(elapsed, gained, this.#total - done);
    const { phase, latestRun, attempts } = this.#state;
    const ids = [...this.#runs.keys()];
    const isDone = phase === 'done';
    const run = isDone ? ids.length - 1 : Math.max(0, ids.indexOf(latestRun ?? ''));
    const runId = ids[run] ?? '';
    const stepsOf = (id: string) => this.#runs.get(id)?.steps ?? 0;
    return {
      runId: isDone ? null : runId || null,
      run,
      runs: ids.length,
      step: this.#isOver(runId) ? stepsOf(runId) : this.#stepsDone(runId),
      steps: stepsOf(runId),
      phase,
      beside: [...attempts.keys()]
        .filter((id) => id !== runId && !this.#isOver(id))
        .map((id) => ({ runId: id, step: this.#stepsDone(id), steps: stepsOf(id) })),
      fraction: this.#shown,
      etaSeconds: training === null ? null : training + (1 - share) * this.#preparing,
    };
  }

  /** Seconds left. The estimate counts as one measured step, so its weight fades as the run goes on. */
  #left(elapsed: number, gained: number, left: number): number | null {
    if (this.#prior !== null) return ((elapsed + this.#prior) / (gained + 1)) * left;
    return gained > 0.5 ? (elapsed / gained) * left : null;
  }

  #isOver(runId: string): boolean {
    return isOver(this.#state, runId);
  }

  #stepsDone(runId: string): number {
    return recordOf(this.#state, runId)?.rows.length ?? 0;
  }

  /** Work done, in steps. */
  #done(): number {
    let done = 0;
    for (const [id, run] of this.#runs) {
      if (this.#isOver(id)) done += weightOf(run);
      else {
        const { evaluated = 0, relearnt = 0 } = this.#state.attempts.get(id) ?? {};
        const final = Math.min(finalWeight(run), evaluated * modelWeight(run, answersAfterTraining(run)));
        done += this.#stepsDone(id) * stepWeight(run) + relearnt + final;
      }
    }
    return done;
  }
}

/** Work of evaluating one model, in steps. */
function modelWeight(run: RunSpec, problems: number): number {
  const answers = problems * (capabilitiesOf(run.environment)?.answersEvaluated ?? 1);
  return (EVALUATION_COST * answers) / (run.groupSize * run.promptsPerStep);
}

/** Models evaluated during training: total; under `route` also deployed. */
const modelsDuringTraining = ({ projection }: RunSpec): number => (projection === 'route' ? 2 : 1);

/**
 * Models evaluated at the end: base and total; under `route` also deployed, the steered base and every control; and those derived from the
 * finished run.
 */
function modelsAfterTraining({ projection, shadows, alsoEvaluate }: RunSpec): number {
  const isRouted = projection === 'route';
  const many: Partial<Record<string, number>> = {
    interpolation: ALPHAS.length * (isRouted ? 2 : 1),
    merge_controls: MERGE_CONTROLS.length,
    quarantine: isRouted ? 1 : 0,
  };
  const made = alsoEvaluate.reduce((sum, one) => sum + (many[one] ?? 1), 0);
  return (isRouted ? 4 + shadows.length : 2) + made;
}

/** Number of problems in a model's final evaluation, counting each repetition. */
export const answersAfterTraining = ({ finalEvalProblems, evaluationSeeds }: RunSpec): number =>
  finalEvalProblems * evaluationSeeds;

/** Steps beyond the run's own training steps. */
export const extraSteps = ({ alsoEvaluate }: RunSpec): number => (alsoEvaluate.includes('relearn') ? RELEARN_STEPS : 0);

/** Evaluations of a run, counting each model each time. */
export const evaluationsOf = (run: RunSpec): { duringTraining: number; afterTraining: number } => ({
  duringTraining: run.evalEvery > 0 ? Math.floor(run.steps / run.evalEvery) * modelsDuringTraining(run) : 0,
  afterTraining: modelsAfterTraining(run),
});

/** Work of a step with its share of the evaluations during training. */
function stepWeight(run: RunSpec): number {
  return 1 + (run.evalEvery > 0 ? (modelsDuringTraining(run) * modelWeight(run, run.evalProblems)) / run.evalEvery : 0);
}

function finalWeight(run: RunSpec): number {
  return modelsAfterTraining(run) * modelWeight(run, answersAfterTraining(run));
}

/** Work of a whole run, in steps without evaluation. */
export function weightOf(run: RunSpec): number {
  return run.steps * stepWeight(run) + extraSteps(run) + finalWeight(run);
}
