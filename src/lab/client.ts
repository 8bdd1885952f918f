// The page's end of the worker: a promise per request, a subscription for events. No React, no state beyond what is in flight.
import { DeviceError, type LabError } from '@projected-grpo-lab/base/errors.ts';
import type { Ask, FromWorker, RequestKind, WorkerEvent } from './protocol/protocol.ts';
import { fromWireError } from './protocol/wire-error.ts';

/** The part of Worker that the client needs; a test gives one end of a MessageChannel. */
export interface WorkerLike {
  postMessage(message: unknown, transfer?: Transferable[]): void;
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void;
  addEventListener(type: 'error' | 'messageerror', listener: (event: Event) => void): void;
  terminate?(): void;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: LabError): void;
}

export class LabClient {
  readonly #worker: WorkerLike;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Set<(event: WorkerEvent) => void>();
  #nextId = 1;
  #dead: LabError | null = null;

  constructor(worker: WorkerLike) {
    this.#worker = worker;
    worker.addEventListener('message', (event) => this.#receive(event.data as FromWorker));
    worker.addEventListener('error', (event) => {
      const detail = event instanceof ErrorEvent && event.message ? event.message : 'it could not be loaded';
      this.#fail(new DeviceError(`The lab's worker stopped: ${detail}.`, 'Reload the page; kept runs can be resumed.'));
    });
    worker.addEventListener('messageerror', () => {
      this.#fail(new DeviceError('A message between page and worker could not be read.', 'Reload the page.'));
    });
  }

  /** Rejects with the LabError (same class, same remedy) that the worker threw. */
  readonly request: Ask = (kind: RequestKind, params: unknown, transfer: Transferable[] = []) => {
    if (this.#dead) return Promise.reject(this.#dead);
    const id = this.#nextId++;
    // The table ties kind and answer together; the map of pending promises cannot say so.
    return new Promise<never>((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as (result: unknown) => void, reject });
      try {
        this.#worker.postMessage({ id, kind, params }, transfer);
      } catch (error) {
        this.#pending.delete(id);
        reject(error);
      }
    });
  };

  /** Returns the function that ends the subscription. */
  subscribe(listener: (event: WorkerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Ends the worker; requests in flight are rejected. */
  close(): void {
    this.#fail(new DeviceError('The lab was closed.', 'Reload the page to open it again.'));
    this.#worker.terminate?.();
  }

  #receive(message: FromWorker): void {
    if (message.kind === 'event') {
      for (const listener of this.#listeners) listener(message.event);
      return;
    }
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.kind === 'answer') pending?.resolve(message.result);
    else pending?.reject(fromWireError(message.error));
  }

  #fail(error: LabError): void {
    this.#dead ??= error;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(error);
  }
}
