// A stream drawn to its end with its progress on stderr, which can be stopped after each value.
import { setImmediate } from 'node:timers/promises';
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { drained } from '../lib/drained.ts';
import type { CommandContext } from './command.ts';

/** Throws StoppedError where it was stopped. */
export function shown<Event, Result>(
  stream: AsyncGenerator<Event, Result>,
  at: (event: Event) => { what: string; done: number; total: number },
  { progress, signal }: Pick<CommandContext, 'progress' | 'signal'>,
  keep: (event: Event) => Promise<void> = async () => {},
): Promise<Result> {
  return drained(stream, async (event) => {
    await keep(event);
    const { what, done, total } = at(event);
    progress.update(what, done, total);
    // The CPU device never waits: without this, a Ctrl-C would not be heard.
    await setImmediate();
    if (signal.aborted) throw new StoppedError();
  });
}
