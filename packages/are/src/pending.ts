// A pending answer. The stepper is synchronous; if a judge within it has to ask a model, it throws this error, the host awaits the answer,
// and repeats the call: unprocessed events were put back.

export class PendingAnswer extends Error {
  constructor(readonly settle: () => Promise<void>) {
    super('An answer is awaited; settle it and call again.');
  }
}

/** Repeats a call until no answer is pending. */
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
