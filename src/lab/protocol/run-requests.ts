// What the page asks about runs that were trained, a part of the table in protocol.ts: the buffer of an ExIt run's last checkpoint, everybody
// before and after a character was taught, and routing finished runs again.
import type { BufferState } from '../../environments/exit/sampler.ts';
import type { AskedOne } from '../../experiments/characters/each.ts';
import type { ArmName, ControlSpec } from '../../experiments/config/spec.ts';
import type { StepFlow } from '../../experiments/exit/training-flows.ts';
import type { LoadedExperiment } from './experiments.ts';

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

export interface RunRequests {
  /** Null before the first checkpoint, and of a run whose sampler keeps nothing. Refuses what is no buffer. */
  exitBuffer: { params: { runId: string }; result: BufferReport | null };
  /** Asks the run's kept model, and the untrained one; refused while an experiment trains, and ended when one starts. */
  characterMap: { params: { task: string; runId: string }; result: CharacterMap };
  /**
   * Gives every finished run of one arm a further quarantine from its kept steps, evaluates what it deploys, and keeps the
   * rows with the runs. Answers the experiment as it then is. Refused while an experiment runs, and ended when one starts.
   */
  replaySteps: {
    params: { task: string; experimentId: string; arm: ArmName; shadow: ControlSpec };
    result: LoadedExperiment;
  };
}

/** Where it is, in words and as a share of the whole. */
export interface StepReplayEvent {
  type: 'replaySteps';
  task: string;
  what: string;
  fraction: number;
}
