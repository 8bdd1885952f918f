// The point from which a run can be resumed: its state after the last complete step. Runs are mostly stopped during a step, and earlier steps
// must not be computed again.
import type { Checkpoint, CheckpointStore } from '../records/checkpoint.ts';

/** State that changes from step to step, held by reference because only an update changes the optimizer. */
export type StepState = Omit<Checkpoint, 'schema' | 'runId' | 'spec' | 'context' | 'step'>;

export class ResumePoint {
  readonly #store: CheckpointStore | null;
  readonly #run: Pick<Checkpoint, 'schema' | 'runId' | 'spec' | 'context'>;
  #whole: { step: number; state: StepState } | null = null;
  #saved: number;

  /** `from`: the step that the run was resumed from; 0 at its start. */
  constructor(
    store: CheckpointStore | null,
    { runId, spec, context }: Pick<Checkpoint, 'runId' | 'spec' | 'context'>,
    from: number,
  ) {
    this.#store = store;
    this.#run = { schema: 1, runId, spec, context };
    this.#saved = from;
  }

  /** Records the state after `step` steps. */
  reached(step: number, state: StepState): void {
    this.#whole = { step, state };
  }

  /** Called before an update, which changes the optimizer in place: the state is dropped, or copied if the step can still be stopped. */
  leave(isStoppable: boolean): void {
    this.#whole = isStoppable && this.#store ? structuredClone(this.#whole) : null;
  }

  /** Saves the state after the last complete step and returns that step; null if it is already saved or nothing is stored. */
  async save(): Promise<number | null> {
    const whole = this.#whole;
    if (!this.#store || whole === null || whole.step <= this.#saved) return null;
    await this.#store.save(structuredClone({ ...this.#run, step: whole.step, ...whole.state }));
    this.#saved = whole.step;
    return whole.step;
  }
}
