// AssemblyScript: a·b + c, which tells the two builds of these sources apart (scripts/wasm.mjs). The plain build rounds the product
// and then the sum; the fused one, compiled with relaxed SIMD, rounds once, on a machine that fuses. So every sum of products in
// these files is written with these functions, in loops over lanes and over what is left behind them alike: a number's bits never
// depend on whether it stood in a lane. A product that is summed otherwise (x·w·dy) is rounded first.

/** c + a·b in four lanes. */
@inline
export function fma4(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, c);
  return f32x4.add(c, f32x4.mul(a, b));
}

/** c − a·b in four lanes. */
@inline
export function fnma4(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_nmadd(a, b, c);
  return f32x4.sub(c, f32x4.mul(a, b));
}

/** c + a·b in two lanes of doubles. */
@inline
export function fma2(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f64x2.relaxed_madd(a, b, c);
  return f64x2.add(c, f64x2.mul(a, b));
}

/** c − a·b in two lanes of doubles. */
@inline
export function fnma2(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f64x2.relaxed_nmadd(a, b, c);
  return f64x2.sub(c, f64x2.mul(a, b));
}

/** c + a·b of one number, with a lane's bits. */
@inline
export function fma1(a: f32, b: f32, c: f32): f32 {
  if (ASC_FEATURE_RELAXED_SIMD)
    return f32x4.extract_lane(f32x4.relaxed_madd(f32x4.splat(a), f32x4.splat(b), f32x4.splat(c)), 0);
  return c + a * b;
}

/** c − a·b of one number, with a lane's bits. */
@inline
export function fnma1(a: f32, b: f32, c: f32): f32 {
  if (ASC_FEATURE_RELAXED_SIMD)
    return f32x4.extract_lane(f32x4.relaxed_nmadd(f32x4.splat(a), f32x4.splat(b), f32x4.splat(c)), 0);
  return c - a * b;
}

/** Lets the host ask with a value whether this build fuses on this machine: an instruction may be there and round
 *  twice. */
export function multiplyAdd(a: f32, b: f32, c: f32): f32 {
  return fma1(a, b, c);
}
