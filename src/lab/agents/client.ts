// The page's end of the worker that plays agents' scenarios (worker.ts): each call is a promise, and the worker's calls reach the page.
import type { MissingApps } from '@projected-grpo-lab/are/scenario/missing-apps.ts';
import { DeviceError, LabError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { openRpc } from '../../lib/rpc.ts';
import type { AgentsCalls, AgentsHost, ScenarioView } from '../protocol/agents.ts';
import { guarded, HOST_CALLS } from '../protocol/agents-door.ts';
import { type StartedWorker, startedWorker } from '../protocol/started-worker.ts';
import { WORKER_ERRORS } from '../protocol/wire-error.ts';

export interface AgentsWorker extends Omit<AgentsCalls, 'load'> {
  /** Rejects with AppsMissing as well. */
  load(params: Parameters<AgentsCalls['load']>[0]): Promise<ScenarioView>;
  /** Ends the worker even during a run; pending calls fail with StoppedError. */
  close(): void;
}

/** The scenario has no apps; the error names the data set of the Hub that has them. */
export class AppsMissing extends LabError {
  constructor(
    readonly missing: MissingApps,
    message: string,
    remedy: string,
  ) {
    super(message, remedy);
  }
}

export type StartAgents = () => StartedWorker;

/** @param onDead called if the worker ends by itself */
export function openAgents(start: StartAgents, host: AgentsHost, onDead: () => void = () => {}): AgentsWorker {
  const { port, onDied, terminate } = start();
  const rpc = openRpc<AgentsCalls>(port, guarded<AgentsHost>(HOST_CALLS, host), WORKER_ERRORS);
  onDied((reason) => {
    onDead();
    rpc.fail(new DeviceError(`The worker that plays agents has ended: ${reason}.`, 'Run the scenario again.'));
    terminate();
  });
  return {
    async load(params) {
      const found = await rpc.call('load', params);
      if ('view' in found) return found.view;
      throw new AppsMissing(found.missing, found.message, found.remedy);
    },
    trace: (params) => rpc.call('trace', params),
    check: (params) => rpc.call('check', params),
    play: (params) => rpc.call('play', params),
    look: (params) => rpc.call('look', params),
    refusal: (params) => rpc.call('refusal', params),
    exported: (params) => rpc.call('exported', params),
    close() {
      terminate();
      rpc.fail(new StoppedError('The scenario was closed.', 'Run it again.'));
    },
  };
}

export const startAgentsWorker: StartAgents = () =>
  startedWorker(new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'agents' }));
