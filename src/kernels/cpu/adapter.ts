// Reference kernels: adapter gradients, one round of Jacobi rotations, gradient projection, AdamW.
import type { FloatArray } from '../device.ts';
import type { Reference } from './reference.ts';

export const adapterGrad: Reference<'adapter_grad'> = ([p, q, out], { rows, r, rowOff, outOff, beta }) => {
  for (let j = 0; j < r; j++) {
    let sum = 0;
    for (let i = rowOff; i < rowOff + rows; i++) sum += p[i * r + j] * q[i * r + j];
    out[outOff + j] = beta ? sum + out[outOff + j] : sum;
  }
};

export const rowDot: Reference<'row_dot'> = ([a, b, out], { r, cols, outOff, beta }) => {
  for (let j = 0; j < r; j++) {
    let sum = 0;
    for (let c = 0; c < cols; c++) sum += a[j * cols + c] * b[j * cols + c];
    out[outOff + j] = beta ? sum + out[outOff + j] : sum;
  }
};

/** (x_p, x_q) ← (c x_p − s x_q, s x_p + c x_q) for two rows of length n. */
function rotate(x: FloatArray, pAt: number, qAt: number, n: number, c: number, s: number): void {
  for (let d = 0; d < n; d++) {
    const xp = x[pAt + d];
    const xq = x[qAt + d];
    x[pAt + d] = c * xp - s * xq;
    x[qAt + d] = s * xp + c * xq;
  }
}

export const jacobiRound: Reference<'jacobi_round'> = ([a, v, pairs, off], { m, nv, count, pairOff, tol }) => {
  for (let i = pairOff; i < pairOff + count; i++) {
    const p = pairs[i * 2];
    const q = pairs[i * 2 + 1];
    let alpha = 0;
    let beta = 0;
    let gamma = 0;
    for (let d = 0; d < m; d++) {
      const ap = a[p * m + d];
      const aq = a[q * m + d];
      alpha += ap * ap;
      beta += aq * aq;
      gamma += ap * aq;
    }
    off[i] = alpha * beta > 0 ? Math.abs(gamma) / Math.sqrt(alpha * beta) : 0;
    if (!(alpha * beta > 0 && gamma * gamma > tol * tol * alpha * beta)) continue;
    const zeta = (beta - alpha) / (2 * gamma);
    const t = (zeta >= 0 ? 1 : -1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
    const c = 1 / Math.sqrt(1 + t * t);
    rotate(a, p * m, q * m, m, c, c * t);
    rotate(v, p * nv, q * nv, nv, c, c * t);
  }
};

export const project: Reference<'project'> = ([g, v, table, kept, removed, coef], { modules, gate, overshoot }) => {
  for (let module = 0; module < modules; module++) {
    const [gOff, r, vOff, k, cOff] = table.subarray(module * 5, module * 5 + 5);
    const used = new Float64Array(k);
    for (let i = 0; i < k; i++) {
      let c = 0;
      for (let j = 0; j < r; j++) c += v[vOff + i * r + j] * g[gOff + j];
      coef[cOff + i] = c;
      used[i] = gate === 0 ? Math.max(c, 0) : gate === 1 ? c : 2 * c;
    }
    for (let j = 0; j < r; j++) {
      let sum = 0;
      for (let i = 0; i < k; i++) sum += used[i] * v[vOff + i * r + j];
      removed[gOff + j] = overshoot * sum;
      kept[gOff + j] = g[gOff + j] - overshoot * sum;
    }
  }
};

export const adamw: Reference<'adamw'> = ([p, g, m, v], { n, lr, beta1, beta2, eps, wd, bc1, bc2, gScale }) => {
  for (let i = 0; i < n; i++) {
    const grad = gScale * g[i];
    m[i] = beta1 * m[i] + (1 - beta1) * grad;
    v[i] = beta2 * v[i] + (1 - beta2) * grad * grad;
    p[i] -= lr * ((m[i] * bc1) / (Math.sqrt(v[i] * bc2) + eps) + wd * p[i]);
  }
};
