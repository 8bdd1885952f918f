// What the page and the worker say to each other about routing finished runs again: a part of the table in protocol.ts.
import type { ArmName, ShadowSpec } from '../../experiments/config/spec.ts';
import type { LoadedExperiment } from './experiments.ts';

export interface RerouteRequests {
  /**
   * Gives every finished run of one arm a further quarantine from its kept steps, evaluates what it deploys, and keeps the
   * rows with the runs. Answers the experiment as it then is. Refused while an experiment runs, and ended when one starts.
   */
  reroute: {
    params: { task: string; experimentId: string; arm: ArmName; shadow: ShadowSpec };
    result: LoadedExperiment;
  };
  stopReroute: { params: { task: string }; result: { stopped: boolean } };
}

/** Where it stands, in words and as a share of the whole. */
export interface RerouteEvent {
  type: 'reroute';
  task: string;
  what: string;
  fraction: number;
}
