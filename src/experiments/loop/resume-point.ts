// The point at which a run can be resumed: its state after the last whole step. A run is stopped (by Ctrl-C, a scheduler, a person) in the
// midst of a step, and the steps before it are not to be computed again.
import type { Checkpoint, CheckpointStore } from '../records/checkpoint.ts';

/** State that changes from step to step. It is held by reference: only an update changes the optimizer. */
export type StepState = Omit<Checkpoint, 'schema' | 'runId' | 'spec' | 'context' | 'step'>;

export class ResumePoint {
  readonly #store: CheckpointStore | null;
  readonly #run: Pick<Checkpoint, 'schema' | 'runId' | 'spec' | 'context'>;
  #whole: { step: number; state: StepState } | null = null;
  #saved: number;

  /** `from`: the step that a run was resumed from; 0 at its start. */
  constructor(
    store: CheckpointStore | null,
    { runId, spec, context }: Pick<Checkpoint, 'runId' | 'spec' | 'context'>,
    from: number,
  ) {
    this.#store = store;
    this.#run = { schema: 1, runId, spec, context };
    this.#saved = from;
  }

  /** The state after so many steps. */
  reached(step: number, state: StepState): void {
    this.#whole = { step, state };
  }

  /** Called before an update, which changes the optimizer in place: the state is given up, or copied if the step can still be stopped. */
  leave(isStoppable: boolean): void {
    this.#whole = isStoppable && this.#store ? structuredClone(this.#whole) : null;
  }

  /** Saves the state after the last whole step; that step, or null where it is saved already or where nothing is kept. */
  async save(): Promise<number | null> {
    const whole = this.#whole;
    if (!this.#store || whole === null || whole.step <= this.#saved) return null;
    await this.#store.save(structuredClone({ ...this.#run, step: whole.step, ...whole.state }));
    this.#saved = whole.step;
    return whole.step;
  }
}
