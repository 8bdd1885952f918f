// What the worker does with requests to route finished runs again: a part of the table in handlers.ts.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { AdapterSettings } from '../../engine/types.ts';
import type { Equipped } from '../equipment/equipment.ts';
import type { Playground } from '../playground/playground.ts';
import type { StepReplayEvent, StepReplayRequests } from '../protocol/run-requests.ts';
import type { BackgroundTask } from '../work/background-task.ts';
import type { LabParts } from '../work/parts.ts';

interface StepReplayHandlerPorts {
  lab(): Promise<LabParts>;
  equipped(adapter?: AdapterSettings, signal?: AbortSignal): Promise<Equipped>;
  playground: Playground;
  backgroundTask: BackgroundTask;
  emit(event: StepReplayEvent): void;
}

/** Few visits ask for it. */
const routing = () => import('../work/step-replay-runs.ts');

type Handlers = {
  [K in keyof StepReplayRequests]: (
    params: StepReplayRequests[K]['params'],
  ) => Promise<StepReplayRequests[K]['result']>;
};

export function createStepReplayHandlers({
  lab,
  equipped,
  playground,
  backgroundTask,
  emit,
}: StepReplayHandlerPorts): Handlers {
  return {
    async replaySteps({ task, ...request }) {
      const { stepReplayRuns, routable } = await routing();
      const { records, session } = await lab();
      const runs = await records.runs(await records.experiment(request.experimentId));
      const [{ spec }] = routable(runs, request.arm, request.shadow);
      return backgroundTask.run(task, (signal) =>
        playground.without(async () => {
          if (session.isBusy)
            throw new SpecError('The model is training.', 'Replay when the experiment has ended, or stop it.');
          await session.quiet();
          return stepReplayRuns(request, records, await equipped(spec, signal), signal, (what, fraction) =>
            emit({ type: 'replaySteps', task, what, fraction }),
          );
        }),
      );
    },
    stopStepReplay: async ({ task }) => ({ stopped: backgroundTask.stop(task) }),
  };
}
