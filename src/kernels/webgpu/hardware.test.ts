// Tests the kernels for real GPUs (workgroup reductions, fused multiply-add) on any adapter. Variants that long rows
// select on every adapter are tested with their kernels.
import { describe, expect, it } from 'vitest';
import type { KernelName } from '../contract.ts';
import { caseName, kernelCases, runCase } from '../testing/cases.ts';
import { DEFAULT_CHOICE, matmulEverywhere } from './matmul.ts';
import { compare, outcome, sharedTestDevice, unpackedFirst, values } from './testing.ts';

const { device, why } = await sharedTestDevice(true);
const gpu = device!;

/** Kernels in which a row of more than 64 elements gets a workgroup on a real GPU. */
const ROWWISE = new Set<KernelName>(['rmsnorm', 'rmsnorm_dx', 'logprob', 'reverse_kl', 'sample', 'row_dot']);

describe.skipIf(!device)(`kernels for real GPUs ${why}`, () => {
  it('col_sum, rmsnorm_dw and adapter_grad in slices of the rows', async () => {
    for (const [rows, cols] of [
      [1, 1],
      [37, 19],
    ]) {
      for (const beta of [0, 1]) {
        const x = values(rows * cols, 1);
        expect(await compare(gpu, 'col_sum', [x, values(cols, 2)], { rows, cols, beta })).toBeLessThan(3e-6);
        const inputs = [x, values(rows, 3), values(rows * cols, 4), values(cols, 5)];
        expect(await compare(gpu, 'rmsnorm_dw', inputs, { rows, dim: cols, beta })).toBeLessThan(3e-6);
        const at = { rowOff: 2, outOff: 3 };
        const grads = [values((rows + 2) * cols, 6), values((rows + 2) * cols, 7), values(cols + 3, 8)];
        expect(await compare(gpu, 'adapter_grad', grads, { rows, r: cols, beta, ...at })).toBeLessThan(3e-6);
      }
    }
  });

  it('jacobi_round with one workgroup per pair', async () => {
    const [m, nv] = [70, 66];
    const a = values(6 * m, 1);
    a.fill(0, 4 * m, 5 * m);
    const pairs = Uint32Array.from([9, 9, 0, 3, 1, 2, 4, 5]);
    const inputs = [a, values(6 * nv, 2), pairs, values(4, 3)];
    for (const tol of [1e-6, 0.9]) {
      expect(await compare(gpu, 'jacobi_round', inputs, { m, nv, count: 3, pairOff: 1, tol })).toBeLessThan(5e-6);
    }
  });

  it('row lengths at which a software adapter uses one invocation per row', async () => {
    const dims = [65, 100, 256];
    for (const one of kernelCases().filter(({ kernel }) => ROWWISE.has(kernel)))
      expect(await compare(gpu, one.kernel, one.buffers, one.params), caseName(one)).toBeLessThan(3e-6);
    for (const dim of dims) {
      const rows = 3;
      const x = values(rows * dim, 1);
      const norm = [x, values(dim, 2), new Float32Array(rows * dim), new Float32Array(rows)];
      expect(await compare(gpu, 'rmsnorm', norm, { rows, dim, eps: 1e-6 })).toBeLessThan(3e-6);
      const targets = Uint32Array.of(0, dim - 1, 40);
      const head = [x, targets, new Float32Array(rows * 3)];
      expect(await compare(gpu, 'logprob', head, { rows, vocab: dim, rowOff: 0 })).toBeLessThan(3e-6);
    }
  });

  it('thin products have the bits of register blocks, and of the tiles that replace thin ones', async () => {
    const { matmulChoice } = gpu;
    for (const [ta, tb, k, off] of [
      [0, 1, 300, 0],
      [0, 1, 300, 8],
      [0, 0, 300, 0],
      [1, 0, 36, 0],
      [0, 1, 33, 0],
      [0, 1, 36, 3],
    ])
      for (const beta of [0, 1]) {
        const [m, n] = [9, 20];
        const p = { m, n, k, aOff: off, bOff: off, cOff: off, ta, tb, beta };
        const inputs = [values(m * k + off, 1), values(n * k + off, 2), values(m * n + off, 3)];
        gpu.matmulChoice = DEFAULT_CHOICE;
        const expected = await outcome(gpu, 'matmul', inputs, p);
        gpu.matmulChoice = matmulEverywhere('thin');
        expect(await outcome(gpu, 'matmul', inputs, p), JSON.stringify(p)).toEqual(expected);
      }
    gpu.matmulChoice = matmulChoice;
  });

  it('matmul with fma: register blocks and single elements', async () => {
    for (const k of [32, 33]) {
      const p = { m: 9, n: 12, k, aOff: 0, bOff: 0, cOff: 0, ta: 0, tb: 1, beta: 1 };
      const inputs = [values(p.m * k, 1), values(p.n * k, 2), values(p.m * p.n, 3)];
      expect(await compare(gpu, 'matmul', inputs, p)).toBeLessThan(2e-6);
    }
  });

  it('matmul_f16, matmul_q8h and matmul_q4h with fma have the bits of unpacking first', async () => {
    for (const one of kernelCases().filter(({ kernel }) => /^matmul_(f16|q8h|q4h)$/.test(kernel)))
      expect(await runCase(gpu, one)).toEqual(await unpackedFirst(gpu, one));
  });
});
