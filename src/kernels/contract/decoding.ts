// The contract of fused decoding kernels: with few rows the cost of a call dominates. Each gives the bits of the kernels that it replaces, called
// one after another (decoding.test.ts). B [n,k] is read in its stored format.
import { f, kernel, u } from './kernel.ts';

interface Products {
  m: number;
  k: number;
  n0: number;
  n1: number;
  n2: number;
  apart: number;
}

const PRODUCTS = { m: 'u32', k: 'u32', n0: 'u32', n1: 'u32', n2: 'u32', apart: 'flag', beta: 'flag' } as const;

const widths = (p: Products) => p.n0 + p.n1 + p.n2;
/** Elements of A and of C. */
const ofProducts = (p: Products) => {
  const parts = p.n2 > 0 ? 3 : p.n1 > 0 ? 2 : 1;
  return [(p.apart ? parts : 1) * p.m * p.k, p.m * widths(p)] as const;
};

interface Gated {
  m: number;
  n: number;
  k: number;
}

const GATED = { m: 'u32', k: 'u32', n: 'u32' } as const;
const ofGated = (p: Gated) => [p.m * p.k, p.k, p.m * p.n] as const;

const byFours = ({ k }: { k: number }) => (k % 4 === 0 ? null : `k ${k} is no multiple of four`);
const byFoursInBlocks = (p: { k: number; block: number }) =>
  p.block % 4 === 0 && p.block > 0 ? byFours(p) : `a block of ${p.block} elements is no multiple of four`;

const halves = (n: number) => Math.ceil(n / 2);
const scales = (n: number, block: number) => Math.ceil(n / block / 2);

/** Products with matrices of integers, `perWord` per word, with one f16 scale per block. */
const scaledProducts = (perWord: number) =>
  kernel({
    buffers: [f('a'), u('b0'), u('scale0'), u('b1'), u('scale1'), u('b2'), u('scale2'), f('c', 'rw')],
    params: { ...PRODUCTS, block: 'u32' },
    extents: (p) => {
      const [a, c] = ofProducts(p);
      const words = (n: number) => Math.ceil((n * p.k) / perWord);
      const halved = (n: number) => scales(n * p.k, p.block);
      return [a, words(p.n0), halved(p.n0), words(p.n1), halved(p.n1), words(p.n2), halved(p.n2), c];
    },
    refuse: byFoursInBlocks,
  });
const scaledGated = (perWord: number) =>
  kernel({
    buffers: [f('x'), f('w'), u('b0'), u('scale0'), u('b1'), u('scale1'), f('out', 'w')],
    params: { ...GATED, block: 'u32', eps: 'f32' },
    extents: (p) => {
      const [x, w, out] = ofGated(p);
      const [words, halved] = [Math.ceil((p.n * p.k) / perWord), scales(p.n * p.k, p.block)];
      return [x, w, words, halved, words, halved, out];
    },
    refuse: byFoursInBlocks,
  });

const HEADS = [f('qkv', 'rw'), f('qNorm'), f('kNorm'), f('cos'), f('sin'), u('places')] as const;
const CACHED = {
  rows: 'u32',
  heads: 'u32',
  kvHeads: 'u32',
  headDim: 'u32',
  turned: 'u32',
  shift: 'offset',
  normed: 'flag',
  eps: 'f32',
} as const;
type Cached = { [P in keyof typeof CACHED]: number };
const ofHeads = (p: Cached) => {
  const norm = p.normed ? p.headDim : 0;
  return [p.rows * (p.heads + 2 * p.kvHeads) * p.headDim, norm, norm, 0, 0, p.rows * 2] as const;
};
const pairs = (p: Cached) =>
  p.turned % 2 === 0 && p.turned <= p.headDim ? null : `${p.turned} numbers of a head of ${p.headDim} are no pairs`;

export const DECODING = {
  /** C_i [m,n_i] = A B_iᵀ + beta·C_i for three matrices B_i [n_i,k]; the last ones may have no rows (bind any matrix then). c holds C_0, C_1, C_2
   *  one after another. With `apart` a likewise holds A_0, A_1, A_2 [m,k], and A_i replaces A. Like matmul with tb = 1. */
  products: kernel({
    buffers: [f('a'), f('b0'), f('b1'), f('b2'), f('c', 'rw')],
    params: PRODUCTS,
    extents: (p) => [ofProducts(p)[0], p.n0 * p.k, p.n1 * p.k, p.n2 * p.k, ofProducts(p)[1]],
    refuse: byFours,
  }),
  /** B_i in the format of matmul_f16. */
  products_f16: kernel({
    buffers: [f('a'), u('b0'), u('b1'), u('b2'), f('c', 'rw')],
    params: PRODUCTS,
    extents: (p) => [ofProducts(p)[0], halves(p.n0 * p.k), halves(p.n1 * p.k), halves(p.n2 * p.k), ofProducts(p)[1]],
    refuse: byFours,
  }),
  /** B_i in the formats of matmul_q8h and matmul_q4h. */
  products_q8h: scaledProducts(4),
  products_q4h: scaledProducts(8),
  /** out [m,n] = silu(h B_0ᵀ) · (h B_1ᵀ), h [m,k] = x · rstd · w: rmsnorm, two products with tb = 1, swiglu. */
  gated: kernel({
    buffers: [f('x'), f('w'), f('b0'), f('b1'), f('out', 'w')],
    params: { ...GATED, eps: 'f32' },
    extents: (p) => [ofGated(p)[0], p.k, p.n * p.k, p.n * p.k, ofGated(p)[2]],
    refuse: byFours,
  }),
  gated_f16: kernel({
    buffers: [f('x'), f('w'), u('b0'), u('b1'), f('out', 'w')],
    params: { ...GATED, eps: 'f32' },
    extents: (p) => [ofGated(p)[0], p.k, halves(p.n * p.k), halves(p.n * p.k), ofGated(p)[2]],
    refuse: byFours,
  }),
  gated_q8h: scaledGated(4),
  gated_q4h: scaledGated(8),
  /** Takes q, k and v from their products to attention: qkv holds q [rows, heads·headDim], then k and v [rows,
   *  kvHeads·headDim]. q is normed (if `normed`; else bind any buffer as qNorm and kNorm) and rotated in place as by
   *  rope, in the first `turned` dimensions of a head. k is normed and rotated likewise; it and v, unchanged, are
   *  written to row places[row,1] + shift of the cache. places [rows, 2]: position and cache row; `shift` is added to
   *  both. */
  cache_heads: kernel({
    buffers: [...HEADS, f('k', 'rw'), f('v', 'rw')],
    params: CACHED,
    extents: (p) => [...ofHeads(p), 0, 0],
    refuse: pairs,
  }),
  /** The same into an f16 cache, rounded as by store_f16. */
  cache_heads_f16: kernel({
    buffers: [...HEADS, u('k', 'rw'), u('v', 'rw')],
    params: CACHED,
    extents: (p) => [...ofHeads(p), 0, 0],
    refuse: (p) => pairs(p) ?? (p.headDim % 2 === 0 ? null : `a head of ${p.headDim} ends within a word`),
  }),
} as const;
