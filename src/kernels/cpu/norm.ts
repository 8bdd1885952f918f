// Reference kernels of RMSNorm, RoPE, SwiGLU and a sigmoid gate, and their gradients.
import type { Reference } from './reference.ts';

export const rmsnorm: Reference<'rmsnorm'> = ([x, w, y, rstd], { rows, dim, eps }) => {
  for (let i = 0; i < rows; i++) {
    let sum = 0;
    for (let d = 0; d < dim; d++) sum += x[i * dim + d] * x[i * dim + d];
    const r = 1 / Math.sqrt(sum / dim + eps);
    rstd[i] = r;
    for (let d = 0; d < dim; d++) y[i * dim + d] = x[i * dim + d] * r * w[d];
  }
};

/** With r = rstd: ∂L/∂x = r·(w·dy) − x·r³/dim · Σ_d x·w·dy. */
export const rmsnormDx: Reference<'rmsnorm_dx'> = ([x, w, rstd, dy, dx], { rows, dim, beta }) => {
  for (let i = 0; i < rows; i++) {
    const r = rstd[i];
    let dot = 0;
    for (let d = 0; d < dim; d++) dot += x[i * dim + d] * w[d] * dy[i * dim + d];
    const pull = (dot * r * r * r) / dim;
    for (let d = 0; d < dim; d++) {
      const at = i * dim + d;
      const grad = r * w[d] * dy[at] - pull * x[at];
      dx[at] = beta ? dx[at] + grad : grad;
    }
  }
};

export const rmsnormDw: Reference<'rmsnorm_dw'> = ([x, rstd, dy, dw], { rows, dim, beta }) => {
  for (let d = 0; d < dim; d++) {
    let sum = 0;
    for (let i = 0; i < rows; i++) sum += dy[i * dim + d] * x[i * dim + d] * rstd[i];
    dw[d] = beta ? dw[d] + sum : sum;
  }
};

export const rope: Reference<'rope'> = ([x, cos, sin, pos], { rows, heads, headDim, shift, inverse, rest }) => {
  const half = headDim / 2;
  for (let i = 0; i < rows; i++) {
    const table = (pos[i] + shift) * half;
    for (let h = 0; h < heads; h++) {
      const at = (i * heads + h) * (headDim + rest);
      for (let d = 0; d < half; d++) {
        const c = cos[table + d];
        const s = inverse ? -sin[table + d] : sin[table + d];
        const low = x[at + d];
        const high = x[at + d + half];
        x[at + d] = low * c - high * s;
        x[at + d + half] = high * c + low * s;
      }
    }
  }
};

export const swiglu: Reference<'swiglu'> = ([gate, up, out], { n, upOff }) => {
  for (let i = 0; i < n; i++) out[i] = (gate[i] / (1 + Math.exp(-gate[i]))) * up[upOff + i];
};

/** silu'(g) = σ(g)·(1 + g·(1 − σ(g))). */
export const swigluGrad: Reference<'swiglu_grad'> = ([gate, up, dOut, dGate, dUp], { n }) => {
  for (let i = 0; i < n; i++) {
    const sigmoid = 1 / (1 + Math.exp(-gate[i]));
    dUp[i] = dOut[i] * gate[i] * sigmoid;
    dGate[i] = dOut[i] * up[i] * sigmoid * (1 + gate[i] * (1 - sigmoid));
  }
};

export const sigmoidGate: Reference<'sigmoid_gate'> = ([x, gate, out], { n }) => {
  for (let i = 0; i < n; i++) out[i] = x[i] / (1 + Math.exp(-gate[i]));
};

export const sigmoidGateGrad: Reference<'sigmoid_gate_grad'> = ([x, gate, dOut, dX, dGate], { n }) => {
  for (let i = 0; i < n; i++) {
    const sigmoid = 1 / (1 + Math.exp(-gate[i]));
    dX[i] = dOut[i] * sigmoid;
    dGate[i] = dOut[i] * x[i] * sigmoid * (1 - sigmoid);
  }
};
