// What a run needs to go on as if it had never stopped: knobs, moments, quarantines, rows so far, and what the task sampler
// has seen. Plain objects and typed arrays, so that a database or a file can keep it as it is.
import type { OptimizerState } from '../algorithms/optimizer.ts';
import { SpecError } from '../lib/errors.ts';
import type { EvalRow, StepRow, StepTiming } from './events.ts';
import type { RunSpec } from './spec.ts';

export interface Checkpoint {
  schema: 1;
  runId: string;
  spec: RunSpec;
  /** Whatever else decides what a run computes (model, grader, basis file), as one text. */
  context: string;
  /** Optimizer steps done. */
  step: number;
  optimizer: OptimizerState;
  rows: StepRow[];
  timings: StepTiming[];
  evals: EvalRow[];
  /** Mean student reward per visit, by task id. */
  history: Record<string, number[]>;
}

/** Where checkpoints are kept: IndexedDB in the page, memory or a folder elsewhere. */
export interface CheckpointStore {
  /** The run's last checkpoint, or null. */
  load(runId: string): Promise<Checkpoint | null>;
  save(checkpoint: Checkpoint): Promise<void>;
}

/** Refuses to go on from a checkpoint of another spec, model or grader: the result would belong to neither. */
export function checkResumable(checkpoint: Checkpoint, spec: RunSpec, context: string): void {
  const changed = (Object.keys({ ...checkpoint.spec, ...spec }) as (keyof RunSpec)[]).filter(
    (key) => JSON.stringify(checkpoint.spec[key]) !== JSON.stringify(spec[key]),
  );
  if (changed.length > 0)
    throw new SpecError(
      `the checkpoint of ${checkpoint.runId} was made with another ${changed.join(', ')} (${changed
        .map((key) => `${JSON.stringify(checkpoint.spec[key])} ≠ ${JSON.stringify(spec[key])}`)
        .join('; ')})`,
      'Start it as a new run.',
    );
  if (checkpoint.context !== context)
    throw new SpecError(
      `the checkpoint of ${checkpoint.runId} belongs to ${checkpoint.context}; this is ${context}`,
      'Start it as a new run.',
    );
}
