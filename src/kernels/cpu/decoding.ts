// Reference kernels of fused decoding: each calls the kernels that it replaces, in their order (contract/decoding.ts).
import type { KernelParams } from '../contract.ts';
import type { FloatArray } from '../device.ts';
import { matmul } from './linear.ts';
import { rmsnorm, rope, swiglu } from './norm.ts';
import { matmulF16, matmulQ4h, matmulQ8h, storeF16 } from './packed.ts';
import type { Reference } from './reference.ts';

type Shape = Pick<KernelParams<'matmul_f16'>, 'm' | 'n' | 'k' | 'beta'>;
/** c [m,n] = a [m,k] Bᵀ + beta·c with one of a call's matrices. */
type Product = (a: FloatArray, c: FloatArray, shape: Shape) => void;

const NOWHERE = { aOff: 0, bOff: 0, cOff: 0 };
const plain =
  (b: FloatArray): Product =>
  (a, c, shape) =>
    matmul([a, b, c], { ...shape, ...NOWHERE, ta: 0, tb: 1 });
const ofHalves =
  (b: Uint32Array): Product =>
  (a, c, shape) =>
    matmulF16([a, b, c], { ...shape, ...NOWHERE });
type Scaled = (b: Uint32Array, scale: Uint32Array, block: number) => Product;
const ofBytes: Scaled = (b, scale, block) => (a, c, shape) =>
  matmulQ8h([a, b, scale, c], { ...shape, ...NOWHERE, block });
const ofNibbles: Scaled = (b, scale, block) => (a, c, shape) =>
  matmulQ4h([a, b, scale, c], { ...shape, ...NOWHERE, block });

function each(
  a: FloatArray,
  of: readonly Product[],
  c: FloatArray,
  { m, k, n0, n1, n2, apart, beta }: KernelParams<'products'>,
): void {
  let at = 0;
  for (const [i, n] of [n0, n1, n2].entries()) {
    of[i](apart ? a.subarray(i * m * k, (i + 1) * m * k) : a, c.subarray(at, at + m * n), { m, n, k, beta });
    at += m * n;
  }
}

export const products: Reference<'products'> = ([a, b0, b1, b2, c], p) => each(a, [b0, b1, b2].map(plain), c, p);

export const productsF16: Reference<'products_f16'> = ([a, b0, b1, b2, c], p) =>
  each(a, [b0, b1, b2].map(ofHalves), c, p);

const scaledProducts =
  (of: Scaled): Reference<'products_q8h'> =>
  ([a, b0, scale0, b1, scale1, b2, scale2, c], p) =>
    each(a, [of(b0, scale0, p.block), of(b1, scale1, p.block), of(b2, scale2, p.block)], c, p);

export const productsQ8h = scaledProducts(ofBytes);
export const productsQ4h = scaledProducts(ofNibbles);

/** Allocates an intermediate array of the same precision as x, so that results are rounded as between separate kernels. */
const like = (x: FloatArray, length: number): FloatArray =>
  x instanceof Float64Array ? new Float64Array(length) : new Float32Array(length);

function gate(
  x: FloatArray,
  w: FloatArray,
  [toGate, toUp]: readonly [Product, Product],
  out: FloatArray,
  { m, n, k, eps }: KernelParams<'gated'>,
): void {
  const [h, rstd, gates, ups] = [like(x, m * k), like(x, m), like(x, m * n), like(x, m * n)];
  rmsnorm([x, w, h, rstd], { rows: m, dim: k, eps });
  toGate(h, gates, { m, n, k, beta: 0 });
  toUp(h, ups, { m, n, k, beta: 0 });
  swiglu([gates, ups, out], { n: m * n, upOff: 0 });
}

export const gated: Reference<'gated'> = ([x, w, b0, b1, out], p) => gate(x, w, [plain(b0), plain(b1)], out, p);

export const gatedF16: Reference<'gated_f16'> = ([x, w, b0, b1, out], p) =>
  gate(x, w, [ofHalves(b0), ofHalves(b1)], out, p);

const scaledGated =
  (of: Scaled): Reference<'gated_q8h'> =>
  ([x, w, b0, scale0, b1, scale1, out], p) =>
    gate(x, w, [of(b0, scale0, p.block), of(b1, scale1, p.block)], out, p);

export const gatedQ8h = scaledGated(ofBytes);
export const gatedQ4h = scaledGated(ofNibbles);

export const cacheHeads: Reference<'cache_heads'> = ([qkv, qNorm, kNorm, cos, sin, places, k, v], p) => {
  const { rows, heads, kvHeads, headDim, turned, shift, normed, eps } = p;
  const [q, kv] = [heads * headDim, kvHeads * headDim];
  const [qs, ks] = [qkv.subarray(0, rows * q), qkv.slice(rows * q, rows * (q + kv))];
  const pos = Uint32Array.from({ length: rows }, (_, row) => places[row * 2]);
  for (const [x, w, count] of [
    [qs, qNorm, heads],
    [ks, kNorm, kvHeads],
  ] as const) {
    if (normed) rmsnorm([x.slice(), w, x, like(x, rows * count)], { rows: rows * count, dim: headDim, eps });
    const rest = headDim - turned;
    rope([x, cos, sin, pos], { rows, heads: count, headDim: turned, shift, inverse: 0, rest });
  }
  for (let row = 0; row < rows; row++) {
    const to = (places[row * 2 + 1] + shift) * kv;
    k.set(ks.subarray(row * kv, (row + 1) * kv), to);
    const from = rows * (q + kv) + row * kv;
    v.set(qkv.subarray(from, from + kv), to);
  }
};

export const cacheHeadsF16: Reference<'cache_heads_f16'> = ([qkv, qNorm, kNorm, cos, sin, places, k, v], p) => {
  const { rows, kvHeads, headDim, shift } = p;
  const dim = kvHeads * headDim;
  const index = Uint32Array.from({ length: rows }, (_, row) => places[row * 2 + 1]);
  // The rows are first written into a temporary contiguous cache.
  const own = Uint32Array.from(places, (place, i) => (i % 2 === 0 ? place : i >> 1));
  const [keys, values] = [like(qkv, (rows + shift) * dim), like(qkv, (rows + shift) * dim)];
  cacheHeads([qkv, qNorm, kNorm, cos, sin, own, keys, values], p);
  for (const [src, dst] of [
    [keys, k],
    [values, v],
  ] as const)
    storeF16([src.subarray(shift * dim), index, dst], { rows, dim, shift, gathers: 0 });
};
