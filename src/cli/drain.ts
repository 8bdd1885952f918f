// Long work that hears a Ctrl-C: a turn of the event loop between its pieces, and a stream drawn to its end in this way, with its progress
// on stderr.
import { setImmediate } from 'node:timers/promises';
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { drained } from '../lib/drained.ts';
import type { CommandContext } from './command.ts';

/** The CPU device never waits: without this between two pieces of work no Ctrl-C, other process or clock would be heard. */
export const yieldToEvents = (): Promise<void> => setImmediate();

/** Throws StoppedError after a stop, which is checked after each value. */
export function drainWithProgress<Event extends { done: number; total: number }, Result>(
  stream: AsyncGenerator<Event, Result>,
  what: (event: Event) => string,
  { progress, signal }: Pick<CommandContext, 'progress' | 'signal'>,
): Promise<Result> {
  return drained(stream, async (event) => {
    progress.update(what(event), event.done, event.total);
    await yieldToEvents();
    if (signal.aborted) throw new StoppedError();
  });
}
