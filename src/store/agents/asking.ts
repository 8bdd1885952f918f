// How the worker is asked for what a person may not wait for.
import type { LabClient } from '../../lab/client.ts';

/** How a model is asked, whichever it is. */
export interface HowAsked {
  seed: number;
  /** 0 = greedy. */
  temperature: number;
  maxNew: number;
  stops: readonly string[];
  signal?: AbortSignal;
  onText(soFar: string): void;
}

/** Tells the worker that nobody waits any more for what was asked under `id`. */
export const stopperOf =
  (client: Pick<LabClient, 'request'>, stop: 'stopServer' | 'stopOnnx' | 'stopPlay', id: string) => () =>
    void client.request(stop, { id }).catch(() => {});

/** Asks, and stops when the signal is aborted meanwhile. Throws what it was aborted with, or what asking throws. */
export async function untilAborted<T>(signal: AbortSignal | undefined, stop: () => void, ask: () => Promise<T>) {
  signal?.throwIfAborted();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await ask();
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}
