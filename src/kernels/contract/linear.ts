// The contract of linear algebra: products, sums and element-wise kernels.
import { f, flat, kernel } from './kernel.ts';

export const LINEAR = {
  /** C [m,n] = op(A) op(B) + beta·C. ta = 1: A is stored [k,m]; tb = 1: B is stored [n,k]. beta is 0 or 1.
   *  Each element sums over k in ascending order with one accumulator (starting from 0; beta·C is added last). */
  matmul: kernel({
    buffers: [f('a'), f('b'), f('c', 'rw')],
    params: {
      m: 'u32',
      n: 'u32',
      k: 'u32',
      aOff: 'offset',
      bOff: 'offset',
      cOff: 'offset',
      ta: 'flag',
      tb: 'flag',
      beta: 'flag',
    },
    extents: (p) => [p.aOff + p.m * p.k, p.bOff + p.k * p.n, p.cOff + p.m * p.n],
  }),
  /** x [rows,cols] += bias [cols]. */
  bias_add: flat({
    buffers: [f('x', 'rw'), f('bias')],
    params: { rows: 'u32', cols: 'u32' },
    extents: (p) => [p.rows * p.cols, p.cols],
    invocations: (p) => p.rows * p.cols,
  }),
  /** out [cols] = beta·out + Σ_r x[r,:]  (bias gradient). */
  col_sum: kernel({
    buffers: [f('x'), f('out', 'rw')],
    params: { rows: 'u32', cols: 'u32', beta: 'flag' },
    extents: (p) => [p.rows * p.cols, p.cols],
  }),
  /** dst [rows,cols] = s[sOff + row] · src. Used to fold an update into W: W' = W + U (diag(δ) Vh). */
  scale_rows: flat({
    buffers: [f('src'), f('s'), f('dst', 'w')],
    params: { rows: 'u32', cols: 'u32', sOff: 'offset' },
    extents: (p) => [p.rows * p.cols, p.sOff + p.rows, p.rows * p.cols],
    invocations: (p) => p.rows * p.cols,
  }),
  /** x [rows,cols] *= s[sOff + col], x from xOff on. Used for an unfolded update: U (δ ∘ (Vh x)). */
  scale_cols: flat({
    buffers: [f('x', 'rw'), f('s')],
    params: { rows: 'u32', cols: 'u32', sOff: 'offset', xOff: 'offset' },
    extents: (p) => [p.xOff + p.rows * p.cols, p.sOff + p.cols],
    invocations: (p) => p.rows * p.cols,
  }),
  /** x[xOff..+n] += y[yOff..+n]. */
  add: flat({
    buffers: [f('x', 'rw'), f('y')],
    params: { n: 'u32', xOff: 'offset', yOff: 'offset' },
    extents: (p) => [p.xOff + p.n, p.yOff + p.n],
    invocations: (p) => p.n,
  }),
  /** dst[dstOff..+n] = src[srcOff..+n]. */
  copy: flat({
    buffers: [f('src'), f('dst', 'rw')],
    params: { n: 'u32', srcOff: 'offset', dstOff: 'offset' },
    extents: (p) => [p.srcOff + p.n, p.dstOff + p.n],
    invocations: (p) => p.n,
  }),
  /** x[off..+n] = value. */
  fill: flat({
    buffers: [f('x', 'rw')],
    params: { n: 'u32', off: 'offset', value: 'f32' },
    extents: (p) => [p.off + p.n],
    invocations: (p) => p.n,
  }),
  /** out[outOff] = Σ x[off..+n]² (fixed order). */
  sumsq: kernel({
    buffers: [f('x'), f('out', 'rw')],
    params: { n: 'u32', off: 'offset', outOff: 'offset' },
    extents: (p) => [p.off + p.n, p.outOff + 1],
  }),
} as const;
