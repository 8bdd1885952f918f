// Work of the worker in the form of a stream, which can be stopped after each of its values.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { drained } from '../../lib/drained.ts';
import { turn } from '../../lib/turn.ts';

/** Lets messages in, among them the stop itself: on the CPU device nothing else yields. Throws StoppedError. */
export async function turnOrStop(signal: AbortSignal): Promise<void> {
  await turn();
  if (signal.aborted) throw stoppedBy(signal);
}

const stoppedBy = ({ reason }: AbortSignal) => (reason instanceof StoppedError ? reason : new StoppedError());

/** Drains a stream, checking for a stop after each value. Throws StoppedError if it was stopped. */
export async function drainUntilStopped<T, Result>(
  stream: AsyncGenerator<T, Result>,
  signal: AbortSignal,
  onNext: (value: T) => void,
): Promise<Result> {
  try {
    return await drained(stream, async (value) => {
      onNext(value);
      await turnOrStop(signal);
    });
  } catch (error) {
    // The stream may hold device memory, and a stopped run still reports its progress.
    await drainAfterError(stream, error, onNext).catch(() => {});
    // An abort throws its own reason.
    throw signal.aborted ? stoppedBy(signal) : error;
  }
}

async function drainAfterError<T, Result>(
  stream: AsyncGenerator<T, Result>,
  error: unknown,
  onNext: (value: T) => void,
): Promise<void> {
  for (let next = await stream.throw(error); !next.done; next = await stream.next()) onNext(next.value);
}
