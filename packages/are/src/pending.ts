// An answer that is not there yet. The stepper is synchronous; where a judge inside of it has to ask a model, it throws this, the host
// settles it, and calls the same thing again: what was not processed has been put back.

export class PendingAnswer extends Error {
  constructor(readonly settle: () => Promise<void>) {
    super('An answer is awaited; settle it and call again.');
  }
}

/** Runs until no answer is missing. */
export async function settled<T>(run: () => T): Promise<T> {
  for (;;) {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof PendingAnswer)) throw error;
      await error.settle();
    }
  }
}
