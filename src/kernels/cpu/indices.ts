// Checks the values in u32 buffers (row indices, ranges, targets, pairs) before a kernel runs, since in WebAssembly an
// index past the end would read another buffer's memory. Each check is one pass over the index buffer.
import { ShapeError } from '@projected-grpo-lab/base/errors.ts';
import type { KernelName } from '../contract.ts';
import type { Reference } from './reference.ts';

export function fail(kernel: KernelName, what: string): never {
  throw new ShapeError(`${kernel}: ${what}.`, 'An index buffer was filled for another shape; rebuild the batch.');
}

export type IndexChecks = { readonly [K in KernelName]?: Reference<K> };

export const INDEX_CHECKS: IndexChecks = {
  gather_rows: ([src, index], { rows, dim }) => {
    for (let i = 0; i < rows; i++)
      if ((index[i] + 1) * dim > src.length)
        fail('gather_rows', `index[${i}] = ${index[i]} is past the ${Math.floor(src.length / dim)} source rows`);
  },
  scatter_rows: ([, index, dst], { rows, dim, shift }) => {
    for (let i = 0; i < rows; i++)
      if ((index[i] + shift + 1) * dim > dst.length)
        fail(
          'scatter_rows',
          `index[${i}] + shift = ${index[i] + shift} is past the ${Math.floor(dst.length / dim)} target rows`,
        );
  },
  embed_grad: ([dy, starts, order], { vocab, dim }) => {
    for (let v = 0; v < vocab; v++)
      if (starts[v] > starts[v + 1]) fail('embed_grad', `starts[${v}] = ${starts[v]} > starts[${v + 1}]`);
    if (starts[vocab] > order.length)
      fail('embed_grad', `starts[${vocab}] = ${starts[vocab]} is past the ${order.length} entries of order`);
    for (let j = starts[0]; j < starts[vocab]; j++)
      if ((order[j] + 1) * dim > dy.length)
        fail('embed_grad', `order[${j}] = ${order[j]} is past the ${Math.floor(dy.length / dim)} rows of dy`);
  },
  rope: ([, cos, sin, pos], { rows, headDim, shift }) => {
    const positions = Math.floor(Math.min(cos.length, sin.length) / (headDim / 2));
    for (let i = 0; i < rows; i++)
      if (pos[i] + shift >= positions)
        fail('rope', `position ${pos[i] + shift} of row ${i} is past the table's ${positions} positions`);
  },
  attention: ([, k, v, ranges], { rows, kvHeads, headDim, grow }) =>
    checkRanges('attention', ranges, rows, Math.floor(Math.min(k.length, v.length) / (kvHeads * headDim)), grow),
  attention_f16: ([, k, v, ranges], { rows, kvHeads, headDim, grow }) =>
    checkRanges(
      'attention_f16',
      ranges,
      rows,
      Math.floor((2 * Math.min(k.length, v.length)) / (kvHeads * headDim)),
      grow,
    ),
  attention_dq: ([, k, v, ranges], { rows, kvHeads, headDim }) =>
    checkRanges('attention_dq', ranges, rows, Math.floor(Math.min(k.length, v.length) / (kvHeads * headDim)), 0),
  attention_dkv: ([, , , , , qEnd], { rows }) => {
    for (let j = 0; j < rows; j++)
      if (qEnd[j] > rows) fail('attention_dkv', `qEnd[${j}] = ${qEnd[j]} is past the ${rows} rows`);
  },
  logprob: ([, targets], p) => checkTargets('logprob', targets, p),
  logprob_grad: ([, targets], p) => checkTargets('logprob_grad', targets, p),
  logprob_entropy_grad: ([, targets], p) => checkTargets('logprob_entropy_grad', targets, p),
  sample: ([, slots, keys, done, tokens, logps, , starts], { rows, t, maxNew, ends, endsAt }) => {
    const count = Math.floor(
      Math.min(
        done.length,
        (ends > 0 ? endsAt : keys.length) / 2,
        tokens.length / Math.max(maxNew, 1),
        logps.length / Math.max(maxNew, 1),
      ),
    );
    for (let i = 0; i < rows; i++) {
      if (starts[i] + t >= maxNew) fail('sample', `step t = ${starts[i] + t} of row ${i} is past maxNew = ${maxNew}`);
      if (slots[i] >= count) fail('sample', `slots[${i}] = ${slots[i]} is past the ${count} slots`);
    }
  },
  jacobi_round: ([a, v, pairs], { m, nv, count, pairOff }) => {
    const vectors = Math.floor(Math.min(a.length / Math.max(m, 1), nv === 0 ? Infinity : v.length / nv));
    for (let i = pairOff * 2; i < (pairOff + count) * 2; i++)
      if (pairs[i] >= vectors) fail('jacobi_round', `pairs[${i}] = ${pairs[i]} is past the ${vectors} vectors`);
  },
  svd_gram: ([, pairs], p) => checkBlocks('svd_gram', pairs, p),
  svd_apply: ([, , pairs], p) => checkBlocks('svd_apply', pairs, p),
  project: ([g, v, table, kept, removed, coef], { modules }) => {
    const length = Math.min(g.length, kept.length, removed.length);
    for (let i = 0; i < modules; i++) {
      const [gOff, r, vOff, k, cOff] = table.subarray(i * 5, i * 5 + 5);
      if (gOff + r > length || vOff + k * r > v.length || cOff + k > coef.length)
        fail('project', `module ${i} (gOff ${gOff}, r ${r}, vOff ${vOff}, k ${k}, cOff ${cOff}) leaves its buffers`);
    }
  },
};

function checkRanges(kernel: KernelName, ranges: Uint32Array, rows: number, kvRows: number, grow: number): void {
  for (let i = 0; i < rows; i++) {
    const a0 = ranges[i * 4];
    const a1 = ranges[i * 4 + 1];
    const b0 = ranges[i * 4 + 2];
    const b1 = ranges[i * 4 + 3] + grow;
    if (a0 > a1 || b0 > b1 || a1 > kvRows || b1 > kvRows || (a0 === a1 && b0 === b1))
      fail(kernel, `row ${i} attends [${a0},${a1}) and [${b0},${b1}) of ${kvRows} key rows`);
  }
}

function checkBlocks(kernel: KernelName, pairs: Uint32Array, p: { n: number; pairOff: number; count: number }): void {
  for (let i = p.pairOff; i < p.pairOff + p.count; i++)
    if (!(pairs[i * 2] < pairs[i * 2 + 1]))
      fail(kernel, `pair ${i} is of blocks ${pairs[i * 2]} and ${pairs[i * 2 + 1]}, which do not ascend`);
}

function checkTargets(
  kernel: KernelName,
  targets: Uint32Array,
  { rows, vocab, rowOff }: { rows: number; vocab: number; rowOff: number },
): void {
  for (let i = rowOff; i < rowOff + rows; i++)
    if (targets[i] >= vocab) fail(kernel, `targets[${i}] = ${targets[i]} is past the vocabulary of ${vocab}`);
}
