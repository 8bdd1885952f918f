// The contract of the adapter's kernels: gradients, projection, optimizer.
import { f, flat, kernel, u } from './kernel.ts';

export const ADAPTER = {
  /** out[outOff + j] = beta·out + Σ_{i < rows} p[rowOff+i, j] · q[rowOff+i, j], p and q [*, r]  (p = dy U, q = x Vhᵀ). */
  adapter_grad: flat({
    buffers: [f('p'), f('q'), f('out', 'rw')],
    params: { rows: 'u32', r: 'u32', rowOff: 'offset', outOff: 'offset', beta: 'flag' },
    extents: (p) => [(p.rowOff + p.rows) * p.r, (p.rowOff + p.rows) * p.r, p.outOff + p.r],
    invocations: (p) => p.r,
  }),
  /** out[outOff + j] = beta·out + Σ_c a[j,c] · b[j,c], a and b [r, cols]  (a = Uᵀ dW, b = Vh). */
  row_dot: kernel({
    buffers: [f('a'), f('b'), f('out', 'rw')],
    params: { r: 'u32', cols: 'u32', outOff: 'offset', beta: 'flag' },
    extents: (p) => [p.r * p.cols, p.r * p.cols, p.outOff + p.r],
  }),
  /** One round of one-sided Jacobi: rows of a [n, m] are the vectors to be made orthogonal, rows of v [n, nv] rotate with them.
   *  For i < count, (p, q) = pairs[pairOff + i] (disjoint within a round): α = ‖a_p‖², β = ‖a_q‖², γ = a_p·a_q; if γ² > tol²·αβ (and αβ > 0):
   *  ζ = (β−α)/2γ, t = sign(ζ)/(|ζ|+√(1+ζ²)), c = 1/√(1+t²), s = ct, (a_p, a_q) ← (c a_p − s a_q, s a_p + c a_q), likewise v; sign(0) = 1.
   *  off[pairOff + i] = |γ|/√(αβ) before the rotation (0 where αβ = 0). pairs [*, 2]. */
  jacobi_round: kernel({
    buffers: [f('a', 'rw'), f('v', 'rw'), u('pairs'), f('off', 'rw')],
    params: { m: 'u32', nv: 'u32', count: 'u32', pairOff: 'offset', tol: 'f32' },
    extents: (p) => [0, 0, (p.pairOff + p.count) * 2, p.pairOff + p.count],
  }),
  /** Projection of a gradient or a step, per module (a row of table: gOff, r, vOff, k, cOff): c = V g, V [k, r] at vOff;
   *  c_use = relu(c) (gate 0), c (1), 2c (2); removed = overshoot · c_use V; kept = g − removed; coef[cOff..+k] = c.
   *  A module with k = 0 is kept whole (removed 0). table [modules, 5]; g, kept, removed share their layout. */
  project: kernel({
    buffers: [f('g'), f('v'), u('table'), f('kept', 'w'), f('removed', 'w'), f('coef', 'w')],
    params: { modules: 'u32', gate: 'u32', overshoot: 'f32' },
    extents: (p) => [0, 0, p.modules * 5, 0, 0, 0],
  }),
  /** AdamW on n elements, decoupled decay: g' = gScale·g; m, v updated; p −= lr·(m·bc1/(√(v·bc2)+eps) + wd·p),
   *  bc1 = 1/(1−β1^t), bc2 = 1/(1−β2^t). */
  adamw: flat({
    buffers: [f('p', 'rw'), f('g'), f('m', 'rw'), f('v', 'rw')],
    params: {
      n: 'u32',
      lr: 'f32',
      beta1: 'f32',
      beta2: 'f32',
      eps: 'f32',
      wd: 'f32',
      bc1: 'f32',
      bc2: 'f32',
      gScale: 'f32',
    },
    extents: (p) => [p.n, p.n, p.n, p.n],
    invocations: (p) => p.n,
  }),
} as const;
