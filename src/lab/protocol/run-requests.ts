// Requests about trained runs: the buffer of an ExIt run's last checkpoint, all characters before and after one was taught, and replays of
// finished runs.
import type { BufferState } from '../../environments/exit/sampler.ts';
import type { MeasuredCharacter } from '../../experiments/characters/each.ts';
import type { ArmName } from '../../experiments/config/arms.ts';
import type { ControlSpec } from '../../experiments/config/controls.ts';
import type { StepFlow } from '../../experiments/exit/training-flows.ts';

export interface BufferReport extends BufferState {
  /** Optimizer steps done at the checkpoint. */
  step: number;
  /** Composition of the stored steps, evenly over the run; empty if its verdicts lack it. */
  flows: StepFlow[];
}

export interface CharacterMap {
  runId: string;
  /** Optimizer steps done at the stored adapter parameters. */
  step: number;
  /** The same characters in the same order as `after`. */
  before: MeasuredCharacter[];
  after: MeasuredCharacter[];
}

export interface StepReplayRequest {
  experimentId: string;
  arm: ArmName;
  shadow: ControlSpec;
}

/** The current phase, in words, and the fraction of the whole work. */
export interface StepReplayEvent {
  type: 'replaySteps';
  task: string;
  what: string;
  fraction: number;
}
