// Linear algebra and row kernels on WebGPU against the reference kernels in doubles: ragged and edge sizes, offsets, beta.
import { describe, expect, it } from 'vitest';
import { DEFAULT_CHOICE, MATMUL_VARIANTS, matmulEverywhere, SHAPE_CLASSES } from './matmul.ts';
import { compare, outcome, sharedTestDevice, values } from './testing.ts';
import { measureMatmul } from './tune.ts';

const { device, why } = await sharedTestDevice();
const gpu = device!;

const matmul = (
  m: number,
  n: number,
  k: number,
  more: Partial<Record<'aOff' | 'bOff' | 'cOff' | 'ta' | 'tb' | 'beta', number>> = {},
) => ({ m, n, k, aOff: 0, bOff: 0, cOff: 0, ta: 0, tb: 0, beta: 0, ...more });
const operands = (p: ReturnType<typeof matmul>) => [
  values(p.aOff + p.m * p.k, 1),
  values(p.bOff + p.k * p.n, 2),
  values(p.cOff + p.m * p.n, 3),
];

describe.skipIf(!device)(`linear kernels on WebGPU ${why}`, () => {
  const sizes = [
    [1, 1, 1],
    [5, 7, 3],
    [4, 8, 12],
    [33, 36, 20],
    [66, 12, 64],
    [3, 130, 17],
    [8, 8, 0],
  ] as const;
  for (const [ta, tb] of [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ]) {
    it(`matmul ${ta ? 'T' : 'N'}${tb ? 'T' : 'N'}`, async () => {
      for (const [m, n, k] of sizes) {
        for (const more of [{}, { beta: 1 }, { aOff: 3, bOff: 4, cOff: 5 }, { aOff: 4, bOff: 8, cOff: 1, beta: 1 }]) {
          const p = matmul(m, n, k, { ta, tb, ...more });
          expect(await compare(gpu, 'matmul', operands(p), p), JSON.stringify(p)).toBeLessThan(2e-6);
        }
      }
    });
  }

  it('matmul: all variants give the same bits, and a row does not depend on the rows beside it', async () => {
    const chosen = gpu.matmulChoice;
    try {
      // A software adapter takes seconds to compile a barrier, so one layout is tested per variant there.
      const cases = MATMUL_VARIANTS.flatMap((variant, i) =>
        [{ tb: 1 }, { ta: 1 }, {}]
          .filter((_, j) => !gpu.isSoftware || (variant === 'thin' ? 0 : i % 3) === j)
          .map((more) => ({ variant, more })),
      );
      for (const { variant, more } of cases) {
        // More than two steps of a thin product, with a partial last step.
        const p = matmul(37, 44, variant === 'thin' ? 300 : 92, more);
        gpu.matmulChoice = DEFAULT_CHOICE;
        const expected = (await outcome(gpu, 'matmul', operands(p), p))[2];
        gpu.matmulChoice = matmulEverywhere(variant);
        expect((await outcome(gpu, 'matmul', operands(p), p))[2], variant).toEqual(expected);
      }
    } finally {
      gpu.matmulChoice = chosen;
    }
    const p = matmul(150, 20, 50, { tb: 1 });
    const [a, b, c] = operands(p);
    const whole = (await outcome(gpu, 'matmul', [a, b, c], p))[2];
    const one = matmul(1, 20, 50, { tb: 1, aOff: 77 * 50 });
    const alone = (await outcome(gpu, 'matmul', [a, b, c.slice(0, 20)], one))[2];
    expect(alone).toEqual(whole.slice(77 * 20, 78 * 20));
  });

  it('matmul: the measurement settles on a variant for each class', async () => {
    const chosen = gpu.matmulChoice;
    const probe = { shape: matmul(20, 8, 16, { tb: 1 }), calls: 1 };
    const transposed = { shape: matmul(8, 8, 16, { ta: 1 }), calls: 1 };
    const choice = await measureMatmul(gpu, { fewest: probe, few: probe, many: probe, transposed });
    gpu.matmulChoice = chosen;
    expect(Object.keys(choice)).toEqual([...SHAPE_CLASSES]);
    for (const variant of Object.values(choice)) expect(MATMUL_VARIANTS).toContain(variant);
  });

  it('matmul: zero rows leave C as it is', async () => {
    const p = matmul(0, 8, 4);
    expect(await compare(gpu, 'matmul', [new Float32Array(0), values(32, 1), values(8, 2)], p)).toBe(0);
  });

  it('bias_add, scale_rows, col_sum', async () => {
    for (const [rows, cols] of [
      [1, 1],
      [7, 5],
      [130, 33],
    ]) {
      const x = values(rows * cols, 1);
      expect(await compare(gpu, 'bias_add', [x, values(cols, 2)], { rows, cols })).toBeLessThan(1e-6);
      const s = values(rows + 3, 2);
      expect(await compare(gpu, 'scale_rows', [x, s, values(rows * cols, 4)], { rows, cols, sOff: 3 })).toBeLessThan(
        1e-6,
      );
      for (const beta of [0, 1]) {
        expect(await compare(gpu, 'col_sum', [x, values(cols, 3)], { rows, cols, beta })).toBeLessThan(2e-6);
      }
    }
  });

  it('add, copy, fill with offsets', async () => {
    const x = values(300, 1);
    const y = values(200, 2);
    expect(await compare(gpu, 'add', [x, y], { n: 129, xOff: 7, yOff: 71 })).toBeLessThan(1e-7);
    expect(await compare(gpu, 'copy', [y, x], { n: 130, srcOff: 70, dstOff: 33 })).toBe(0);
    expect(await compare(gpu, 'fill', [x], { n: 65, off: 9, value: 0.5 })).toBe(0);
    expect(await compare(gpu, 'fill', [x], { n: 0, off: 9, value: 0.5 })).toBe(0);
  });

  it('sumsq in a fixed order, for one element and for many', async () => {
    for (const n of [0, 1, 1000, 1024, 70_001]) {
      const inputs = [values(n + 5, 1), values(4, 2)];
      expect(await compare(gpu, 'sumsq', inputs, { n, off: 5, outOff: 2 })).toBeLessThan(1e-5);
    }
  });

  it('gather_rows, scatter_rows', async () => {
    const rows = 9;
    const dim = 11;
    const index = Uint32Array.from([4, 0, 8, 2, 2, 7, 1, 3, 5]);
    const source = values(10 * dim, 1);
    expect(await compare(gpu, 'gather_rows', [source, index, values(rows * dim, 2)], { rows, dim })).toBe(0);
    const distinct = Uint32Array.from([4, 0, 8, 2, 6, 7, 1, 3, 5]);
    for (const add of [0, 1]) {
      const inputs = [values(rows * dim, 3), distinct, values(12 * dim, 4)];
      expect(await compare(gpu, 'scatter_rows', inputs, { rows, dim, shift: 3, add })).toBeLessThan(1e-7);
    }
  });

  it('embed_grad: repeated, single and absent tokens', async () => {
    const dim = 10;
    const starts = Uint32Array.from([0, 3, 3, 4, 6]);
    const order = Uint32Array.from([0, 2, 5, 1, 3, 4]);
    const inputs = [values(6 * dim, 1), starts, order, values(4 * dim, 2)];
    expect(await compare(gpu, 'embed_grad', inputs, { vocab: 4, dim })).toBeLessThan(1e-6);
  });

  it('a grid of more than 65,535 workgroups is folded', async () => {
    const n = 65_535 * 64 + 1000;
    const x = gpu.alloc(n, 'f32', 'long');
    gpu.run('fill', [x], { n: n - 1, off: 0, value: 3 });
    const tail = await gpu.read(x, n - 1001);
    x.free();
    expect([tail[0], tail[999], tail[1000]]).toEqual([3, 3, 0]);
  });
});
