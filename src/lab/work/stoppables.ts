// Work that a page may stop by its own names: each has a signal from its start to its end.

export class Stoppables {
  readonly #running = new Map<string, () => void>();

  /** @param reason abort reason of the signal */
  async run<T>(name: string, work: (signal: AbortSignal) => Promise<T>, reason?: Error): Promise<T> {
    const own = new AbortController();
    this.#running.set(name, () => own.abort(reason));
    try {
      return await work(own.signal);
    } finally {
      this.#running.delete(name);
    }
  }

  /** Returns whether there was something to stop. */
  stop(name: string): boolean {
    const stop = this.#running.get(name);
    stop?.();
    return stop !== undefined;
  }
}
