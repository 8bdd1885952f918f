// The contract of normalisation, position and activation.
import { f, flat, kernel, u } from './kernel.ts';

export const NORM = {
  /** y = x · rstd · w, rstd[row] = 1/sqrt(mean(x²) + eps), over rows of length dim (a head's q or k norm: rows = tokens·heads). */
  rmsnorm: kernel({
    buffers: [f('x'), f('w'), f('y', 'w'), f('rstd', 'w')],
    params: { rows: 'u32', dim: 'u32', eps: 'f32' },
    extents: (p) => [p.rows * p.dim, p.dim, p.rows * p.dim, p.rows],
  }),
  /** dx = beta·dx + ∂L/∂x. */
  rmsnorm_dx: kernel({
    buffers: [f('x'), f('w'), f('rstd'), f('dy'), f('dx', 'rw')],
    params: { rows: 'u32', dim: 'u32', beta: 'flag' },
    extents: (p) => [p.rows * p.dim, p.dim, p.rows, p.rows * p.dim, p.rows * p.dim],
  }),
  /** dw [dim] = beta·dw + Σ_rows dy · x · rstd. */
  rmsnorm_dw: kernel({
    buffers: [f('x'), f('rstd'), f('dy'), f('dw', 'rw')],
    params: { rows: 'u32', dim: 'u32', beta: 'flag' },
    extents: (p) => [p.rows * p.dim, p.rows, p.rows * p.dim, p.dim],
  }),
  /** In place on x [rows, heads, headDim]; rotate-half as in Hugging Face: pair (i, i + headDim/2) by the angle of position pos[row] + shift,
   *  cos/sin [maxPos, headDim/2]. inverse = 1 rotates back (the backward pass). `rest`: number of further dimensions in each head, after those
   *  headDim, that are not rotated. */
  rope: flat({
    buffers: [f('x', 'rw'), f('cos'), f('sin'), u('pos')],
    params: { rows: 'u32', heads: 'u32', headDim: 'u32', shift: 'offset', inverse: 'flag', rest: 'offset' },
    extents: (p) => [p.rows * p.heads * (p.headDim + p.rest), 0, 0, p.rows],
    refuse: (p) => (p.headDim % 2 === 0 ? null : `headDim ${p.headDim} is odd, rotate-half needs pairs`),
    invocations: (p) => (p.rows * p.heads * p.headDim) / 2,
  }),
  /** out = silu(gate) · up, up from upOff on. */
  swiglu: flat({
    buffers: [f('gate'), f('up'), f('out', 'w')],
    params: { n: 'u32', upOff: 'offset' },
    extents: (p) => [p.n, p.upOff + p.n, p.n],
    invocations: (p) => p.n,
  }),
  swiglu_grad: flat({
    buffers: [f('gate'), f('up'), f('dOut'), f('dGate', 'w'), f('dUp', 'w')],
    params: { n: 'u32' },
    extents: (p) => [p.n, p.n, p.n, p.n, p.n],
    invocations: (p) => p.n,
  }),
  /** out = x · σ(gate). */
  sigmoid_gate: flat({
    buffers: [f('x'), f('gate'), f('out', 'w')],
    params: { n: 'u32' },
    extents: (p) => [p.n, p.n, p.n],
    invocations: (p) => p.n,
  }),
  sigmoid_gate_grad: flat({
    buffers: [f('x'), f('gate'), f('dOut'), f('dX', 'w'), f('dGate', 'w')],
    params: { n: 'u32' },
    extents: (p) => [p.n, p.n, p.n, p.n, p.n],
    invocations: (p) => p.n,
  }),
} as const;
