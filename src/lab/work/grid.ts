// The arms × seeds of the running experiment: which runs are requested now, and the experiment's status, which follows from theirs.

import { type RunSpec, runIdOf } from '../../experiments/config/run-spec.ts';
import type { RunRecord, RunStatus } from '../../experiments/records/events.ts';
import {
  type ExperimentState,
  isOver,
  newExperimentState,
  recordOf,
} from '../../experiments/records/experiment-state.ts';

export class Grid {
  /** The follower of the experiment folds its events into this state. */
  readonly state: ExperimentState;
  /** Ids of all runs, in the order of the plan. */
  readonly #ids: readonly string[];
  readonly #alone: string | null;
  /** Runs that failed in this session, which are not retried automatically. */
  readonly #excluded = new Set<string>();

  /**
   * @param known records of earlier sessions
   * @param alone the only requested run, or null for all
   */
  constructor(experimentId: string, runs: RunSpec[], known: readonly RunRecord[], alone: string | null) {
    this.state = newExperimentState(runs, known);
    this.#ids = this.state.planned.map((run) => runIdOf(experimentId, run));
    this.#alone = alone;
  }

  readonly wanted = (runId: string): boolean => this.#alone === null || runId === this.#alone;
  /** Finished runs are included: they give the result its rows. */
  readonly includes = (runId: string): boolean =>
    !this.#excluded.has(runId) && (this.wanted(runId) || recordOf(this.state, runId)?.status === 'done');

  get over(): string[] {
    return this.#ids.filter((id) => isOver(this.state, id));
  }

  /** Ids of runs that have a record, in the order of the plan. */
  get begun(): string[] {
    return this.state.runs.map(({ id }) => id);
  }

  /** Whether a requested run has not ended. */
  get hasMore(): boolean {
    return this.#ids.some((id) => this.wanted(id) && !isOver(this.state, id));
  }

  /** Whether every run is done. */
  get isWhole(): boolean {
    return this.runsDone === this.#ids.length;
  }

  get runsDone(): number {
    return this.state.runs.filter(({ status }) => status === 'done').length;
  }

  get stepsDone(): number {
    return this.state.runs.reduce((sum, { rows }) => sum + rows.length, 0);
  }

  /** Status of the experiment when the work on it has ended. */
  get status(): RunStatus {
    if (this.isWhole) return 'done';
    return this.error ? 'failed' : 'stopped';
  }

  /** Error of the first failed run. */
  get error(): RunRecord['error'] {
    return this.state.runs.find(({ status }) => status === 'failed')?.error ?? null;
  }

  /** Excludes runs that failed in this session. Returns false if there is no new one. */
  excludeFailed(): boolean {
    const before = this.#excluded.size;
    for (const { id, status } of this.state.runs)
      if (status === 'failed' && isOver(this.state, id)) this.#excluded.add(id);
    return this.#excluded.size > before;
  }
}
