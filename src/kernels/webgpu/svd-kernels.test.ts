// The block Jacobi kernels on WebGPU against the reference kernels in doubles.
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../cpu/device.ts';
import { caseName, kernelCases, relativeError, runCase } from '../testing/cases.ts';
import { sharedTestDevice } from './testing.ts';

const { device, why } = await sharedTestDevice();
const gpu = device!;

// A rotation found in single precision is off by more where two of G's eigenvalues are close.
const TOLERANCE = { svd_gram: 1e-6, svd_turn: 3e-5, svd_apply: 2e-6 };

describe.skipIf(!device)(`block Jacobi kernels on WebGPU ${why}`, () => {
  for (const kernel of ['svd_gram', 'svd_turn', 'svd_apply'] as const)
    it(`${kernel}: ragged blocks, a block past the end, slices`, async () => {
      const cases = kernelCases().filter((one) => one.kernel === kernel);
      expect(cases.length).toBeGreaterThan(3);
      const exact = await createCpuDevice({ precision: 'f64' });
      for (const one of cases) {
        const expected = await runCase(exact, one);
        const found = await runCase(gpu, one);
        expect(await runCase(gpu, one), 'the same bytes twice').toEqual(found);
        for (const [name, values] of expected)
          expect(relativeError(found.get(name)!, values), `${name} of ${caseName(one)}`).toBeLessThan(
            TOLERANCE[kernel],
          );
      }
    });
});
