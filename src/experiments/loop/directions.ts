// The early warning as a logged measure: every few steps the update's dominant output directions are compared with the previous ones
// (algorithms/update-directions.ts). Training does not read the result, so a run takes the same steps with and without it.
import { directionsKept, type OutputDirections, outputDirections } from '../../algorithms/update-directions.ts';
import type { AdapterLayout } from '../../engine/types.ts';
import type { Checkpoint } from '../records/checkpoint.ts';
import type { StepRow } from '../records/events.ts';
import { DIRECTIONS_EVERY } from '../records/measures.ts';

const isLook = (step: number): boolean => step % DIRECTIONS_EVERY === 0;

export class DirectionsWatch {
  readonly #layout: AdapterLayout;
  /** Adapter parameters and directions of the last comparison; null before the first. */
  #last: { adapterParams: Float32Array; directions: OutputDirections[] } | null = null;

  /** A run resumed between two comparisons continues from the checkpoint; one from an older checkpoint misses one comparison. */
  constructor(layout: AdapterLayout, from: Pick<Checkpoint, 'step' | 'optimizer' | 'compared'> | null) {
    this.#layout = layout;
    const seen = from && (isLook(from.step) ? from.optimizer.total : from.compared);
    if (seen) this.#look(seen);
  }

  /** Compares the adapter parameters after this step; empty between two comparisons. */
  after(step: number, adapterParams: Float32Array): Pick<StepRow, 'directionsKept'> {
    if (!isLook(step)) return {};
    const before = this.#last?.directions;
    this.#look(adapterParams);
    const kept = before && this.#last ? directionsKept(before, this.#last.directions) : null;
    return kept === null ? {} : { directionsKept: kept };
  }

  /** Fields of a checkpoint after this step, besides its adapter parameters. */
  kept(step: number): Pick<Checkpoint, 'compared'> {
    return this.#last && !isLook(step) ? { compared: this.#last.adapterParams } : {};
  }

  #look(adapterParams: Float32Array): void {
    const directions = outputDirections(this.#layout, adapterParams);
    // Copied, because the optimizer changes its vectors in place.
    this.#last = directions && { adapterParams: adapterParams.slice(), directions };
  }
}
