// AssemblyScript helpers: a·b + c, in which the two builds of these sources differ (scripts/wasm.mjs). The plain build rounds the product
// and then the sum; the fused build, compiled with relaxed SIMD, rounds once on a machine with fused multiply-adds. Sums of
// products in these files use these functions, in vector loops and mostly in the scalar loops for remaining elements too, so that their
// results do not depend on whether an element was in a vector; the last elements of `dot` and the sums of head.ts round the product.

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

/** c + a·b in two f64 lanes. */
@inline
export function fma2(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f64x2.relaxed_madd(a, b, c);
  return f64x2.add(c, f64x2.mul(a, b));
}

/** c − a·b in two f64 lanes. */
@inline
export function fnma2(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f64x2.relaxed_nmadd(a, b, c);
  return f64x2.sub(c, f64x2.mul(a, b));
}

/** c + a·b of one number, with the same bits as in a vector. */
@inline
export function fma1(a: f32, b: f32, c: f32): f32 {
  if (ASC_FEATURE_RELAXED_SIMD)
    return f32x4.extract_lane(f32x4.relaxed_madd(f32x4.splat(a), f32x4.splat(b), f32x4.splat(c)), 0);
  return c + a * b;
}

/** c − a·b of one number, with the same bits as in a vector. */
@inline
export function fnma1(a: f32, b: f32, c: f32): f32 {
  if (ASC_FEATURE_RELAXED_SIMD)
    return f32x4.extract_lane(f32x4.relaxed_nmadd(f32x4.splat(a), f32x4.splat(b), f32x4.splat(c)), 0);
  return c - a * b;
}

/** Lets the host test with a value whether this build fuses on this machine, since the instruction may exist but round
 *  twice. */
export function multiplyAdd(a: f32, b: f32, c: f32): f32 {
  return fma1(a, b, c);
}
