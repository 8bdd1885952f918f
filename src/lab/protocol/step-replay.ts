// What the page and the worker say to each other about routing finished runs again: a part of the table in protocol.ts.
import type { ArmName, ControlSpec } from '../../experiments/config/spec.ts';
import type { LoadedExperiment } from './experiments.ts';

export interface StepReplayRequests {
  /**
   * Gives every finished run of one arm a further quarantine from its kept steps, evaluates what it deploys, and keeps the
   * rows with the runs. Answers the experiment as it then is. Refused while an experiment runs, and ended when one starts.
   */
  replaySteps: {
    params: { task: string; experimentId: string; arm: ArmName; shadow: ControlSpec };
    result: LoadedExperiment;
  };
  stopStepReplay: { params: { task: string }; result: { stopped: boolean } };
}

/** Where it is, in words and as a share of the whole. */
export interface StepReplayEvent {
  type: 'replaySteps';
  task: string;
  what: string;
  fraction: number;
}
