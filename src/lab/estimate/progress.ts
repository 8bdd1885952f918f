// How far an experiment is and how long it will still take, from its events: one bar from its first preparation to its last
// evaluation, which never goes back. A step counts 1; evaluations count by the rollouts that they make, which cost a little less than a
// step's (no backward pass); preparing counts as many steps as it is thought to take.

import { ALPHAS, MERGE_CONTROLS, RELEARN_STEPS } from '../../experiments/config/controls.ts';
import { capabilitiesOf } from '../../experiments/config/environments.ts';
import { runIdOf } from '../../experiments/config/run-spec.ts';
import { type ExperimentSpec, type RunSpec, resolveRuns } from '../../experiments/config/spec.ts';
import type { LabEvent } from '../../experiments/records/events.ts';
import type { ExperimentProgress } from '../protocol/protocol.ts';

/** Cost of an evaluation rollout in rollouts of a step. */
const EVALUATION_COST = 0.6;

/** What is known beforehand. */
interface Known {
  /** Which runs are to be trained now; all by default. */
  includes?: (runId: string) => boolean;
  /** Runs that are finished already. */
  over?: Iterable<string>;
  /** What a step, and everything before the first one, is thought to take; null: nothing is thought. */
  seconds?: { perStep: number; preparing: number } | null;
}

export class ProgressTracker {
  /** By id, in the order of the plan. */
  readonly #runs: ReadonlyMap<string, RunSpec>;
  readonly #now: () => number;
  readonly #total: number;
  /** Runs that are over: done or failed. */
  readonly #over: Set<string>;
  readonly #prior: number | null;
  /** Seconds that preparing is thought to take, and as steps. */
  readonly #preparing: number;
  readonly #preparingSteps: number;
  readonly #opened: number;
  #shown = 0;
  /** Work that was already done when this tracker began (a resumed experiment), and since then. */
  #skipped = 0;
  #started: number | null = null;
  /** The run that was last heard of. */
  #run = 0;
  #phase = 'prepare';
  /** Runs under way: their steps, and the models of them that are evaluated. */
  readonly #live = new Map<string, { step: number; finalDone: number; relearnt: number }>();

  /** `now` in milliseconds. */
  constructor(experimentId: string, spec: ExperimentSpec, now: () => number, known: Known = {}) {
    const { includes = () => true, over = [], seconds = null } = known;
    const planned = resolveRuns(spec).map((run) => [runIdOf(experimentId, run), run] as const);
    this.#runs = new Map(planned.filter(([id]) => includes(id)));
    this.#now = now;
    this.#over = new Set(over);
    this.#prior = seconds?.perStep ?? null;
    this.#preparing = seconds?.preparing ?? 0;
    this.#preparingSteps = seconds && seconds.perStep > 0 ? this.#preparing / seconds.perStep : 0;
    this.#opened = now();
    this.#total = [...this.#runs.values()].reduce((sum, run) => sum + weightOf(run), 0);
  }

  /** Returns whether the standing changed. */
  see(event: LabEvent): boolean {
    switch (event.type) {
      case 'prepare':
        this.#phase = event.what;
        return true;
      case 'run-start':
        this.#hear(event.run.id);
        this.#live.set(event.run.id, { step: event.run.rows.length, finalDone: 0, relearnt: 0 });
        this.#phase = 'start';
        if (this.#started === null) this.#skipped = this.#done();
        return true;
      case 'phase': {
        this.#started ??= this.#now();
        this.#phase = event.phase;
        const live = this.#hear(event.runId);
        if (live && event.phase === 'final evaluation') live.finalDone = event.done;
        if (live && event.phase === 'relearning') live.relearnt = event.done;
        return true;
      }
      case 'step': {
        const live = this.#hear(event.runId);
        if (live) live.step = event.row.step;
        return true;
      }
      case 'run-end':
        if (event.run.status === 'done' || event.run.status === 'failed') {
          this.#over.add(event.run.id);
          this.#live.delete(event.run.id);
        }
        return true;
      case 'result':
        this.#run = this.#runs.size;
        for (const id of this.#runs.keys()) this.#over.add(id);
        this.#phase = 'done';
        return true;
      default:
        return false;
    }
  }

  #hear(runId: string): { step: number; finalDone: number; relearnt: number } | undefined {
    this.#run = Math.max(0, [...this.#runs.keys()].indexOf(runId));
    return this.#live.get(runId);
  }

  /** Milliseconds before the first step; null until there is one. */
  get prepared(): number | null {
    return this.#started === null ? null : this.#started - this.#opened;
  }

  /** 0..1; by the clock, since what is prepared says no more than its own part. Before its end it is never all. */
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
    const ids = [...this.#runs.keys()];
    const run = Math.min(this.#run, ids.length - 1);
    const runId = ids[run] ?? '';
    const stepsOf = (id: string) => this.#runs.get(id)?.steps ?? 0;
    return {
      runId: this.#phase === 'done' ? null : runId || null,
      run,
      runs: ids.length,
      step: this.#live.get(runId)?.step ?? (this.#over.has(runId) ? stepsOf(runId) : 0),
      steps: stepsOf(runId),
      phase: this.#phase,
      beside: [...this.#live]
        .filter(([id]) => id !== runId)
        .map(([id, { step }]) => ({ runId: id, step, steps: stepsOf(id) })),
      fraction: this.#shown,
      etaSeconds: training === null ? null : training + (1 - share) * this.#preparing,
    };
  }

  /** The first guess counts as one step's measurement, and so fades as the run goes. */
  #left(elapsed: number, gained: number, left: number): number | null {
    if (this.#prior !== null) return ((elapsed + this.#prior) / (gained + 1)) * left;
    return gained > 0.5 ? (elapsed / gained) * left : null;
  }

  #done(): number {
    let done = 0;
    for (const [id, run] of this.#runs) {
      const live = this.#live.get(id);
      if (this.#over.has(id)) done += weightOf(run);
      else if (live) {
        const final = Math.min(finalWeight(run), live.finalDone * modelWeight(run, run.finalEvalProblems));
        done += live.step * stepWeight(run) + live.relearnt + final;
      }
    }
    return done;
  }
}

/** The evaluation of one model, in steps. */
function modelWeight(run: RunSpec, problems: number): number {
  const answers = problems * (capabilitiesOf(run.environment)?.answersEvaluated ?? 1);
  return (EVALUATION_COST * answers) / (run.groupSize * run.promptsPerStep);
}

/** Models that are evaluated on the way: total; under `route` also deployed. */
const modelsOnTheWay = ({ projection }: RunSpec): number => (projection === 'route' ? 2 : 1);

/** Base and total; under `route` also deployed, the steered base and every control; and what is made of the finished run. */
function modelsAtTheEnd({ projection, shadows, alsoEvaluate }: RunSpec): number {
  const isRouted = projection === 'route';
  const many: Partial<Record<string, number>> = {
    interpolation: ALPHAS.length * (isRouted ? 2 : 1),
    merge_controls: MERGE_CONTROLS.length,
    quarantine: isRouted ? 1 : 0,
  };
  const made = alsoEvaluate.reduce((sum, one) => sum + (many[one] ?? 1), 0);
  return (isRouted ? 4 + shadows.length : 2) + made;
}

/** Steps that a run takes beyond its own. */
export const stepsBeyond = ({ alsoEvaluate }: RunSpec): number =>
  alsoEvaluate.includes('relearn') ? RELEARN_STEPS : 0;

/** Models that a run evaluates, each time counted. */
export const evaluationsOf = (run: RunSpec): { onTheWay: number; atTheEnd: number } => ({
  onTheWay: run.evalEvery > 0 ? Math.floor(run.steps / run.evalEvery) * modelsOnTheWay(run) : 0,
  atTheEnd: modelsAtTheEnd(run),
});

/** A step with its share of the evaluations on the way. */
function stepWeight(run: RunSpec): number {
  return 1 + (run.evalEvery > 0 ? (modelsOnTheWay(run) * modelWeight(run, run.evalProblems)) / run.evalEvery : 0);
}

function finalWeight(run: RunSpec): number {
  return modelsAtTheEnd(run) * modelWeight(run, run.finalEvalProblems);
}

/** A run in steps: what it takes in all, as a multiple of one step without evaluation. */
export function weightOf(run: RunSpec): number {
  return run.steps * stepWeight(run) + stepsBeyond(run) + finalWeight(run);
}
