// Stored optimizer steps of a run: with them a finished run can be given further quarantines without retraining (METHOD "A finished run
// whose per-step Δ are kept can be routed again afterwards with any basis"; kinds/run/step-replay.ts).

import type { RunSpec } from '../config/run-spec.ts';
import { replaysAlike } from '../config/segments.ts';

/** For each training step, the Δ of its optimizer updates (one per inner epoch; none if every group was skipped). */
export type KeptSteps = readonly (readonly Float32Array[])[];

export interface StepStore {
  /**
   * Stores the updates of step 1, 2, …: what was subtracted from δS_total, without weight decay, one parameter vector per update. Replaces an
   * already stored step.
   */
  append(runId: string, step: number, delta: readonly Float32Array[]): Promise<void>;
  /** Deletes every step after `step` (0: all). Called when a run begins or resumes, so that no step is stored twice. */
  truncate(runId: string, step: number): Promise<void>;
  /** All steps in order; null if none are stored, or any is missing. */
  load(runId: string): Promise<Float32Array[][] | null>;
}

/** Whether δS_total moves by the whole Δ: in vanilla, and in route/update, which trains like vanilla. Excluded are full weights, which cannot
 *  be routed and whose step is a whole model, and a fork whose replay would differ before and after it. */
export function keepsSteps(spec: Pick<RunSpec, 'projection' | 'projectTarget'> & Partial<RunSpec>): boolean {
  const { projection, projectTarget, adapter, fork } = spec;
  if (adapter === 'full' || adapter === 'blocks') return false;
  if (fork && !(keepsSteps(fork.spec) && replaysAlike(fork.spec, spec as RunSpec))) return false;
  return projection === 'none' || (projection === 'route' && projectTarget === 'update');
}

/** Storage of steps, one entry per step: a browser's database, a folder, a server. */
interface StepEntries {
  get(key: string): Promise<readonly Float32Array[] | undefined>;
  set(key: string, delta: readonly Float32Array[]): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  /** Keys of the entries, in any order. */
  keys(prefix: string): Promise<string[]>;
}

/** Zero-padded, so that keys sort in order of steps. */
export const stepKey = (runId: string, step: number): string => `${runId}/${String(step).padStart(7, '0')}`;
export const stepOf = (runId: string, key: string): number => Number(key.slice(runId.length + 1));

/** A step store with entries named by `stepKey`. */
export function stepsIn(entries: StepEntries): StepStore {
  return {
    append: async (runId, step, delta) => void (await entries.set(stepKey(runId, step), [...delta])),
    async truncate(runId, step) {
      for (const key of await entries.keys(`${runId}/`)) if (stepOf(runId, key) > step) await entries.delete(key);
    },
    async load(runId) {
      const keys = await entries.keys(`${runId}/`);
      const steps = keys.map((key) => stepOf(runId, key)).sort((a, b) => a - b);
      if (steps.length === 0 || steps.some((step, i) => step !== i + 1)) return null;
      return Promise.all(steps.map(async (step) => [...((await entries.get(stepKey(runId, step))) ?? [])]));
    },
  };
}

/** For tests, and for hosts that store nothing. */
export function memoryStepStore(): StepStore {
  const kept = new Map<string, readonly Float32Array[]>();
  return stepsIn({
    get: async (key) => kept.get(key)?.map((vector) => vector.slice()),
    set: async (key, delta) =>
      kept.set(
        key,
        delta.map((vector) => vector.slice()),
      ),
    delete: async (key) => kept.delete(key),
    keys: async (prefix) => [...kept.keys()].filter((key) => key.startsWith(prefix)),
  });
}
