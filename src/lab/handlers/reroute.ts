// What the worker does with requests to route finished runs again: a part of the table in handlers.ts.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { AdapterSettings } from '../../engine/types.ts';
import type { Equipped } from '../equipment/equipment.ts';
import type { Playground } from '../playground/playground.ts';
import type { RerouteEvent, RerouteRequests } from '../protocol/reroute.ts';
import type { Chore } from '../work/chore.ts';
import type { LabParts } from './parts.ts';

export interface RerouteHandlerPorts {
  lab(): Promise<LabParts>;
  equipped(adapter?: AdapterSettings, signal?: AbortSignal): Promise<Equipped>;
  playground: Playground;
  chore: Chore;
  emit(event: RerouteEvent): void;
}

/** Few visits ask for it. */
const routing = () => import('../work/reroute-runs.ts');

type Handlers = {
  [K in keyof RerouteRequests]: (params: RerouteRequests[K]['params']) => Promise<RerouteRequests[K]['result']>;
};

export function createRerouteHandlers({ lab, equipped, playground, chore, emit }: RerouteHandlerPorts): Handlers {
  return {
    async reroute({ task, ...request }) {
      const { rerouteRuns, routable } = await routing();
      const { records, session } = await lab();
      const runs = await records.runs(await records.experiment(request.experimentId));
      const [{ spec }] = routable(runs, request.arm, request.shadow);
      return chore.run(task, (signal) =>
        playground.without(async () => {
          if (session.isBusy)
            throw new SpecError('The model is training.', 'Route again when the experiment has ended, or stop it.');
          await session.quiet();
          return rerouteRuns(request, records, await equipped(spec, signal), signal, (what, fraction) =>
            emit({ type: 'reroute', task, what, fraction }),
          );
        }),
      );
    },
    stopReroute: async ({ task }) => ({ stopped: chore.stop(task) }),
  };
}
