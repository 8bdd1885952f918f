// The early warning as a logged measure: every few steps the update's dominant output directions are compared with those of the look
// before (algorithms/update-directions.ts). Training reads nothing of it, so that a run takes the same steps with it as without.
import { directionsKept, type OutputDirections, outputDirections } from '../../algorithms/update-directions.ts';
import type { AdapterLayout } from '../../engine/types.ts';
import type { Checkpoint } from '../records/checkpoint.ts';
import type { StepRow } from '../records/events.ts';
import { DIRECTIONS_EVERY } from '../records/measures.ts';

const isLook = (step: number): boolean => step % DIRECTIONS_EVERY === 0;

export class DirectionsWatch {
  readonly #layout: AdapterLayout;
  /** Adapter parameters of the last look, and their directions; null before the first. */
  #last: { adapterParams: Float32Array; directions: OutputDirections[] } | null = null;

  /** A run that went off between two looks goes on with what the checkpoint kept; one of an earlier lab misses one comparison. */
  constructor(layout: AdapterLayout, from: Pick<Checkpoint, 'step' | 'optimizer' | 'compared'> | null) {
    this.#layout = layout;
    const seen = from && (isLook(from.step) ? from.optimizer.total : from.compared);
    if (seen) this.#look(seen);
  }

  /** Compares the adapter parameters after this step; returns nothing between two looks. */
  after(step: number, adapterParams: Float32Array): Pick<StepRow, 'directionsKept'> {
    if (!isLook(step)) return {};
    const before = this.#last?.directions;
    this.#look(adapterParams);
    const kept = before && this.#last ? directionsKept(before, this.#last.directions) : null;
    return kept === null ? {} : { directionsKept: kept };
  }

  /** Fields that a checkpoint after this step has to keep besides its own adapter parameters. */
  kept(step: number): Pick<Checkpoint, 'compared'> {
    return this.#last && !isLook(step) ? { compared: this.#last.adapterParams } : {};
  }

  #look(adapterParams: Float32Array): void {
    const directions = outputDirections(this.#layout, adapterParams);
    // A copy: the optimizer changes its vectors in place.
    this.#last = directions && { adapterParams: adapterParams.slice(), directions };
  }
}
