// Work that several processes share by claims: what is left is looked at, one piece is claimed and made, and so on until nothing is left,
// whoever makes it. Runs of a sweep and jobs of a study are worked off so, by this process and by children of it.
import { setTimeout } from 'node:timers/promises';
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { type Methods, openRpc, type Rpc } from '../lib/rpc.ts';
import type { Claim } from '../storage/claims/claims.ts';
import { CHILD_ERRORS, callChild, explain, serveParent, startChild } from './children.ts';

/** Between two looks where others hold all that is left. */
export const LOOK_MS = 1000;

interface ClaimedWork<T> {
  /** What is not done yet, in its order: also what others are at. */
  left(): Promise<readonly T[]>;
  /** Null where it may not begin: somebody is at it, or at what it needs. */
  claim(task: T): Promise<readonly Claim[] | null>;
  make(task: T, claims: readonly Claim[]): Promise<void>;
  /** Whether it ends though something is left. */
  isEnough?(): boolean;
  /** True where what others are at is not waited for. */
  isAlone?: boolean;
  signal: AbortSignal;
}

/** Until nothing is left. Claims are released, whatever comes. Throws StoppedError. */
export async function drainClaimed<T>(work: ClaimedWork<T>): Promise<void> {
  while (!work.isEnough?.()) {
    if (work.signal.aborted) throw new StoppedError();
    const left = await work.left();
    if (left.length === 0) return;
    if (await makeOne(left, work)) continue;
    if (work.isAlone) return;
    // What others come to may open more.
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
  /** One for each child. */
  argv: readonly (readonly string[])[];
  /** What `work` of a child is called with. */
  args?: readonly unknown[];
  /** What children call here. */
  methods: Methods;
  signal: AbortSignal;
  onStart?(rpc: Rpc): void;
}

/** Children that work side by side (serveWork). As long as one comes to the end, what the others left is made. Throws what ended the
 *  first where none does, and StoppedError. */
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

/** The child's side of it, until its parent is gone. */
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
