// Tests calls that are split: splitting into the smallest parts changes no bit of any kernel, a grid's parts cover it, and attention's cost follows
// the real lengths.
import { afterEach, describe, expect, it } from 'vitest';
import type { KernelName } from '../contract.ts';
import { put } from '../device.ts';
import { make } from '../testing/case.ts';
import { caseName, kernelCases, runCase } from '../testing/cases.ts';
import { matmulEverywhere } from './matmul.ts';
import type { Shader } from './shader.ts';
import { partsOf } from './split.ts';
import { sharedTestDevice, values } from './testing.ts';

const shader = { label: 'any' } as Shader;

describe('parts of a grid', () => {
  it('are the whole grid if it is light enough or cannot be split', () => {
    expect(partsOf({ shader, x: 9, y: 1 }, 90, 90)).toEqual([{ x: 9, y: 1, firstX: 0, firstY: 0, cost: 90 }]);
    expect(partsOf({ shader, x: 9, y: 1, isWhole: true }, 90, 1)).toHaveLength(1);
    // A folded grid has workgroups past its end, which would belong to another part.
    expect(partsOf({ shader, x: 65535, y: 2 }, 10, 9).map(({ x, y }) => [x, y])).toEqual([
      [65535, 1],
      [65535, 1],
    ]);
  });

  it('have every workgroup once, and none exceeds the maximum cost', () => {
    for (const [x, y, isPlane] of [
      [100, 1, false],
      [400, 3, false],
      [7, 5, true],
      [300, 2, true],
    ] as const)
      for (const most of [1, 7, 64, 1000]) {
        const parts = partsOf({ shader, x, y, isPlane }, x * y, most);
        const seen = new Uint8Array(x * y);
        expect(Math.max(...parts.map(({ cost }) => cost))).toBeLessThanOrEqual(most);
        expect(Math.max(...parts.map((part) => part.x))).toBeLessThanOrEqual(65535);
        for (const { x: w, y: h, firstX, firstY } of parts)
          for (let j = 0; j < h; j++)
            for (let i = 0; i < w; i++) seen[isPlane ? (firstY + j) * x + firstX + i : firstX + i]++;
        expect(seen.every((times) => times === 1)).toBe(true);
      }
  });

  it('are split by the cost of each workgroup', () => {
    const parts = partsOf({ shader, x: 5, y: 1 }, 15, 5, Float64Array.of(0, 1, 3, 6, 10, 15));
    expect(parts.map(({ firstX, x, cost }) => [firstX, x, cost])).toEqual([
      [0, 2, 3],
      [2, 1, 3],
      [3, 1, 4],
      [4, 1, 5],
    ]);
  });
});

/** Kernels that have another shader on real GPUs than on software adapters. */
const DIFFERING = new Set<KernelName>(
  'matmul col_sum rmsnorm rmsnorm_dx rmsnorm_dw attention attention_dq attention_dkv attention_f16 logprob reverse_kl sample adapter_grad row_dot jacobi_round products products_f16 products_q8h products_q4h products_q8i gated gated_f16 gated_q8h gated_q4h cache_heads cache_heads_f16 matmul_f16 matmul_q8h matmul_q4h'.split(
    ' ',
  ) as KernelName[],
);
/** Maximum number of cases per kernel: a part is a submit, and a case of attention has hundreds. */
const MOST_CASES = 4;

for (const asHardware of [false, true]) {
  const { device, why } = await sharedTestDevice(asHardware);
  const gpu = device!;

  describe.skipIf(!device)(
    `calls in parts, ${asHardware ? 'kernels of real GPUs' : 'as the adapter is'} ${why}`,
    () => {
      const workPerSubmit = device?.workPerSubmit ?? 0;
      afterEach(() => {
        gpu.workPerSubmit = workPerSubmit;
      });
      const cases = kernelCases().filter(({ kernel }) => !asHardware || DIFFERING.has(kernel));
      for (const kernel of new Set(cases.map((one) => one.kernel)))
        it(kernel, async () => {
          for (const one of cases.filter((of) => of.kernel === kernel).slice(0, MOST_CASES)) {
            gpu.workPerSubmit = workPerSubmit;
            const whole = await runCase(gpu, one);
            gpu.workPerSubmit = 1;
            const parts = await runCase(gpu, one);
            for (const [name, data] of whole) {
              const bits = (of: ArrayLike<number>) => [...new Uint32Array((of as Float32Array).buffer)];
              expect(bits(parts.get(name)!), `${caseName(one)}: ${name}`).toEqual(bits(data));
            }
          }
        });

      it('thin products', async () => {
        const { matmulChoice } = gpu;
        gpu.matmulChoice = matmulEverywhere('thin');
        const [m, n, k] = [19, 21, 140];
        const one = make('matmul', [values(m * k, 1), values(n * k, 2), values(m * n, 3)], {
          m,
          n,
          k,
          aOff: 0,
          bOff: 0,
          cOff: 0,
          ta: 0,
          tb: 1,
          beta: 1,
        });
        gpu.workPerSubmit = workPerSubmit;
        const whole = await runCase(gpu, one);
        gpu.workPerSubmit = 1;
        expect(await runCase(gpu, one)).toEqual(whole);
        gpu.matmulChoice = matmulChoice;
      });

      it('weighs attention by the lengths that the host wrote', async () => {
        const rows = 128;
        const shape = { rows, heads: 4, kvHeads: 4, headDim: 8 };
        const floats = (length: number) => put(gpu, new Float32Array(length), 'x');
        const ranges = gpu.alloc(4 * rows, 'u32', 'ranges');
        const buffers = [...[1, 1, 1].map(() => floats(rows * 32)), ranges, floats(rows * 32), floats(rows * 8)];
        const submitsWith = async (keys: number) => {
          gpu.workPerSubmit = 1e5;
          gpu.upload(
            ranges,
            Uint32Array.from({ length: 4 * rows }, (_, i) => (i % 4 === 1 ? keys : 0)),
          );
          await gpu.sync();
          const before = gpu.submits;
          gpu.run('attention', buffers, { ...shape, grow: 0 });
          await gpu.sync();
          return gpu.submits - before;
        };
        // 128 rows × 4 heads × 8 numbers × 6 × keys × 2, and 8 workgroups, or 512 of a real GPU.
        expect(await submitsWith(1)).toBeLessThan(3);
        expect(await submitsWith(rows)).toBeGreaterThan(6);
        for (const buffer of buffers) buffer.free();
      });
    },
  );
}
