// Tests Threefry against published test vectors, and the distributions drawn from it.
import { describe, expect, it } from 'vitest';
import { CounterRng } from './counter-rng.ts';
import { foldIn, keyFor, STREAMS, threefry2x32, uniformAt } from './threefry.ts';

describe('threefry2x32, 20 rounds', () => {
  // Random123, tests/kat_vectors: "threefry2x32 20 <counter> <key> <expected>".
  it.each([
    [
      [0, 0],
      [0, 0],
      [0x6b200159, 0x99ba4efe],
    ],
    [
      [0xffffffff, 0xffffffff],
      [0xffffffff, 0xffffffff],
      [0x1cb996fc, 0xbb002be7],
    ],
    [
      [0x243f6a88, 0x85a308d3],
      [0x13198a2e, 0x03707344],
      [0xc4923a9c, 0x483df7a0],
    ],
  ])('known answer for counter %j, key %j', (counter, key, expected) => {
    expect(threefry2x32(key[0], key[1], counter[0], counter[1])).toEqual(expected);
  });

  it('keys depend on order, stream and every integer', () => {
    const seen = new Set<string>();
    for (const seed of [0, 1, 41, 2 ** 32 + 41])
      for (const stream of Object.values(STREAMS))
        for (const ints of [[], [0], [1], [0, 1], [1, 0]]) seen.add(keyFor(seed, stream, ...ints).join());
    expect(seen.size).toBe(4 * Object.keys(STREAMS).length * 5);
    expect(foldIn([1, 2], 3)).toEqual(threefry2x32(1, 2, 0, 3));
    expect(uniformAt([0, 0], 0)).toBe((0x6b200159 >>> 8) / 2 ** 24);
  });
});

describe('CounterRng', () => {
  it('repeats with the same key, differs with another', () => {
    const a = CounterRng.of(41, STREAMS.test, 1);
    const b = CounterRng.of(41, STREAMS.test, 1);
    const c = CounterRng.of(41, STREAMS.test, 2);
    const first = Array.from({ length: 50 }, () => a.uint32());
    expect(Array.from({ length: 50 }, () => b.uint32())).toEqual(first);
    expect(Array.from({ length: 50 }, () => c.uint32())).not.toEqual(first);
  });

  it('has the moments of the uniform and the normal distribution', () => {
    const rng = CounterRng.of(7, STREAMS.test);
    const n = 100_000;
    let mean = 0;
    let m1 = 0;
    let m2 = 0;
    for (let i = 0; i < n; i++) {
      const u = rng.uniform();
      if (!(u >= 0 && u < 1)) throw new Error(`uniform gave ${u}`);
      mean += u / n;
      const z = rng.normal();
      m1 += z / n;
      m2 += (z * z) / n;
    }
    expect(Math.abs(mean - 0.5)).toBeLessThan(5 * Math.sqrt(1 / 12 / n));
    expect(Math.abs(m1)).toBeLessThan(5 / Math.sqrt(n));
    expect(Math.abs(m2 - 1)).toBeLessThan(5 * Math.sqrt(2 / n));
  });

  it('int is uniform over its range and refuses an empty one', () => {
    const rng = CounterRng.of(7, STREAMS.test, 3);
    const counts = new Array(7).fill(0);
    for (let i = 0; i < 70_000; i++) counts[rng.int(7)]++;
    // χ² with 6 degrees of freedom: 22.5 is the 0.999 quantile.
    expect(counts.reduce((sum, c) => sum + (c - 10_000) ** 2 / 10_000, 0)).toBeLessThan(22.5);
    expect(() => rng.int(0)).toThrow(/got 0/);
    expect(() => rng.choice([])).toThrow(/got 0/);
  });

  it('shuffles into every order equally often', () => {
    const rng = CounterRng.of(7, STREAMS.test, 4);
    const counts = new Map<string, number>();
    for (let i = 0; i < 24_000; i++) {
      const order = rng.shuffle(['a', 'b', 'c', 'd']).join('');
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(24);
    // χ² with 23 degrees of freedom: 49.7 is the 0.999 quantile.
    let chi = 0;
    for (const c of counts.values()) chi += (c - 1000) ** 2 / 1000;
    expect(chi).toBeLessThan(49.7);
  });
});
