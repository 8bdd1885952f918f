// Normalisation, position and activation kernels on WebGPU against the reference kernels in doubles.
import { describe, expect, it } from 'vitest';
import { compare, sharedTestDevice, values } from './testing.ts';

const { device, why } = await sharedTestDevice();
const gpu = device!;

describe.skipIf(!device)(`norm kernels on WebGPU ${why}`, () => {
  // The long row uses the workgroup variant on a software adapter too.
  const shapes = [
    [1, 1],
    [3, 5],
    [70, 32],
    [2, 4100],
  ];

  it('rmsnorm', async () => {
    for (const [rows, dim] of shapes) {
      const inputs = [values(rows * dim, 1, 3), values(dim, 2), values(rows * dim, 3), values(rows, 4)];
      expect(await compare(gpu, 'rmsnorm', inputs, { rows, dim, eps: 1e-6 }), `${rows}×${dim}`).toBeLessThan(3e-6);
    }
  });

  it('rmsnorm_dx', async () => {
    for (const [rows, dim] of shapes) {
      for (const beta of [0, 1]) {
        const [x, w, dy, dx] = [values(rows * dim, 1), values(dim, 2), values(rows * dim, 3), values(rows * dim, 4)];
        const rstd = values(rows, 5).map((value) => 1 + value / 2);
        const error = await compare(gpu, 'rmsnorm_dx', [x, w, rstd, dy, dx], { rows, dim, beta });
        expect(error, `${rows}×${dim} beta ${beta}`).toBeLessThan(3e-6);
      }
    }
  });

  it('rmsnorm_dw', async () => {
    for (const [rows, dim] of shapes) {
      for (const beta of [0, 1]) {
        const inputs = [values(rows * dim, 1), values(rows, 2), values(rows * dim, 3), values(dim, 4)];
        expect(await compare(gpu, 'rmsnorm_dw', inputs, { rows, dim, beta })).toBeLessThan(5e-6);
      }
    }
  });

  it('rope rotates and rotates back', async () => {
    for (const [rows, heads, headDim] of [
      [1, 1, 2],
      [5, 3, 6],
      [11, 2, 64],
    ]) {
      const half = headDim / 2;
      const shift = 2;
      const pos = Uint32Array.from({ length: rows }, (_, i) => (i * 7) % 13);
      const angles = Float32Array.from({ length: 16 * half }, (_, i) => Math.floor(i / half) / 3 ** (i % half));
      const inputs = [values(rows * heads * headDim, 1), angles.map(Math.cos), angles.map(Math.sin), pos];
      for (const inverse of [0, 1]) {
        expect(await compare(gpu, 'rope', inputs, { rows, heads, headDim, shift, inverse, rest: 0 })).toBeLessThan(
          1e-6,
        );
      }
    }
  });

  it('swiglu and its gradient, far into both tails', async () => {
    const n = 131;
    const gate = values(n, 1, 8);
    gate.set([0, 30, -30, 100, -100, 200, -200]);
    const up = values(n, 2);
    const dOut = values(n, 3);
    expect(await compare(gpu, 'swiglu', [gate, up, values(n, 4)], { n, upOff: 0 })).toBeLessThan(3e-6);
    // Gate and up are in one buffer, gate first.
    const both = Float32Array.from([...gate, ...up]);
    expect(await compare(gpu, 'swiglu', [both, both, values(n, 4)], { n, upOff: n })).toBeLessThan(3e-6);
    const inputs = [gate, up, dOut, values(n, 4), values(n, 5)];
    expect(await compare(gpu, 'swiglu_grad', inputs, { n })).toBeLessThan(3e-6);
  });
});
