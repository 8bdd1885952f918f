// The contract of the kernels that move whole rows by index.
import { f, flat, u } from './kernel.ts';

export const ROWS = {
  /** dst[i,:] = src[index[i],:]. Also the embedding look-up (src = table, index = token ids). */
  gather_rows: flat({
    buffers: [f('src'), u('index'), f('dst', 'w')],
    params: { rows: 'u32', dim: 'u32' },
    extents: (p) => [0, p.rows, p.rows * p.dim],
    invocations: (p) => p.rows * p.dim,
  }),
  /** dst[index[i] + shift,:] = src[i,:] (add = 0) or += (add = 1). Indices are distinct. Also the KV-cache write. */
  scatter_rows: flat({
    buffers: [f('src'), u('index'), f('dst', 'rw')],
    params: { rows: 'u32', dim: 'u32', shift: 'offset', add: 'flag' },
    extents: (p) => [p.rows * p.dim, p.rows, 0],
    invocations: (p) => p.rows * p.dim,
  }),
  /** Embedding gradient: dTable[v,:] += Σ_{j = starts[v]}^{starts[v+1]-1} dy[order[j],:]  (starts [vocab+1], order [rows]). */
  embed_grad: flat({
    buffers: [f('dy'), u('starts'), u('order'), f('dTable', 'rw')],
    params: { vocab: 'u32', dim: 'u32' },
    extents: (p) => [0, p.vocab + 1, 0, p.vocab * p.dim],
    invocations: (p) => p.vocab * p.dim,
  }),
} as const;
