// The page's end of the worker: calls of its handlers, and a subscription to its events. No React, and no state besides pending calls.
import { DeviceError, type LabError } from '@projected-grpo-lab/base/errors.ts';
import type { KindId } from '../experiments/records/kind.ts';
import { type Answer, type Args, openRpc, type Rpc } from '../lib/rpc.ts';
import type { LabCalls } from './handlers/handlers.ts';
import type { KeptCalls } from './handlers/kept.ts';
import type { WorkerEvent } from './protocol/protocol.ts';
import type { StartedWorker } from './protocol/started-worker.ts';
import { WORKER_ERRORS } from './protocol/wire-error.ts';

/** Methods of the page that the worker calls. */
export type PageCalls = { event(event: WorkerEvent): void };

/** Signature of a request. Answers about stored records have the types of their kind. */
export interface Ask {
  <Name extends keyof KeptCalls, K extends KindId>(
    name: Name,
    params: Args<KeptCalls, Name>[0] & { kind: K },
  ): Promise<Answer<KeptCalls<K>, Name>>;
  <Name extends Exclude<keyof LabCalls, keyof KeptCalls>>(
    name: Name,
    ...args: Args<LabCalls, Name>
  ): Promise<Answer<LabCalls, Name>>;
}

export class LabClient {
  readonly #rpc: Rpc<LabCalls>;
  readonly #terminate: () => void;
  readonly #listeners = new Set<(event: WorkerEvent) => void>();

  constructor({ port, onDied, terminate }: StartedWorker) {
    const page: PageCalls = {
      event: (event) => {
        for (const listener of this.#listeners) listener(event);
      },
    };
    this.#rpc = openRpc<LabCalls>(port, page, WORKER_ERRORS);
    this.#terminate = terminate;
    onDied((reason) =>
      this.#fail(new DeviceError(`The lab's worker stopped: ${reason}.`, 'Reload the page; kept runs can be resumed.')),
    );
    // The record type follows from its kind, which the type of a call with a variable name cannot express.
    this.request = this.#rpc.call as Ask;
  }

  /** Rejects with the LabError (same class, same remedy) that the worker threw. */
  readonly request: Ask;

  /** Returns a function that ends the subscription. */
  subscribe(listener: (event: WorkerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Ends the worker; pending requests are rejected. */
  close(): void {
    this.#fail(new DeviceError('The lab was closed.', 'Reload the page to open it again.'));
    this.#terminate();
  }

  #fail(error: LabError): void {
    this.#rpc.fail(error);
  }
}
