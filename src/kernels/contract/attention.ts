// The contract of attention over packed ragged rows with shared prefixes.
import { f, kernel, u } from './kernel.ts';

const headsDivide = (p: { heads: number; kvHeads: number }) =>
  p.kvHeads === 0 || p.heads % p.kvHeads !== 0
    ? `${p.heads} query heads do not divide among ${p.kvHeads} key/value heads`
    : null;

export const ATTENTION = {
  // Query row i attends the key/value rows [a0,a1) and then [b0, b1+grow) of ranges[i] = (a0,a1,b0,b1); either may be empty,
  // not both. The scores are scaled by 1/sqrt(headDim). Query head h reads key/value head floor(h·kvHeads/heads).
  // q, o [rows, heads·headDim]; k, v [kvRows, kvHeads·headDim]; stats [rows, heads, 2] = (log-sum-exp of the scaled scores, Σ dO·O).
  attention: kernel({
    buffers: [f('q'), f('k'), f('v'), u('ranges'), f('o', 'w'), f('stats', 'rw')],
    params: { rows: 'u32', heads: 'u32', kvHeads: 'u32', headDim: 'u32', grow: 'offset' },
    extents: (p) => {
      const q = p.rows * p.heads * p.headDim;
      return [q, 0, 0, p.rows * 4, q, p.rows * p.heads * 2];
    },
    refuse: headsDivide,
  }),
  /** The same with k and v in f16 as store_f16 writes them, two per word: gives the bits of unpack_f16 on both, then attention. */
  attention_f16: kernel({
    buffers: [f('q'), u('k'), u('v'), u('ranges'), f('o', 'w'), f('stats', 'rw')],
    params: { rows: 'u32', heads: 'u32', kvHeads: 'u32', headDim: 'u32', grow: 'offset' },
    extents: (p) => {
      const q = p.rows * p.heads * p.headDim;
      return [q, 0, 0, p.rows * 4, q, p.rows * p.heads * 2];
    },
    refuse: (p) => headsDivide(p) ?? (p.headDim % 2 === 0 ? null : `a head of ${p.headDim} ends within a word`),
  }),
  /** stats[row, head, 1] = Σ_d dO · O. */
  attention_delta: kernel({
    buffers: [f('dO'), f('o'), f('stats', 'rw')],
    params: { rows: 'u32', heads: 'u32', headDim: 'u32' },
    extents: (p) => {
      const q = p.rows * p.heads * p.headDim;
      return [q, q, p.rows * p.heads * 2];
    },
  }),
  /** dq [rows, heads·headDim] (grow = 0). */
  attention_dq: kernel({
    buffers: [f('q'), f('k'), f('v'), u('ranges'), f('stats'), f('dO'), f('dq', 'w')],
    params: { rows: 'u32', heads: 'u32', kvHeads: 'u32', headDim: 'u32' },
    extents: (p) => {
      const q = p.rows * p.heads * p.headDim;
      return [q, 0, 0, p.rows * 4, p.rows * p.heads * 2, q, q];
    },
    refuse: headsDivide,
  }),
  /** dk, dv [rows, kvHeads·headDim]. In training query row i is key row i, and key row j is attended exactly by the query rows [j, qEnd[j]): a
   *  prefix comes directly before the sequences that share it. Sums run over ascending query rows. */
  attention_dkv: kernel({
    buffers: [f('q'), f('k'), f('v'), f('stats'), f('dO'), u('qEnd'), f('dk', 'w'), f('dv', 'w')],
    params: { rows: 'u32', heads: 'u32', kvHeads: 'u32', headDim: 'u32' },
    extents: (p) => {
      const q = p.rows * p.heads * p.headDim;
      const kv = p.rows * p.kvHeads * p.headDim;
      return [q, kv, kv, p.rows * p.heads * 2, q, p.rows, kv, kv];
    },
    refuse: headsDivide,
  }),
} as const;
