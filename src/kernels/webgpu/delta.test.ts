// The kernels of a gated DeltaNet layer on WebGPU against the reference kernels in doubles, at the cases of the contract.
import { describe, expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { NONE } from '../contract/delta.ts';
import { createCpuDevice } from '../cpu/device.ts';
import { type Device, put, readFloats } from '../device.ts';
import { ops } from '../ops.ts';
import { caseName, kernelCases, relativeError } from '../testing/cases.ts';
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

  it('the gradient of a decay is as exact at the first rows of a long run as at the last', async () => {
    const [rows, keyHeads, heads, keyDim, valueDim] = [384, 1, 1, 12, 8];
    const rng = CounterRng.of(32, STREAMS.test, 3);
    const random = (length: number, scale: number) => Float32Array.from({ length }, () => scale * rng.normal());
    // The first rows' own gradients are small, so that the rounding errors of later rows are large beside them.
    const gates = Float32Array.from({ length: 2 * rows }, (_, i) => (i % 2 ? 0.3 : -0.02));
    const dOV = random(rows * valueDim, 1).map((x, i) => (i < 64 * valueDim ? 0.01 * x : x));
    const inputs = [random(2 * rows * keyDim, 1 / Math.sqrt(keyDim)), random(rows * valueDim, 1), gates];
    const shape = { rows, count: 1, keyHeads, heads, keyDim, valueDim };
    const found = async (device: Device) => {
      const [qk, v, own] = inputs.map((data) => put(device, data, 'data'));
      const dQk = device.alloc(2 * rows * keyDim, 'f32', 'dQk');
      const states = device.alloc(keyDim * valueDim, 'f32', 'states');
      const runs = put(device, Uint32Array.of(0, rows, NONE, 0, 0), 'runs');
      ops.deltaRuleGrad(device, { qk, v, gates: own, runs, states, dOV: put(device, dOV, 'dOV'), dQk, ...shape });
      return (await readFloats(device, own)).filter((_, i) => i % 2 === 0);
    };
    const exact = await found(await createCpuDevice({ precision: 'f64' }));
    const own = await found(gpu);
    expect(relativeError(own.slice(0, 32), exact.slice(0, 32))).toBeLessThan(1e-6);
  });

  it('the gradient of a decay is 0 where the decay leaves nothing of a state', async () => {
    const [rows, keyHeads, heads, keyDim, valueDim] = [24, 1, 1, 8, 8];
    const rng = CounterRng.of(32, STREAMS.test, 2);
    const random = (length: number) =>
      put(
        gpu,
        Float32Array.from({ length }, () => rng.normal()),
        'data',
      );
    const forgets = (row: number) => row % 3 > 0;
    const gates = put(
      gpu,
      Float32Array.from({ length: 2 * rows }, (_, i) => (i % 2 ? 0.7 : forgets(i >> 1) ? -50 : -0.5)),
      'gates',
    );
    const states = gpu.alloc(keyDim * valueDim, 'f32', 'states');
    const runs = put(gpu, Uint32Array.of(0, rows, NONE, 0, 0), 'runs');
    const [qk, v, dOV] = [2 * keyDim, valueDim, valueDim].map((width) => random(rows * width));
    const dQk = gpu.alloc(qk.length, 'f32', 'dQk');
    const shape = { rows, count: 1, keyHeads, heads, keyDim, valueDim };
    ops.deltaRuleGrad(gpu, { qk, v, gates, runs, states, dOV, dQk, ...shape });
    const found = await readFloats(gpu, gates);
    for (let row = 1; row < rows; row++) {
      const size = Math.abs(found[2 * row]);
      if (forgets(row)) expect(size, `row ${row}`).toBeLessThan(1e-15);
      else expect(size, `row ${row}`).toBeGreaterThan(1e-6);
    }
  });
});
