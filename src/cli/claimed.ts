// Child processes that share one list of runs by claims. If at least one of them reaches the end, all runs are done.
import { setMaxListeners } from 'node:events';
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { type Methods, openRpc, type Rpc } from '../lib/rpc.ts';
import { CHILD_ERRORS, callChild, explain, serveParent, startChild } from './children.ts';

interface ChildWork {
  /** Arguments for each child. */
  argv: readonly (readonly string[])[];
  note(line: string): void;
  signal: AbortSignal;
}

/** Runs children in parallel (serveWork). If one of them reaches the end, it has done the work that the others left. Otherwise throws the first
 *  one's error; may throw StoppedError. */
export async function workInChildren({ argv, note, signal }: ChildWork): Promise<void> {
  const ends = await Promise.allSettled(
    argv.map(async (each) => {
      const child = startChild(each, 'Others go on with its run. Give the same command again for what is left.');
      const rpc = await callChild(child, { note });
      const stop = () => rpc.tell('stop');
      signal.addEventListener('abort', stop, { once: true });
      try {
        if (signal.aborted) stop();
        await rpc.call('work').catch((error: unknown) => {
          note(explain(error));
          throw error;
        });
      } finally {
        signal.removeEventListener('abort', stop);
        await child.close();
      }
    }),
  );
  if (signal.aborted) throw new StoppedError('Stopped.', 'The same command goes on from the last checkpoints.');
  const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
  if (failures.length === argv.length) throw failures[0];
}

/** The child's side of workInChildren, until its parent is gone. */
export async function serveWork(
  signal: AbortSignal,
  work: (signal: AbortSignal, note: (line: string) => void) => Promise<unknown>,
): Promise<void> {
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  // Each graded batch adds a listener and many are graded in parallel, so Node's warning about a leak would be wrong.
  setMaxListeners(0, both);
  await serveParent((port) => {
    const methods: Methods = {
      work: () => work(both, (line) => rpc.tell('note', line)),
      stop: () => stop.abort(new StoppedError()),
    };
    const rpc: Rpc = openRpc(port, methods, CHILD_ERRORS);
    return rpc;
  }, stop);
}
