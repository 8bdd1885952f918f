// Interface of a started worker: the browser's own, or a test's.
import type { RpcPort } from '../../lib/rpc.ts';

export interface StartedWorker {
  readonly port: RpcPort;
  /** Called if it ends by itself, or sends an unreadable message. */
  onDied(onDeath: (reason: string) => void): void;
  terminate(): void;
}

export const startedWorker = (worker: Worker): StartedWorker => ({
  port: worker,
  onDied: (onDeath) => {
    worker.onerror = (event) => onDeath(event.message || 'it could not be started');
    worker.onmessageerror = () => onDeath('a message of it could not be read');
  },
  terminate: () => worker.terminate(),
});
