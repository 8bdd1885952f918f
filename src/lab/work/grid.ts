// The arms × seeds of one experiment while it is worked on: which runs are wanted now, how far each has come, which failed.

import { runIdOf } from '../../experiments/config/run-spec.ts';
import { type ExperimentSpec, resolveRuns } from '../../experiments/config/spec.ts';
import type { LabEvent, RunRecord, RunStatus } from '../../experiments/records/events.ts';

interface Cell {
  status: RunStatus;
  steps: number;
  error: RunRecord['error'];
}

export class Grid {
  readonly #cells = new Map<string, Cell>();
  readonly #alone: string | null;
  /** Failed in this session: not tried again by itself. */
  readonly #excluded = new Set<string>();
  /** Failed since the last setAside. */
  readonly #failing = new Set<string>();

  /** @param known what earlier sessions left of it; @param alone the one run that is wanted, or null for all. */
  constructor(experimentId: string, spec: ExperimentSpec, known: readonly RunRecord[], alone: string | null) {
    for (const run of resolveRuns(spec)) {
      this.#cells.set(runIdOf(experimentId, run), { status: 'waiting', steps: 0, error: null });
    }
    for (const { id, status, rows, error } of known) this.#cells.set(id, { status, steps: rows.length, error });
    this.#alone = alone;
  }

  readonly wanted = (runId: string): boolean => this.#alone === null || runId === this.#alone;
  /** Finished runs are included: they give the result its rows. */
  readonly includes = (runId: string): boolean =>
    !this.#excluded.has(runId) && (this.wanted(runId) || this.#cells.get(runId)?.status === 'done');

  get over(): string[] {
    return [...this.#cells].filter(([id, { status }]) => status === 'done' || this.#excluded.has(id)).map(([id]) => id);
  }

  /** Runs that have a record, in the order of the plan. */
  get begun(): string[] {
    return [...this.#cells].filter(([, { status }]) => status !== 'waiting').map(([id]) => id);
  }

  /** A wanted cell is neither done nor set aside. */
  get hasMore(): boolean {
    return [...this.#cells].some(([id, { status }]) => status !== 'done' && this.wanted(id) && !this.#excluded.has(id));
  }

  /** Every cell is done. */
  get isWhole(): boolean {
    return this.runsDone === this.#cells.size;
  }

  get runsDone(): number {
    return [...this.#cells.values()].filter(({ status }) => status === 'done').length;
  }

  get stepsDone(): number {
    return [...this.#cells.values()].reduce((sum, { steps }) => sum + steps, 0);
  }

  /** Of the experiment, when the work on it has ended. */
  get status(): RunStatus {
    if (this.isWhole) return 'done';
    return this.error ? 'failed' : 'stopped';
  }

  /** Why the first failed cell failed. */
  get error(): RunRecord['error'] {
    return [...this.#cells.values()].find(({ status }) => status === 'failed')?.error ?? null;
  }

  see(event: LabEvent): void {
    if (event.type === 'run-start' || event.type === 'run-end') {
      const { id, status, rows, error } = event.run;
      this.#cells.set(id, { status, steps: rows.length, error });
      if (status === 'failed') this.#failing.add(id);
    } else if (event.type === 'step') {
      const cell = this.#cells.get(event.runId);
      if (cell) cell.steps = event.row.step;
    }
  }

  /** Runs at work have failed, and are left out from now on. False where it was no run that failed. */
  excludeFailed(): boolean {
    const failed = [...this.#failing];
    this.#failing.clear();
    for (const id of failed) this.#excluded.add(id);
    return failed.length > 0;
  }
}
