// What the page asks about runs that were trained: the buffer of an ExIt run's last checkpoint, everybody before and after a
// character was taught, and routing finished runs again.
import type { BufferState } from '../../environments/exit/sampler.ts';
import type { AskedOne } from '../../experiments/characters/each.ts';
import type { ArmName, ControlSpec } from '../../experiments/config/spec.ts';
import type { StepFlow } from '../../experiments/exit/training-flows.ts';

export interface BufferReport extends BufferState {
  /** Of the checkpoint: optimizer steps done. */
  step: number;
  /** What kept steps were made of, evenly over the run; none where its verdicts do not say. */
  flows: StepFlow[];
}

export interface CharacterMap {
  runId: string;
  /** Of the kept adapter parameters: optimizer steps done. */
  step: number;
  /** The same characters in the same order. */
  before: AskedOne[];
  after: AskedOne[];
}

export interface StepReplayRequest {
  experimentId: string;
  arm: ArmName;
  shadow: ControlSpec;
}

/** Where it is, in words and as a share of the whole. */
export interface StepReplayEvent {
  type: 'replaySteps';
  task: string;
  what: string;
  fraction: number;
}
