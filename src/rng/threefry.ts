// Counter-based random numbers: Threefry-2x32 with 20 rounds (Salmon et al., "Parallel Random Numbers: As Easy as
// 1, 2, 3", SC'11), bit for bit as in Random123 and JAX; shaders/ has the same function in WGSL. A number is a pure
// function of (key, counter), so results do not depend on the order of computation. A leaf: any module may import it.

/** 64 bits as two unsigned 32-bit words. A key is used either for deriving further keys or with a counter, not both. */
export type Key = readonly [number, number];

/** Purpose of a key, folded in by keyFor after the seed. The numbers must never change, since that would change every run. */
export const STREAMS = {
  init: 1,
  data: 2,
  rollout: 3,
  order: 4,
  pool: 5,
  randomV: 6,
  permutedV: 7,
  evaluation: 8,
  pretrain: 9,
  problems: 10,
  pairs: 11,
  mix: 12,
  bootstrap: 13,
  test: 14,
  signFlip: 15,
  lora: 16,
  subspaceNull: 20,
  teacher: 21,
  monitor: 24,
  probe: 30,
  reference: 31,
  exit: 41,
  sweep: 50,
  language: 60,
  trusted: 70,
  gate: 71,
  evaluationDraw: 72,
  stance: 73,
} as const;
export type Stream = (typeof STREAMS)[keyof typeof STREAMS];

const PARITY = 0x1bd11bda;

/** One block: key (k0, k1), counter (c0, c1) → two words, written to out[0] and out[1]. Allocates nothing. */
export function threefry2x32Into(out: Uint32Array, k0: number, k1: number, c0: number, c1: number): void {
  const k2 = PARITY ^ k0 ^ k1;
  let x0 = (c0 + k0) | 0;
  let x1 = (c1 + k1) | 0;
  for (let group = 1; group <= 5; group++) {
    if (group & 1) {
      x0 = (x0 + x1) | 0;
      x1 = ((x1 << 13) | (x1 >>> 19)) ^ x0;
      x0 = (x0 + x1) | 0;
      x1 = ((x1 << 15) | (x1 >>> 17)) ^ x0;
      x0 = (x0 + x1) | 0;
      x1 = ((x1 << 26) | (x1 >>> 6)) ^ x0;
      x0 = (x0 + x1) | 0;
      x1 = ((x1 << 6) | (x1 >>> 26)) ^ x0;
    } else {
      x0 = (x0 + x1) | 0;
      x1 = ((x1 << 17) | (x1 >>> 15)) ^ x0;
      x0 = (x0 + x1) | 0;
      x1 = ((x1 << 29) | (x1 >>> 3)) ^ x0;
      x0 = (x0 + x1) | 0;
      x1 = ((x1 << 16) | (x1 >>> 16)) ^ x0;
      x0 = (x0 + x1) | 0;
      x1 = ((x1 << 24) | (x1 >>> 8)) ^ x0;
    }
    // Key schedule: words `group` and `group` + 1 (mod 3), and the group's number.
    const s0 = group % 3 === 0 ? k0 : group % 3 === 1 ? k1 : k2;
    const s1 = group % 3 === 0 ? k1 : group % 3 === 1 ? k2 : k0;
    x0 = (x0 + s0) | 0;
    x1 = (x1 + s1 + group) | 0;
  }
  out[0] = x0;
  out[1] = x1;
}

const scratch = new Uint32Array(2);

/** One block as a new pair of unsigned words. */
export function threefry2x32(k0: number, k1: number, c0: number, c1: number): [number, number] {
  threefry2x32Into(scratch, k0, k1, c0, c1);
  return [scratch[0], scratch[1]];
}

/** Derives a key from a key and an integer (as jax.random.fold_in). */
export function foldIn(key: Key, data: number): Key {
  return threefry2x32(key[0], key[1], 0, data >>> 0);
}

/** The key for one purpose: seed (any safe integer), then stream and any integers (step, prompt, sequence, …) folded in. */
export function keyFor(seed: number, stream: Stream, ...ints: number[]): Key {
  let key: Key = [Math.floor(seed / 2 ** 32) >>> 0, seed >>> 0];
  key = foldIn(key, stream);
  for (const int of ints) key = foldIn(key, int);
  return key;
}

/** The first word of block (t, 0) as a float in [0, 1) with 24 bits, as the `sample` kernel draws it at step t. */
export function uniformAt(key: Key, t: number): number {
  threefry2x32Into(scratch, key[0], key[1], t, 0);
  return (scratch[0] >>> 8) * 2 ** -24;
}
