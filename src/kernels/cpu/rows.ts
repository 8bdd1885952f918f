// Reference kernels that move rows by index (contract/rows.ts).
import type { Reference } from './reference.ts';

export const gatherRows: Reference<'gather_rows'> = ([src, index, dst], { rows, dim }) => {
  for (let i = 0; i < rows; i++) dst.set(src.subarray(index[i] * dim, (index[i] + 1) * dim), i * dim);
};

export const scatterRows: Reference<'scatter_rows'> = ([src, index, dst], { rows, dim, shift, add }) => {
  for (let i = 0; i < rows; i++) {
    const to = (index[i] + shift) * dim;
    if (add) for (let d = 0; d < dim; d++) dst[to + d] += src[i * dim + d];
    else dst.set(src.subarray(i * dim, (i + 1) * dim), to);
  }
};

export const embedGrad: Reference<'embed_grad'> = ([dy, starts, order, dTable], { vocab, dim }) => {
  for (let v = 0; v < vocab; v++) {
    if (starts[v] === starts[v + 1]) continue;
    for (let d = 0; d < dim; d++) {
      let sum = 0;
      for (let j = starts[v]; j < starts[v + 1]; j++) sum += dy[order[j] * dim + d];
      dTable[v * dim + d] += sum;
    }
  }
};
