// The kernels of a gated DeltaNet layer on WebGPU against the reference kernels in doubles, at the cases of the contract.
import { describe, expect, it } from 'vitest';
import { caseName, kernelCases } from '../testing/cases.ts';
import { compare, sharedTestDevice } from './testing.ts';

const { device, why } = await sharedTestDevice();
const gpu = device!;
const CONVOLUTION = ['conv_silu', 'conv_silu_grad', 'conv_silu_dw'];
const KERNELS = [...CONVOLUTION, 'delta_gates', 'delta_gates_grad', 'delta_rule', 'delta_rule_grad'];
const OTHERS = ['rope', 'sigmoid_gate', 'sigmoid_gate_grad'];

describe.skipIf(!device)(`gated DeltaNet on WebGPU ${why}`, () => {
  it.each([...KERNELS, ...OTHERS])('%s', async (kernel) => {
    const cases = kernelCases().filter((one) => one.kernel === kernel);
    expect(cases.length).toBeGreaterThan(3);
    for (const one of cases)
      expect(await compare(gpu, one.kernel, one.buffers, one.params), caseName(one)).toBeLessThan(1e-5);
  });
});
