// The kernels' contract: for every kernel its buffers in binding order (r = read, w = written, rw = both; dtype) and
// its scalar parameters in the order in which they lie in the WGSL uniform struct. Both devices implement exactly this table:
//   shaders/<family>/<kernel>.wgsl + src/kernels/webgpu/programs.ts      and      src/kernels/cpu/<family>.ts (twins)
// All matrices are row-major; every `…Off` is an offset in elements. u32 parameters are non-negative integers.
// Determinism: every reduction runs in a fixed order; no atomics. Each output element of a row-wise kernel depends on its
// own row alone, so a result does not change with the batch around it.

export type Access = 'r' | 'w' | 'rw';
export interface BufferSpec {
  readonly name: string;
  readonly dtype: 'f32' | 'u32';
  readonly access: Access;
}
export type ParamType = 'u32' | 'f32';
export interface KernelSpec {
  readonly buffers: readonly BufferSpec[];
  readonly params: Readonly<Record<string, ParamType>>;
}

const f = <const N extends string>(name: N, access: Access = 'r') => ({ name, dtype: 'f32', access }) as const;
const u = <const N extends string>(name: N, access: Access = 'r') => ({ name, dtype: 'u32', access }) as const;

export const KERNELS = {
  // ---- linear algebra -------------------------------------------------------------------------------------------
  /** C [m,n] = op(A) op(B) + beta·C. ta = 1: A is stored [k,m]; tb = 1: B is stored [n,k]. beta is 0 or 1.
   *  Each element sums over k in ascending order with one accumulator (starting from 0; beta·C is added last). */
  matmul: {
    buffers: [f('a'), f('b'), f('c', 'rw')],
    params: { m: 'u32', n: 'u32', k: 'u32', aOff: 'u32', bOff: 'u32', cOff: 'u32', ta: 'u32', tb: 'u32', beta: 'u32' },
  },
  /** x [rows,cols] += bias [cols]. */
  bias_add: { buffers: [f('x', 'rw'), f('bias')], params: { rows: 'u32', cols: 'u32' } },
  /** out [cols] = beta·out + Σ_r x[r,:]  (bias gradient). */
  col_sum: { buffers: [f('x'), f('out', 'rw')], params: { rows: 'u32', cols: 'u32', beta: 'u32' } },
  /** dst [rows,cols] = s[sOff + row] · src. Used to fold: W' = W + U (diag(δ) Vh). */
  scale_rows: { buffers: [f('src'), f('s'), f('dst', 'w')], params: { rows: 'u32', cols: 'u32', sOff: 'u32' } },
  /** x[xOff..+n] += y[yOff..+n]. */
  add: { buffers: [f('x', 'rw'), f('y')], params: { n: 'u32', xOff: 'u32', yOff: 'u32' } },
  /** dst[dstOff..+n] = src[srcOff..+n]. */
  copy: { buffers: [f('src'), f('dst', 'rw')], params: { n: 'u32', srcOff: 'u32', dstOff: 'u32' } },
  /** x[off..+n] = value. */
  fill: { buffers: [f('x', 'rw')], params: { n: 'u32', off: 'u32', value: 'f32' } },
  /** out[outOff] = Σ x[off..+n]² (fixed order). */
  sumsq: { buffers: [f('x'), f('out', 'rw')], params: { n: 'u32', off: 'u32', outOff: 'u32' } },

  // ---- rows -----------------------------------------------------------------------------------------------------
  /** dst[i,:] = src[index[i],:]. Also the embedding look-up (src = table, index = token ids). */
  gather_rows: { buffers: [f('src'), u('index'), f('dst', 'w')], params: { rows: 'u32', dim: 'u32' } },
  /** dst[index[i] + shift,:] = src[i,:] (add = 0) or += (add = 1). Indices are distinct. Also the KV-cache write. */
  scatter_rows: {
    buffers: [f('src'), u('index'), f('dst', 'rw')],
    params: { rows: 'u32', dim: 'u32', shift: 'u32', add: 'u32' },
  },
  /** Embedding gradient: dTable[v,:] += Σ_{j = starts[v]}^{starts[v+1]-1} dy[order[j],:]  (starts [vocab+1], order [rows]). */
  embed_grad: {
    buffers: [f('dy'), u('starts'), u('order'), f('dTable', 'rw')],
    params: { vocab: 'u32', dim: 'u32' },
  },

  // ---- packed and split matrices ------------------------------------------------------------------------------------
  // f16: element i is half (i mod 2) of word ⌊i/2⌋, the first in the low bits; finite, and subnormals keep their value.
  // q8: element i is byte (i mod 4) of word ⌊i/4⌋ as a signed integer, times scale[⌊i/block⌋].
  // q8h: as q8, with scales that lie as f16 does.
  /** dst[0..n) = elements [srcOff, srcOff + n) of src. */
  unpack_f16: { buffers: [u('src'), f('dst', 'w')], params: { n: 'u32', srcOff: 'u32' } },
  unpack_q8: { buffers: [u('src'), f('scale'), f('dst', 'w')], params: { n: 'u32', srcOff: 'u32', block: 'u32' } },
  unpack_q8h: { buffers: [u('src'), u('scale'), f('dst', 'w')], params: { n: 'u32', srcOff: 'u32', block: 'u32' } },
  /** C [m,n] = A [m,k] Bᵀ + beta·C, B [n,k] in f16 as it lies: the bits of unpack_f16 and then matmul with tb = 1. For few rows
   *  (decoding), where moving B is what a product costs. bOff in halves. */
  matmul_f16: {
    buffers: [f('a'), u('b'), f('c', 'rw')],
    params: { m: 'u32', n: 'u32', k: 'u32', aOff: 'u32', bOff: 'u32', cOff: 'u32', beta: 'u32' },
  },
  /** The same with B [n,k] as q8h: the bits of unpack_q8h and then matmul. bOff in bytes. */
  matmul_q8h: {
    buffers: [f('a'), u('b'), u('scale'), f('c', 'rw')],
    params: {
      ...{ m: 'u32', n: 'u32', k: 'u32', aOff: 'u32', bOff: 'u32', cOff: 'u32', beta: 'u32', block: 'u32' },
    },
  },
  /** dst[i,:] = src[index[i] − first,:] where first ≤ index[i] < first + count; other rows of dst are left alone: src is the
   *  part of a table that begins at row `first`. */
  gather_part: {
    buffers: [f('src'), u('index'), f('dst', 'rw')],
    params: { rows: 'u32', dim: 'u32', first: 'u32', count: 'u32' },
  },
  gather_f16: {
    buffers: [u('src'), u('index'), f('dst', 'rw')],
    params: { rows: 'u32', dim: 'u32', first: 'u32', count: 'u32' },
  },
  gather_q8: {
    buffers: [u('src'), f('scale'), u('index'), f('dst', 'rw')],
    params: { rows: 'u32', dim: 'u32', first: 'u32', count: 'u32', block: 'u32' },
  },
  gather_q8h: {
    buffers: [u('src'), u('scale'), u('index'), f('dst', 'rw')],
    params: { rows: 'u32', dim: 'u32', first: 'u32', count: 'u32', block: 'u32' },
  },
  /** dst[dstOff + row·dstStride + col] = src[srcOff + row·srcStride + col] for row < rows, col < cols. */
  move_cols: {
    buffers: [f('src'), f('dst', 'rw')],
    params: { rows: 'u32', cols: 'u32', srcStride: 'u32', srcOff: 'u32', dstStride: 'u32', dstOff: 'u32' },
  },

  // ---- normalisation, position, activation ------------------------------------------------------------------------
  /** y = x · rstd · w, rstd[row] = 1/sqrt(mean(x²) + eps), over rows of length dim (a head's q or k norm: rows = tokens·heads). */
  rmsnorm: {
    buffers: [f('x'), f('w'), f('y', 'w'), f('rstd', 'w')],
    params: { rows: 'u32', dim: 'u32', eps: 'f32' },
  },
  /** dx = beta·dx + ∂L/∂x. */
  rmsnorm_dx: {
    buffers: [f('x'), f('w'), f('rstd'), f('dy'), f('dx', 'rw')],
    params: { rows: 'u32', dim: 'u32', beta: 'u32' },
  },
  /** dw [dim] = beta·dw + Σ_rows dy · x · rstd. */
  rmsnorm_dw: {
    buffers: [f('x'), f('rstd'), f('dy'), f('dw', 'rw')],
    params: { rows: 'u32', dim: 'u32', beta: 'u32' },
  },
  /** In place on x [rows, heads, headDim]; rotate-half as in Hugging Face: pair (i, i + headDim/2) by the angle of
   *  position pos[row] + shift, cos/sin [maxPos, headDim/2]. inverse = 1 rotates back (the backward pass). */
  rope: {
    buffers: [f('x', 'rw'), f('cos'), f('sin'), u('pos')],
    params: { rows: 'u32', heads: 'u32', headDim: 'u32', shift: 'u32', inverse: 'u32' },
  },
  /** out = silu(gate) · up. */
  swiglu: { buffers: [f('gate'), f('up'), f('out', 'w')], params: { n: 'u32' } },
  swiglu_grad: {
    buffers: [f('gate'), f('up'), f('dOut'), f('dGate', 'w'), f('dUp', 'w')],
    params: { n: 'u32' },
  },

  // ---- attention (packed ragged rows, shared prefixes) ------------------------------------------------------------
  // Query row i attends the key/value rows [a0,a1) and then [b0, b1+grow) of ranges[i] = (a0,a1,b0,b1); either may be empty,
  // not both. The scores are scaled by 1/sqrt(headDim). Query head h reads key/value head floor(h·kvHeads/heads).
  // q, o [rows, heads·headDim]; k, v [kvRows, kvHeads·headDim]; stats [rows, heads, 2] = (log-sum-exp of the scaled scores, Σ dO·O).
  attention: {
    buffers: [f('q'), f('k'), f('v'), u('ranges'), f('o', 'w'), f('stats', 'rw')],
    params: { rows: 'u32', heads: 'u32', kvHeads: 'u32', headDim: 'u32', grow: 'u32' },
  },
  /** stats[row, head, 1] = Σ_d dO · O. */
  attention_delta: {
    buffers: [f('dO'), f('o'), f('stats', 'rw')],
    params: { rows: 'u32', heads: 'u32', headDim: 'u32' },
  },
  /** dq [rows, heads·headDim] (grow = 0). */
  attention_dq: {
    buffers: [f('q'), f('k'), f('v'), u('ranges'), f('stats'), f('dO'), f('dq', 'w')],
    params: { rows: 'u32', heads: 'u32', kvHeads: 'u32', headDim: 'u32' },
  },
  /** dk, dv [rows, kvHeads·headDim]. In training query row i is key row i, and key row j is attended exactly by the query rows
   *  [j, qEnd[j]): a prefix lies directly before the sequences that share it. Sums in ascending query row. */
  attention_dkv: {
    buffers: [f('q'), f('k'), f('v'), f('stats'), f('dO'), u('qEnd'), f('dk', 'w'), f('dv', 'w')],
    params: { rows: 'u32', heads: 'u32', kvHeads: 'u32', headDim: 'u32' },
  },

  // ---- head: log-probabilities, divergence and sampling --------------------------------------------------------
  /** stats[rowOff + i] = (logp of targets[rowOff + i], log-sum-exp, entropy) of logits[i,:]; stats [*, 3]. */
  logprob: {
    buffers: [f('logits'), u('targets'), f('stats', 'rw')],
    params: { rows: 'u32', vocab: 'u32', rowOff: 'u32' },
  },
  /** In place: logits[i,v] ← coef[rowOff+i] · (1[v = target] − softmax_v), i.e. coef · ∂logp/∂logits. */
  logprob_grad: {
    buffers: [f('logits', 'rw'), u('targets'), f('stats'), f('coef')],
    params: { rows: 'u32', vocab: 'u32', rowOff: 'u32' },
  },
  /** kl[rowOff + i] = KL(softmax logits[i,:] ‖ softmax teacher[i,:]) in nats, stats and teacherStats being logprob's of either.
   *  With p, q the two probabilities and r = log p − log q: Σ_v (p·r − p + q), whose terms are ≥ 0 and whose sum does not move,
   *  to first order, with a rounding of either log-sum-exp; 0 where rounding alone would leave less. */
  reverse_kl: {
    buffers: [f('logits'), f('teacher'), f('stats'), f('teacherStats'), f('kl', 'rw')],
    params: { rows: 'u32', vocab: 'u32', rowOff: 'u32' },
  },
  /** In place: logits[i,v] ← coef[rowOff+i] · p_v (r_v − kl[rowOff+i]), i.e. coef · ∂KL/∂logits; the teacher is held fixed. */
  reverse_kl_grad: {
    buffers: [f('logits', 'rw'), f('teacher'), f('stats'), f('teacherStats'), f('kl'), f('coef')],
    params: { rows: 'u32', vocab: 'u32', rowOff: 'u32' },
  },
  /** One token for each row. slot = slots[row]; n = starts[row] + t is the token's number in its turn, so that rows of one batch
   *  may be at different tokens of theirs. If done[slot]: token = padToken. Else temperature 0: arg max (lowest id on a tie);
   *  otherwise u = (threefry2x32(key = keys[slot,:], counter = (n, 0)).x0 >>> 8)·2^-24, e_v = exp((l_v − max)/temperature), and the token is the
   *  first v whose running sum exceeds u·Σe (the last v with e_v > 0 if rounding leaves none).
   *  Writes tokens[slot·maxNew + n], logps[slot·maxNew + n] (log-probability at temperature 1; 0 for pads), next[row], and
   *  done[slot] = 1 when the token is endA or endB. keys [slots,2]; tokens, logps [slots, maxNew]; done [slots]; next, starts [rows]. */
  sample: {
    buffers: [
      ...[f('logits'), u('slots'), u('keys'), u('done', 'rw')],
      ...[u('tokens', 'rw'), f('logps', 'rw'), u('next', 'w'), u('starts')],
    ],
    params: {
      rows: 'u32',
      vocab: 'u32',
      t: 'u32',
      maxNew: 'u32',
      temperature: 'f32',
      endA: 'u32',
      endB: 'u32',
      padToken: 'u32',
    },
  },

  // ---- adapter ----------------------------------------------------------------------------------------------------
  /** out[outOff + j] = beta·out + Σ_{i < rows} p[rowOff+i, j] · q[rowOff+i, j], p and q [*, r]  (p = dy U, q = x Vhᵀ). */
  knob_grad: {
    buffers: [f('p'), f('q'), f('out', 'rw')],
    params: { rows: 'u32', r: 'u32', rowOff: 'u32', outOff: 'u32', beta: 'u32' },
  },
  /** out[outOff + j] = beta·out + Σ_c a[j,c] · b[j,c], a and b [r, cols]  (a = Uᵀ dW, b = Vh). */
  row_dot: {
    buffers: [f('a'), f('b'), f('out', 'rw')],
    params: { r: 'u32', cols: 'u32', outOff: 'u32', beta: 'u32' },
  },
  /** One round of one-sided Jacobi: rows of a [n, m] are the vectors to be made orthogonal, rows of v [n, nv] turn with them.
   *  For i < count, (p, q) = pairs[pairOff + i] (disjoint within a round): α = ‖a_p‖², β = ‖a_q‖², γ = a_p·a_q; if γ² > tol²·αβ (and αβ > 0):
   *  ζ = (β−α)/2γ, t = sign(ζ)/(|ζ|+√(1+ζ²)), c = 1/√(1+t²), s = ct, (a_p, a_q) ← (c a_p − s a_q, s a_p + c a_q), likewise v; sign(0) = 1.
   *  off[pairOff + i] = |γ|/√(αβ) before the rotation (0 where αβ = 0). pairs [*, 2]. */
  jacobi_round: {
    buffers: [f('a', 'rw'), f('v', 'rw'), u('pairs'), f('off', 'rw')],
    params: { m: 'u32', nv: 'u32', count: 'u32', pairOff: 'u32', tol: 'f32' },
  },
  /** Projection of a gradient or a step, per module (a row of table: gOff, r, vOff, k, cOff): c = V g, V [k, r] at vOff;
   *  c_use = relu(c) (gate 0), c (1), 2c (2); removed = overshoot · c_use V; kept = g − removed; coef[cOff..+k] = c.
   *  A module with k = 0 is kept whole (removed 0). table [modules, 5]; g, kept, removed share their layout. */
  project: {
    buffers: [f('g'), f('v'), u('table'), f('kept', 'w'), f('removed', 'w'), f('coef', 'w')],
    params: { modules: 'u32', gate: 'u32', overshoot: 'f32' },
  },
  /** AdamW on n elements, decoupled decay: g' = gScale·g; m, v updated; p −= lr·(m·bc1/(√(v·bc2)+eps) + wd·p),
   *  bc1 = 1/(1−β1^t), bc2 = 1/(1−β2^t). */
  adamw: {
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
  },

  // ---- block Jacobi ---------------------------------------------------------------------------------------------
  // One-sided Jacobi on blocks of rows (svd-blocks.ts). The rows of x [n, stride] lie in blocks of 16; the first m numbers of a
  // row are a vector to be made orthogonal to the others, what follows turns with it. (I, J) = pairs[pairOff + i], I < J and no block
  // twice in a round; a pair's 32 rows are those of I and then of J, zeros where they are past n.
  /** gram[i, s] [32, 32] = inner products of pair i's rows over slice s of the m numbers: [s·len, (s+1)·len), len = ⌈m/slices⌉. */
  svd_gram: {
    buffers: [f('x'), u('pairs'), f('gram', 'w')],
    params: { n: 'u32', stride: 'u32', m: 'u32', slices: 'u32', count: 'u32', pairOff: 'u32' },
  },
  /** Rotation of each pair: G = Σ_s gram[i, s]; `sweeps` sweeps of two-sided Jacobi on G (rounds of 16 disjoint (p, q), p < q: the
   *  circle method) where G_pp, G_qq > floor and |G_pq| > tol·√(G_pp·G_qq), accumulated in q[i] [32, 32], whose rows are then put in
   *  descending order of G's diagonal (negative counts as 0; ties as they were). report[pairOff + i] = (largest |G_pq|/√(G_pp·G_qq) of rows above floor,
   *  largest G_pp, 1 where it exceeds tol and q was written, else 0), before any rotation. */
  svd_turn: {
    buffers: [f('gram'), f('q', 'rw'), f('report', 'rw')],
    params: { slices: 'u32', sweeps: 'u32', count: 'u32', pairOff: 'u32', tol: 'f32', floor: 'f32' },
  },
  /** Pair i's rows ← q[i] · rows, over all `stride` numbers, where report says so. */
  svd_apply: {
    buffers: [f('x', 'rw'), f('q'), u('pairs'), f('report')],
    params: { n: 'u32', stride: 'u32', count: 'u32', pairOff: 'u32' },
  },
} as const satisfies Record<string, KernelSpec>;

export type KernelName = keyof typeof KERNELS;
export type KernelParams<K extends KernelName> = { [P in keyof (typeof KERNELS)[K]['params']]: number };
