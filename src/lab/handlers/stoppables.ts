// Work that a page may stop, by the page's own names for it: each has a signal from its start to its end.

export class Stoppables {
  readonly #running = new Map<string, AbortController>();

  async run<T>(id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const own = new AbortController();
    this.#running.set(id, own);
    try {
      return await work(own.signal);
    } finally {
      this.#running.delete(id);
    }
  }

  /** Says whether there was something to stop. */
  stop(id: string, reason?: Error): { stopped: boolean } {
    const own = this.#running.get(id);
    own?.abort(reason);
    return { stopped: own !== undefined };
  }

  stopAll(): void {
    for (const own of this.#running.values()) own.abort();
  }
}
