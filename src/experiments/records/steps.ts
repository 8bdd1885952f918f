// Kept optimizer steps of a run: with them a finished run can be given any further quarantine without being trained again (METHOD "A
// finished run whose per-step Δ are kept can be routed again afterwards with any basis"; kinds/run/step-replay.ts).
import type { RunSpec } from '../config/spec.ts';

/** Per training step, Δ of each of its optimizer updates (one per inner epoch; none if every group was skipped). */
export type KeptSteps = readonly (readonly Float32Array[])[];

export interface StepStore {
  /**
   * Keeps the updates of step 1, 2, …: what was subtracted from δS_total, weight decay excluded, one parameter vector each. Replaces a step
   * that is kept already.
   */
  append(runId: string, step: number, delta: readonly Float32Array[]): Promise<void>;
  /** Forgets every step after `step` (0: all). Called when a run begins or resumes, so that no step is kept twice. */
  truncate(runId: string, step: number): Promise<void>;
  /** All steps in order; null if none are kept, or any is missing. */
  load(runId: string): Promise<Float32Array[][] | null>;
}

/** Whether δS_total moves by the whole Δ: vanilla, and route/update, which trains as vanilla does. Not for all weights, which cannot be
 *  routed and whose step is a whole model. */
export function keepsSteps({
  projection,
  projectTarget,
  adapter,
}: Pick<RunSpec, 'projection' | 'projectTarget'> & Partial<Pick<RunSpec, 'adapter'>>): boolean {
  if (adapter === 'full' || adapter === 'blocks') return false;
  return projection === 'none' || (projection === 'route' && projectTarget === 'update');
}

/** For tests, and for hosts that keep nothing: lasts as long as the map. */
export function memoryStepStore(kept = new Map<string, Map<number, Float32Array[]>>()): StepStore {
  return {
    append: async (runId, step, delta) => {
      const steps = kept.get(runId) ?? new Map<number, Float32Array[]>();
      kept.set(
        runId,
        steps.set(
          step,
          delta.map((vector) => vector.slice()),
        ),
      );
    },
    truncate: async (runId, step) => {
      for (const known of [...(kept.get(runId)?.keys() ?? [])]) if (known > step) kept.get(runId)?.delete(known);
    },
    load: async (runId) =>
      inOrder([...(kept.get(runId) ?? [])].map(([step, delta]) => [step, delta.map((vector) => vector.slice())])),
  };
}

/** Entries by step number as a list; null unless they are 1 … n, n ≥ 1. For implementations of `load`. */
export function inOrder(entries: readonly (readonly [number, Float32Array[]])[]): Float32Array[][] | null {
  const sorted = entries.toSorted(([a], [b]) => a - b);
  if (sorted.length === 0 || sorted.some(([step], i) => step !== i + 1)) return null;
  return sorted.map(([, delta]) => delta);
}
