// A sequence of random numbers from one key and an increasing counter, for code that needs "the next number" (data
// generation, shuffles, initial weights). Sequences with different keys are independent. A leaf: any module may import it.
import { type Key, keyFor, type Stream, threefry2x32Into } from './threefry.ts';

/** Second counter word of a sequence's blocks, which distinguishes them from foldIn (0, data) and from sampling (t, 0). */
const DOMAIN = 0x9e3779b9;

export class CounterRng {
  readonly #k0: number;
  readonly #k1: number;
  readonly #block = new Uint32Array(2);
  #counter = 0;
  #left = 0;

  constructor(key: Key) {
    this.#k0 = key[0];
    this.#k1 = key[1];
  }

  /** Short for `new CounterRng(keyFor(...))`. */
  static of(seed: number, stream: Stream, ...ints: number[]): CounterRng {
    return new CounterRng(keyFor(seed, stream, ...ints));
  }

  uint32(): number {
    if (this.#left === 0) {
      threefry2x32Into(this.#block, this.#k0, this.#k1, this.#counter++, DOMAIN);
      this.#left = 2;
    }
    return this.#block[2 - this.#left--];
  }

  /** Uniform in [0, 1) with 24 bits, exact in float32. */
  uniform(): number {
    return (this.uint32() >>> 8) * 2 ** -24;
  }

  /** Uniform integer in 0 … n-1, without bias; 1 ≤ n ≤ 2^32. */
  int(n: number): number {
    if (!(Number.isInteger(n) && n >= 1 && n <= 2 ** 32)) throw new RangeError(`int(n) needs 1 ≤ n ≤ 2^32, got ${n}`);
    const limit = 2 ** 32 - (2 ** 32 % n);
    let x = this.uint32();
    while (x >= limit) x = this.uint32();
    return x % n;
  }

  /** Standard normal (Box-Muller, cosine branch). */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    return radius * Math.cos(2 * Math.PI * this.uniform());
  }

  choice<T>(items: readonly T[]): T {
    return items[this.int(items.length)];
  }

  /** Fisher-Yates, in place; returns the array. */
  shuffle<T>(items: T[]): T[] {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.int(i + 1);
      const kept = items[i];
      items[i] = items[j];
      items[j] = kept;
    }
    return items;
  }
}
