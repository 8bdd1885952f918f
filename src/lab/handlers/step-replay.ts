// What the worker does with requests to route finished runs again: a part of the table in handlers.ts.

import type { AdapterSettings } from '../../engine/types.ts';
import type { Equipped } from '../equipment/equipment.ts';
import type { HandlersOf } from '../protocol/protocol.ts';
import type { StepReplayEvent, StepReplayRequests } from '../protocol/run-requests.ts';
import type { ModelGate } from '../work/model-gate.ts';
import type { LabParts } from '../work/parts.ts';

interface StepReplayHandlerPorts {
  lab(): Promise<LabParts>;
  equipped(adapter?: AdapterSettings, signal?: AbortSignal): Promise<Equipped>;
  gate: ModelGate;
  emit(event: StepReplayEvent): void;
}

/** Few visits ask for it. */
const routing = () => import('../work/step-replay-runs.ts');

export function createStepReplayHandlers({
  lab,
  equipped,
  gate,
  emit,
}: StepReplayHandlerPorts): HandlersOf<StepReplayRequests> {
  return {
    async replaySteps({ task, ...request }) {
      const { stepReplayRuns, routable } = await routing();
      const { records } = await lab();
      const runs = await records.runs(await records.experiment(request.experimentId));
      const [{ spec }] = routable(runs, request.arm, request.shadow);
      return gate.task(task, async (signal) =>
        stepReplayRuns(request, records, await equipped(spec, signal), signal, (what, fraction) =>
          emit({ type: 'replaySteps', task, what, fraction }),
        ),
      );
    },
    stopStepReplay: async ({ task }) => ({ stopped: gate.stop(task) }),
  };
}
