// The contract of block Jacobi, which factors large matrices.
import { f, kernel, u } from './kernel.ts';

const slices = (p: { slices: number }) => (p.slices === 0 ? '0 slices, at least one is needed' : null);

export const SVD = {
  // One-sided Jacobi on blocks of rows (svd-blocks.ts). The rows of x [n, stride] are in blocks of 16; the first m numbers of a
  // row are a vector to be made orthogonal to the others, the rest of the row rotates with it. (I, J) = pairs[pairOff + i], I < J and no block
  // twice in a round; a pair's 32 rows are those of I and then of J, zeros where they are past n.
  /** gram[i, s] [32, 32] = inner products of pair i's rows over slice s of the m numbers: [s·len, (s+1)·len), len = ⌈m/slices⌉. */
  svd_gram: kernel({
    buffers: [f('x'), u('pairs'), f('gram', 'w')],
    params: { n: 'u32', stride: 'u32', m: 'u32', slices: 'u32', count: 'u32', pairOff: 'offset' },
    extents: (p) => [p.n * p.stride, (p.pairOff + p.count) * 2, p.count * p.slices * 1024],
    refuse: (p) =>
      p.m > p.stride ? `vectors of ${p.m} numbers in rows of ${p.stride}, which hold them whole` : slices(p),
  }),
  /** Rotation of each pair: G = Σ_s gram[i, s]; `sweeps` sweeps of two-sided Jacobi on G (rounds of 16 disjoint (p, q), p < q: the
   *  circle method) where G_pp, G_qq > floor and |G_pq| > tol·√(G_pp·G_qq), accumulated in q[i] [32, 32], whose rows are then put in
   *  descending order of G's diagonal (negative counts as 0; ties keep their order). report[pairOff + i] = (largest |G_pq|/√(G_pp·G_qq) of rows above floor,
   *  largest G_pp, 1 where it exceeds tol and q was written, else 0), before any rotation. */
  svd_turn: kernel({
    buffers: [f('gram'), f('q', 'rw'), f('report', 'rw')],
    params: { slices: 'u32', sweeps: 'u32', count: 'u32', pairOff: 'offset', tol: 'f32', floor: 'f32' },
    extents: (p) => [p.count * p.slices * 1024, p.count * 1024, (p.pairOff + p.count) * 3],
    refuse: slices,
  }),
  /** Pair i's rows ← q[i] · rows, over all `stride` numbers, where the report says that q was written. */
  svd_apply: kernel({
    buffers: [f('x', 'rw'), f('q'), u('pairs'), f('report')],
    params: { n: 'u32', stride: 'u32', count: 'u32', pairOff: 'offset' },
    extents: (p) => [p.n * p.stride, p.count * 1024, (p.pairOff + p.count) * 2, (p.pairOff + p.count) * 3],
  }),
} as const;
