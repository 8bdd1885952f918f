// Lets Ctrl-C interrupt long work: it yields to the event loop between pieces of work. A stream is drained in this way, with its progress on
// stderr.
import { setImmediate } from 'node:timers/promises';
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { drained } from '../lib/drained.ts';
import type { CommandContext } from './command.ts';

/** Yields to the event loop. The CPU device never waits, so without this no signal, message or timer would be handled. */
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
