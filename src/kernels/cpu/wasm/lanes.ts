// AssemblyScript helpers of the SIMD kernels: exp of four lanes, horizontal sums, dot products. A lane's result never
// depends on the other lanes, so the last, partial vector of a row can be padded.

import { fma2, fma4, fnma4 } from './fma';

/** exp4's constants, in memory, since loading them is cheaper than rebuilding vector constants at each use: the smallest
 *  x, the largest, 1/ln 2, the rounding constant, ln 2 in two parts (the first has so few bits that n times it is exact),
 *  and the polynomial's coefficients from the highest power. */
const EXP = memory.data<f32>(
  [
    -87.33654, 88.37626, 1.44269504088896341, 12582912, 0.693359375, -2.12194440e-4, 1.9875691500e-4,
    1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1, 1,
  ],
  16,
);
const EXPONENT_BIAS = memory.data<i32>([127], 16);

/** e^x to about 1e-7 relative (Cephes expf): x = n·ln2 + r, a polynomial in r, 2^n through the exponent bits.
 *  0 below -87.33 (where 2^n would leave the normal numbers), NaN for NaN. */
@inline
export function exp4(x: v128): v128 {
  const c = f32x4.pmin(x, v128.load32_splat(EXP, 4));
  // Adding 1.5·2^23 rounds to the nearest integer, ties to even, and leaves it in the low bits.
  const rounder = v128.load32_splat(EXP, 12);
  const shifted = fma4(c, v128.load32_splat(EXP, 8), rounder);
  const n = f32x4.sub(shifted, rounder);
  let r = fnma4(n, v128.load32_splat(EXP, 16), c);
  r = fnma4(n, v128.load32_splat(EXP, 20), r);
  let p = v128.load32_splat(EXP, 24);
  p = fma4(p, r, v128.load32_splat(EXP, 28));
  p = fma4(p, r, v128.load32_splat(EXP, 32));
  p = fma4(p, r, v128.load32_splat(EXP, 36));
  p = fma4(p, r, v128.load32_splat(EXP, 40));
  p = fma4(p, r, v128.load32_splat(EXP, 44));
  p = f32x4.add(fma4(p, f32x4.mul(r, r), r), v128.load32_splat(EXP, 48));
  // n + 127 becomes the exponent; the bits of the rounding constant are shifted out.
  const exponent = i32x4.shl(i32x4.add(shifted, v128.load32_splat(EXPONENT_BIAS)), 23);
  // Results for x below the smallest are set to 0.
  return v128.andnot(f32x4.mul(p, exponent), f32x4.lt(x, v128.load32_splat(EXP)));
}

/** 1 in four lanes. */
@inline
export function one4(): v128 {
  return v128.load32_splat(EXP, 48);
}

export function exp1(x: f32): f32 {
  return f32x4.extract_lane(exp4(f32x4.splat(x)), 0);
}

export function sum4(x: v128): f32 {
  return (
    f32x4.extract_lane(x, 0) + f32x4.extract_lane(x, 1) + (f32x4.extract_lane(x, 2) + f32x4.extract_lane(x, 3))
  );
}

/** The horizontal sums of four vectors, as one vector. */
export function sums(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(v128.shuffle<f32>(a, b, 0, 4, 1, 5), v128.shuffle<f32>(a, b, 2, 6, 3, 7));
  const cd = f32x4.add(v128.shuffle<f32>(c, d, 0, 4, 1, 5), v128.shuffle<f32>(c, d, 2, 6, 3, 7));
  return f32x4.add(v128.shuffle<f64>(ab, cd, 0, 2), v128.shuffle<f64>(ab, cd, 1, 3));
}

/** Loads up to three remaining floats at `from`, padded with `pad`. */
export function loadPart(from: usize, count: i32, pad: f32): v128 {
  let x = f32x4.splat(pad);
  if (count > 0) x = f32x4.replace_lane(x, 0, load<f32>(from));
  if (count > 1) x = f32x4.replace_lane(x, 1, load<f32>(from, 4));
  if (count > 2) x = f32x4.replace_lane(x, 2, load<f32>(from, 8));
  return x;
}

export function storePart(to: usize, count: i32, x: v128): void {
  if (count > 0) store<f32>(to, f32x4.extract_lane(x, 0));
  if (count > 1) store<f32>(to, f32x4.extract_lane(x, 1), 4);
  if (count > 2) store<f32>(to, f32x4.extract_lane(x, 2), 8);
}

/** Σ a·b over n floats, in single precision within runs of 64 and in double precision across them. */
export function dot(a: usize, b: usize, n: i32): f64 {
  let total: f64 = 0;
  let i = 0;
  while (i + 4 <= n) {
    let s = f32x4.splat(0);
    const stop = min(i + 64, n & ~3);
    for (; i < stop; i += 4) {
      s = fma4(v128.load(a + <usize>i * 4), v128.load(b + <usize>i * 4), s);
    }
    total += <f64>sum4(s);
  }
  for (; i < n; i++) total += <f64>(load<f32>(a + <usize>i * 4) * load<f32>(b + <usize>i * 4));
  return total;
}

/** Σ a·b over n floats, in double precision. */
export function dotDouble(a: usize, b: usize, n: i32): f64 {
  let s0 = f64x2.splat(0);
  let s1 = s0;
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    const x = v128.load(a + <usize>i * 4);
    const y = v128.load(b + <usize>i * 4);
    s0 = fma2(f64x2.promote_low_f32x4(x), f64x2.promote_low_f32x4(y), s0);
    s1 = fma2(f64x2.promote_low_f32x4(v128.shuffle<f64>(x, x, 1, 1)), f64x2.promote_low_f32x4(v128.shuffle<f64>(y, y, 1, 1)), s1);
  }
  s0 = f64x2.add(s0, s1);
  let total = f64x2.extract_lane(s0, 0) + f64x2.extract_lane(s0, 1);
  for (; i < n; i++) total += <f64>load<f32>(a + <usize>i * 4) * <f64>load<f32>(b + <usize>i * 4);
  return total;
}
