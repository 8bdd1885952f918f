// Work that several processes share by claims: each looks for work that is left, claims one piece and does it, until nothing is left,
// whoever does it. Runs of a sweep and jobs of a study are worked off so, by this process and by its children.
import { setTimeout } from 'node:timers/promises';
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { type Methods, openRpc, type Rpc } from '../lib/rpc.ts';
import type { Claim } from '../storage/claims/claims.ts';
import { CHILD_ERRORS, callChild, explain, serveParent, startChild } from './children.ts';

/** Milliseconds between two looks while others hold all that is left. */
export const LOOK_MS = 1000;

interface ClaimedWork<T> {
  /** Tasks not yet done, in order, including those that others are doing. */
  left(): Promise<readonly T[]>;
  /** Null where the task may not begin: somebody is doing it, or something that it needs. */
  claim(task: T): Promise<readonly Claim[] | null>;
  make(task: T, claims: readonly Claim[]): Promise<void>;
  /** Whether to end although something is left. */
  isEnough?(): boolean;
  /** True where tasks of others are not waited for. */
  isAlone?: boolean;
  signal: AbortSignal;
}

/** Works until nothing is left. Claims are always released. Throws StoppedError. */
export async function drainClaimed<T>(work: ClaimedWork<T>): Promise<void> {
  while (!work.isEnough?.()) {
    if (work.signal.aborted) throw new StoppedError();
    const left = await work.left();
    if (left.length === 0) return;
    if (await makeOne(left, work)) continue;
    if (work.isAlone) return;
    // The results of others may open more.
    await setTimeout(LOOK_MS, undefined, { signal: work.signal }).catch(() => {});
  }
}

async function makeOne<T>(left: readonly T[], { claim, make }: ClaimedWork<T>): Promise<boolean> {
  for (const task of left) {
    const claims = await claim(task);
    if (!claims) continue;
    try {
      await make(task, claims);
    } finally {
      for (const each of claims) await each.release();
    }
    return true;
  }
  return false;
}

interface ChildWork {
  /** Arguments for each child. */
  argv: readonly (readonly string[])[];
  /** Arguments of the child's `work`. */
  args?: readonly unknown[];
  /** Methods that children may call here. */
  methods: Methods;
  signal: AbortSignal;
  onStart?(rpc: Rpc): void;
}

/** Runs children side by side (serveWork). As long as one of them comes to the end, it does the work that the others left. Throws the first
 *  one's error where none does, and StoppedError. */
export async function workInChildren({ argv, args = [], methods, signal, onStart }: ChildWork): Promise<void> {
  const ends = await Promise.allSettled(
    argv.map(async (each) => {
      const child = startChild(each, 'Others go on with its run. Give the same command again for what is left.');
      const rpc = await callChild(child, methods);
      const stop = () => rpc.tell('stop');
      signal.addEventListener('abort', stop, { once: true });
      try {
        if (signal.aborted) stop();
        onStart?.(rpc);
        await rpc.call('work', ...args).catch((error: unknown) => {
          (methods.note as ((line: string) => void) | undefined)?.(explain(error));
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
  methodsOf: (
    signal: AbortSignal,
    tell: (name: string, ...args: unknown[]) => void,
  ) => Methods & { work: Methods[string] },
): Promise<void> {
  const stop = new AbortController();
  await serveParent((port) => {
    const methods = methodsOf(AbortSignal.any([signal, stop.signal]), (name, ...args) => rpc.tell(name, ...args));
    const rpc: Rpc = openRpc(port, { ...methods, stop: () => stop.abort(new StoppedError()) }, CHILD_ERRORS);
    return rpc;
  }, stop);
}
