// 16-bit floats of weight files and packed weights: conversion between f32 and bfloat16, and f32 and IEEE binary16 (half).

/** `halves` may occupy the upper half of `out`'s memory, since element i is read before it can be overwritten. */
export function bfloatToFloat(halves: Uint16Array, out: Float32Array = new Float32Array(halves.length)): Float32Array {
  const bits = new Uint32Array(out.buffer, out.byteOffset, out.length);
  for (let i = 0; i < halves.length; i++) bits[i] = halves[i] << 16;
  return out;
}

/** Rounds finite values to nearest, ties to even. */
export function floatToBfloat(floats: Float32Array): Uint16Array {
  const bits = new Uint32Array(floats.buffer, floats.byteOffset, floats.length);
  return Uint16Array.from(bits, (word) => (word + 0x7fff + ((word >>> 16) & 1)) >>> 16);
}

function valueOfHalf(h: number): number {
  const sign = h & 0x8000 ? -1 : 1;
  const exponent = (h >> 10) & 0x1f;
  const fraction = h & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

let table: Float32Array | undefined;

/** The value of each of the 65,536 halves; a look-up is several times faster than decoding. */
export function halfValues(): Float32Array {
  table ??= Float32Array.from({ length: 65536 }, (_, h) => valueOfHalf(h));
  return table;
}

/** `halves` may occupy the upper half of `out`'s memory, as in `bfloatToFloat`. */
export function halfToFloat(halves: Uint16Array, out: Float32Array = new Float32Array(halves.length)): Float32Array {
  const values = halfValues();
  for (let i = 0; i < halves.length; i++) out[i] = values[halves[i]];
  return out;
}

/** Rounds to nearest, ties to even; values beyond the range become infinity. */
export function floatToHalf(floats: Float32Array, out: Uint16Array = new Uint16Array(floats.length)): Uint16Array {
  const bits = new Uint32Array(floats.buffer, floats.byteOffset, floats.length);
  for (let i = 0; i < floats.length; i++) {
    const sign = (bits[i] >>> 16) & 0x8000;
    const magnitude = bits[i] & 0x7fffffff;
    const exponent = magnitude >>> 23;
    if (exponent >= 113 && exponent <= 142) {
      // A normal half: round at bit 13 (a carry goes into the exponent, and past the largest value to infinity), then rebias.
      out[i] = sign | ((magnitude + 0xfff + ((magnitude >>> 13) & 1) - (112 << 23)) >>> 13);
    } else if (exponent === 0xff) out[i] = sign | 0x7c00 | (magnitude & 0x7fffff ? 0x200 : 0);
    else if (exponent > 142) out[i] = sign | 0x7c00;
    else {
      // A subnormal half drops one more bit for each power of two below the smallest normal.
      const shift = Math.min(126 - exponent, 31);
      const significand = exponent ? (magnitude & 0x7fffff) | 0x800000 : 0;
      let half = significand >>> shift;
      const rest = significand & (2 ** shift - 1);
      const middle = 2 ** (shift - 1);
      if (rest > middle || (rest === middle && half & 1)) half++;
      out[i] = sign | half;
    }
  }
  return out;
}
