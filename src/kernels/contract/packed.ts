// The contract of the kernels on packed (f16, 8 bits, 4 bits) and split matrices.
import { f, flat, kernel, u } from './kernel.ts';

const blocks = (p: { block: number }) => (p.block === 0 ? 'a block of 0 elements' : null);

/** Kernels that unpack integers, `perWord` per word, with one f16 scale per block. */
const unpack = (perWord: number) =>
  flat({
    buffers: [u('src'), u('scale'), f('dst', 'w')],
    params: { n: 'u32', srcOff: 'offset', block: 'u32' },
    extents: (p) => [Math.ceil((p.srcOff + p.n) / perWord), Math.ceil((p.srcOff + p.n) / p.block / 2), p.n],
    refuse: blocks,
    invocations: (p) => p.n,
  });
const product = (perWord: number) =>
  kernel({
    buffers: [f('a'), u('b'), u('scale'), f('c', 'rw')],
    params: {
      m: 'u32',
      n: 'u32',
      k: 'u32',
      aOff: 'offset',
      bOff: 'offset',
      cOff: 'offset',
      beta: 'flag',
      block: 'u32',
    },
    extents: (p) => {
      const end = p.bOff + p.k * p.n;
      return [p.aOff + p.m * p.k, Math.ceil(end / perWord), Math.ceil(end / p.block / 2), p.cOff + p.m * p.n];
    },
    refuse: blocks,
  });
const gather = (perWord: number) =>
  flat({
    buffers: [u('src'), u('scale'), u('index'), f('dst', 'rw')],
    params: { rows: 'u32', dim: 'u32', first: 'u32', count: 'u32', block: 'u32' },
    extents: (p) => {
      const n = p.count * p.dim;
      return [Math.ceil(n / perWord), Math.ceil(n / p.block / 2), p.rows, p.rows * p.dim];
    },
    refuse: blocks,
    invocations: (p) => p.rows * p.dim,
  });

export const PACKED = {
  // f16: element i is half (i mod 2) of word ⌊i/2⌋, the first in the low bits; finite, and subnormals keep their value.
  // q8: element i is byte (i mod 4) of word ⌊i/4⌋ as a signed integer, times scale[⌊i/block⌋].
  // q8h: as q8, with scales stored as f16.
  // q4h: as q8h, element i being 4 bits (i mod 8) of word ⌊i/8⌋, in two's complement.
  /** dst[0..n) = elements [srcOff, srcOff + n) of src. */
  unpack_f16: flat({
    buffers: [u('src'), f('dst', 'w')],
    params: { n: 'u32', srcOff: 'offset' },
    extents: (p) => [Math.ceil((p.srcOff + p.n) / 2), p.n],
    invocations: (p) => p.n,
  }),
  unpack_q8: flat({
    buffers: [u('src'), f('scale'), f('dst', 'w')],
    params: { n: 'u32', srcOff: 'offset', block: 'u32' },
    extents: (p) => [Math.ceil((p.srcOff + p.n) / 4), Math.ceil((p.srcOff + p.n) / p.block), p.n],
    refuse: blocks,
    invocations: (p) => p.n,
  }),
  unpack_q8h: unpack(4),
  unpack_q4h: unpack(8),
  /** C [m,n] = A [m,k] Bᵀ + beta·C, where B [n,k] is read in f16: gives the bits of unpack_f16, then matmul with tb = 1. For few rows (decoding),
   *  where reading B dominates the cost. bOff counts f16 elements. */
  matmul_f16: kernel({
    buffers: [f('a'), u('b'), f('c', 'rw')],
    params: { m: 'u32', n: 'u32', k: 'u32', aOff: 'offset', bOff: 'offset', cOff: 'offset', beta: 'flag' },
    extents: (p) => [p.aOff + p.m * p.k, Math.ceil((p.bOff + p.k * p.n) / 2), p.cOff + p.m * p.n],
  }),
  /** The same with B [n,k] as q8h, or q4h: gives the bits of unpack_q8h, or unpack_q4h, then matmul. bOff counts
   *  elements. */
  matmul_q8h: product(4),
  matmul_q4h: product(8),
  /** dst[i,:] = src[index[i] − first,:] where first ≤ index[i] < first + count; other rows of dst stay unchanged: src is the part of a table that
   *  begins at row `first`. */
  gather_part: flat({
    buffers: [f('src'), u('index'), f('dst', 'rw')],
    params: { rows: 'u32', dim: 'u32', first: 'u32', count: 'u32' },
    extents: (p) => [p.count * p.dim, p.rows, p.rows * p.dim],
    invocations: (p) => p.rows * p.dim,
  }),
  gather_f16: flat({
    buffers: [u('src'), u('index'), f('dst', 'rw')],
    params: { rows: 'u32', dim: 'u32', first: 'u32', count: 'u32' },
    extents: (p) => [Math.ceil((p.count * p.dim) / 2), p.rows, p.rows * p.dim],
    invocations: (p) => p.rows * p.dim,
  }),
  gather_q8: flat({
    buffers: [u('src'), f('scale'), u('index'), f('dst', 'rw')],
    params: { rows: 'u32', dim: 'u32', first: 'u32', count: 'u32', block: 'u32' },
    extents: (p) => {
      const n = p.count * p.dim;
      return [Math.ceil(n / 4), Math.ceil(n / p.block), p.rows, p.rows * p.dim];
    },
    refuse: blocks,
    invocations: (p) => p.rows * p.dim,
  }),
  gather_q8h: gather(4),
  gather_q4h: gather(8),
  /** Stores rows as f16, rounded to the nearest, ties to even. Magnitudes beyond 65,504 and NaN become ±65,504; magnitudes below 2⁻¹⁴ become 0.
   *  dst[index[i] + shift,:] = src[i,:], or with `gathers` dst[i + shift,:] = src[index[i],:]. */
  store_f16: flat({
    buffers: [f('src'), u('index'), u('dst', 'rw')],
    params: { rows: 'u32', dim: 'u32', shift: 'offset', gathers: 'flag' },
    extents: (p) => [p.gathers ? 0 : p.rows * p.dim, p.rows, p.gathers ? ((p.rows + p.shift) * p.dim) / 2 : 0],
    refuse: (p) => (p.dim % 2 === 0 ? null : `a row of ${p.dim} ends within a word`),
    invocations: (p) => (p.rows * p.dim) / 2,
  }),
  /** dst[dstOff + row·dstStride + col] = src[srcOff + row·srcStride + col] for row < rows, col < cols. */
  move_cols: flat({
    buffers: [f('src'), f('dst', 'rw')],
    params: { rows: 'u32', cols: 'u32', srcStride: 'u32', srcOff: 'offset', dstStride: 'u32', dstOff: 'offset' },
    extents: (p) =>
      p.rows === 0 || p.cols === 0
        ? [0, 0]
        : [p.srcOff + (p.rows - 1) * p.srcStride + p.cols, p.dstOff + (p.rows - 1) * p.dstStride + p.cols],
    invocations: (p) => p.rows * p.cols,
  }),
} as const;
