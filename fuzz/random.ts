// The numbers of one input: counter-based, from its seed alone, so that an input is made again from the number that a failure names.
import { CounterRng, STREAMS } from '../src/rng/index.ts';

export class Random {
  readonly #rng: CounterRng;

  constructor(seed: number, reader: string) {
    const name = [...reader].reduce((hash, char) => (Math.imul(hash, 31) + char.charCodeAt(0)) >>> 0, 7);
    this.#rng = CounterRng.of(seed, STREAMS.test, name);
  }

  /** 0 … n − 1 */
  int(n: number): number {
    return this.#rng.int(n);
  }

  /** True once in n. */
  oneIn(n: number): boolean {
    return this.int(n) === 0;
  }

  of<T>(items: readonly T[]): T {
    return items[this.int(items.length)];
  }

  /** 1 … most, small ones more often; but the most of all once in eight, where what is slow shows. */
  size(most: number): number {
    if (most > 1000 && this.oneIn(8)) return most;
    return 1 + this.int(1 + this.int(1 + this.int(most)));
  }
}
