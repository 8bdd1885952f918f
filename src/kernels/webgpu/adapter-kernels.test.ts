// The adapter's kernels on WebGPU against the reference kernels in doubles.
import { describe, expect, it } from 'vitest';
import { compare, outcome, sharedTestDevice, values } from './testing.ts';

const { device, why } = await sharedTestDevice();
const gpu = device!;

describe.skipIf(!device)(`adapter kernels on WebGPU ${why}`, () => {
  it('adapter_grad and row_dot, with offsets and beta', async () => {
    const r = 70;
    for (const beta of [0, 1]) {
      const [p, q, out] = [values(13 * r, 1), values(13 * r, 2), values(r + 9, 3)];
      const params = { rows: 8, r, rowOff: 5, outOff: 4, beta };
      expect(await compare(gpu, 'adapter_grad', [p, q, out], params)).toBeLessThan(2e-6);
      // The second size uses the workgroup variant on every adapter.
      for (const [rows, cols] of [
        [r, 13],
        [3, 4201],
      ]) {
        const [a, b] = [values(rows * cols, 4), values(rows * cols, 5)];
        const error = await compare(gpu, 'row_dot', [a, b, out], { r: rows, cols, outOff: 4, beta });
        expect(error, `${rows}×${cols}`).toBeLessThan(5e-6);
      }
    }
  });

  it('jacobi_round: rotated, orthogonal, equal and zero rows', async () => {
    const m = 9;
    const nv = 6;
    const a = values(8 * m, 1);
    a.fill(0, 4 * m, 5 * m); // a zero row has no direction
    a.copyWithin(7 * m, 6 * m, 7 * m); // equal rows: ζ = 0
    const pairs = Uint32Array.from([9, 9, 0, 3, 1, 2, 4, 5, 6, 7]);
    const inputs = [a, values(8 * nv, 2), pairs, values(5, 3)];
    for (const tol of [1e-6, 0.9]) {
      expect(await compare(gpu, 'jacobi_round', inputs, { m, nv, count: 4, pairOff: 1, tol })).toBeLessThan(2e-6);
    }
    const [turned] = await outcome(gpu, 'jacobi_round', inputs, { m, nv, count: 4, pairOff: 1, tol: 1e-6 });
    let inner = 0;
    for (let j = 0; j < m; j++) inner += turned[j] * turned[3 * m + j];
    expect(Math.abs(inner)).toBeLessThan(1e-6);
  });

  it('project: every gate, a module without a basis, more axes and adapter parameters than a workgroup', async () => {
    const modules = [
      { r: 5, k: 2 },
      { r: 130, k: 70 },
      { r: 7, k: 0 },
      { r: 1, k: 1 },
    ];
    const table: number[] = [];
    let [g, v, c] = [0, 0, 0];
    for (const { r, k } of modules) {
      table.push(g, r, v, k, c);
      g += r;
      v += r * k;
      c += k;
    }
    for (const gate of [0, 1, 2]) {
      const inputs = [
        values(g, 1),
        values(v, 2, 0.2),
        Uint32Array.from(table),
        values(g, 3),
        values(g, 4),
        values(c, 5),
      ];
      const params = { modules: modules.length, gate, overshoot: 1.1 };
      expect(await compare(gpu, 'project', inputs, params), `gate ${gate}`).toBeLessThan(5e-6);
    }
  });

  it('adamw', async () => {
    const n = 100;
    const inputs = [values(n, 1), values(n, 2), values(n, 3, 0.1), values(n, 4, 0.1).map((x) => x * x)];
    const params = { n, lr: 0.03, beta1: 0.5, beta2: 0.9, eps: 1e-8, wd: 0.1, bc1: 2, bc2: 10, gScale: 0.5 };
    expect(await compare(gpu, 'adamw', inputs, params)).toBeLessThan(3e-6);
  });
});
