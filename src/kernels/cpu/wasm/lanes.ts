// AssemblyScript: shared pieces of the SIMD kernels: exp on four lanes, horizontal sums, dot products. A lane's result
// never depends on its neighbours, so the last, partial vector of a row may be computed in padded lanes.

/** e^x to about 1e-7 relative (Cephes expf): x = n·ln2 + r, a polynomial in r, 2^n through the exponent bits.
 *  0 below -87.33 (where 2^n would leave the normal numbers), NaN for NaN. */
export function exp4(x: v128): v128 {
  const lowest = f32x4.splat(-87.33654);
  const c = f32x4.pmin(f32x4.pmax(x, lowest), f32x4.splat(88.37626));
  const n = f32x4.nearest(f32x4.mul(c, f32x4.splat(1.44269504088896341)));
  // ln 2 in two parts: the first has so few bits that n times it is exact.
  let r = f32x4.sub(c, f32x4.mul(n, f32x4.splat(0.693359375)));
  r = f32x4.sub(r, f32x4.mul(n, f32x4.splat(-2.12194440e-4)));
  let p = f32x4.splat(1.9875691500e-4);
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.3981999507e-3));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(8.3334519073e-3));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(4.1665795894e-2));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.6666665459e-1));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(5.0000001201e-1));
  p = f32x4.add(f32x4.add(f32x4.mul(p, f32x4.mul(r, r)), r), f32x4.splat(1));
  const exponent = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23);
  return v128.andnot(f32x4.mul(p, exponent), f32x4.lt(x, lowest));
}

export function exp1(x: f32): f32 {
  return f32x4.extract_lane(exp4(f32x4.splat(x)), 0);
}

export function sum4(x: v128): f32 {
  return (
    f32x4.extract_lane(x, 0) + f32x4.extract_lane(x, 1) + (f32x4.extract_lane(x, 2) + f32x4.extract_lane(x, 3))
  );
}

/** The sums of four vectors as one vector. */
export function sums(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(v128.shuffle<f32>(a, b, 0, 4, 1, 5), v128.shuffle<f32>(a, b, 2, 6, 3, 7));
  const cd = f32x4.add(v128.shuffle<f32>(c, d, 0, 4, 1, 5), v128.shuffle<f32>(c, d, 2, 6, 3, 7));
  return f32x4.add(v128.shuffle<f64>(ab, cd, 0, 2), v128.shuffle<f64>(ab, cd, 1, 3));
}

/** Up to three remaining floats at `from`, zeros (or `pad`) behind them. */
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

/** Σ a·b over n floats: single precision within runs of 64, double across them. */
export function dot(a: usize, b: usize, n: i32): f64 {
  let total: f64 = 0;
  let i = 0;
  while (i + 4 <= n) {
    let s = f32x4.splat(0);
    const stop = min(i + 64, n & ~3);
    for (; i < stop; i += 4) {
      s = f32x4.add(s, f32x4.mul(v128.load(a + <usize>i * 4), v128.load(b + <usize>i * 4)));
    }
    total += <f64>sum4(s);
  }
  for (; i < n; i++) total += <f64>(load<f32>(a + <usize>i * 4) * load<f32>(b + <usize>i * 4));
  return total;
}

/** Σ a·b over n floats, all in double. */
export function dotDouble(a: usize, b: usize, n: i32): f64 {
  let s0 = f64x2.splat(0);
  let s1 = s0;
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    const x = v128.load(a + <usize>i * 4);
    const y = v128.load(b + <usize>i * 4);
    s0 = f64x2.add(s0, f64x2.mul(f64x2.promote_low_f32x4(x), f64x2.promote_low_f32x4(y)));
    s1 = f64x2.add(
      s1,
      f64x2.mul(
        f64x2.promote_low_f32x4(v128.shuffle<f64>(x, x, 1, 1)),
        f64x2.promote_low_f32x4(v128.shuffle<f64>(y, y, 1, 1)),
      ),
    );
  }
  s0 = f64x2.add(s0, s1);
  let total = f64x2.extract_lane(s0, 0) + f64x2.extract_lane(s0, 1);
  for (; i < n; i++) total += <f64>load<f32>(a + <usize>i * 4) * <f64>load<f32>(b + <usize>i * 4);
  return total;
}
