// What the worker does with requests about characters that were taught: a part of the table in handlers.ts. Few visits ask for it, so what
// it asks with arrives then.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { AdapterSettings } from '../../engine/types.ts';
import type { Equipped } from '../equipment/equipment.ts';
import type { Playground } from '../playground/playground.ts';
import type { CharacterRequests } from '../protocol/run-requests.ts';
import type { BackgroundTask } from '../work/background-task.ts';
import type { LabParts } from '../work/parts.ts';

interface CharacterHandlerPorts {
  lab(): Promise<LabParts>;
  equipped(adapter?: AdapterSettings, signal?: AbortSignal): Promise<Equipped>;
  playground: Playground;
  backgroundTask: BackgroundTask;
}

type Handlers = {
  [K in keyof CharacterRequests]: (params: CharacterRequests[K]['params']) => Promise<CharacterRequests[K]['result']>;
};

export function createCharacterHandlers({
  lab,
  equipped,
  playground,
  backgroundTask,
}: CharacterHandlerPorts): Handlers {
  return {
    async characterMap({ task, runId }) {
      const { mapOf } = await import('../work/character-map.ts');
      const { records, session } = await lab();
      return backgroundTask.run(task, (signal) =>
        playground.without(async () => {
          if (session.isBusy)
            throw new SpecError('The model is training.', 'Ask when the experiment has ended, or stop it.');
          await session.quiet();
          return mapOf(runId, records, (adapter) => equipped(adapter, signal), signal);
        }),
      );
    },
    stopCharacterMap: async ({ task }) => ({ stopped: backgroundTask.stop(task) }),
  };
}
