// Reference kernels of linear algebra (contract/linear.ts).
import type { Reference } from './reference.ts';

export const matmul: Reference<'matmul'> = ([a, b, c], { m, n, k, aOff, bOff, cOff, ta, tb, beta }) => {
  const aRow = ta ? 1 : k;
  const aStep = ta ? m : 1;
  const bCol = tb ? k : 1;
  const bStep = tb ? 1 : n;
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let p = 0; p < k; p++) sum += a[aOff + i * aRow + p * aStep] * b[bOff + j * bCol + p * bStep];
      const at = cOff + i * n + j;
      c[at] = beta ? sum + c[at] : sum;
    }
  }
};

export const biasAdd: Reference<'bias_add'> = ([x, bias], { rows, cols }) => {
  for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) x[i * cols + j] += bias[j];
};

export const colSum: Reference<'col_sum'> = ([x, out], { rows, cols, beta }) => {
  for (let j = 0; j < cols; j++) {
    let sum = 0;
    for (let i = 0; i < rows; i++) sum += x[i * cols + j];
    out[j] = beta ? sum + out[j] : sum;
  }
};

export const scaleRows: Reference<'scale_rows'> = ([src, s, dst], { rows, cols, sOff }) => {
  for (let i = 0; i < rows; i++) {
    const factor = s[sOff + i];
    for (let j = 0; j < cols; j++) dst[i * cols + j] = factor * src[i * cols + j];
  }
};

export const scaleCols: Reference<'scale_cols'> = ([x, s], { rows, cols, sOff, xOff }) => {
  for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) x[xOff + i * cols + j] *= s[sOff + j];
};

export const add: Reference<'add'> = ([x, y], { n, xOff, yOff }) => {
  for (let i = 0; i < n; i++) x[xOff + i] += y[yOff + i];
};

export const copy: Reference<'copy'> = ([src, dst], { n, srcOff, dstOff }) => {
  dst.set(src.subarray(srcOff, srcOff + n), dstOff);
};

export const fill: Reference<'fill'> = ([x], { n, off, value }) => {
  x.fill(value, off, off + n);
};

export const sumsq: Reference<'sumsq'> = ([x, out], { n, off, outOff }) => {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += x[off + i] * x[off + i];
  out[outOff] = sum;
};
