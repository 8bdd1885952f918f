// What the page asks of an ExIt run's memory: the buffer of its last checkpoint. A part of the table in protocol.ts.
import type { BufferState } from '../../environments/exit/sampler.ts';
import type { StepFlow } from '../../experiments/exit/training-flows.ts';

export interface BufferReport extends BufferState {
  /** Of the checkpoint: optimizer steps done. */
  step: number;
  /** What kept steps were made of, evenly over the run; none where its verdicts do not say. */
  flows: StepFlow[];
}

export interface BufferRequests {
  /** Null before the first checkpoint, and of a run whose sampler keeps nothing. Refuses what is no buffer. */
  exitBuffer: { params: { runId: string }; result: BufferReport | null };
}
