// Tests the kernels of a gated DeltaNet layer: gradients against finite differences, the delta rule against float64 fixtures
// (../shared/oracle beside the repository; skipped if missing), and states that are passed on instead of recomputed.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { bytesSource, SafetensorsFile } from '../../storage/safetensors.ts';
import { runsOf } from '../contract/delta.cases.ts';
import { NONE } from '../contract/delta.ts';
import { type Device, type DeviceBuffer, put, readFloats } from '../device.ts';
import { ops } from '../ops.ts';
import { createCpuDevice } from './device.ts';
import { allowFused } from './fused.node.ts';

allowFused();
const rng = CounterRng.of(31, STREAMS.test, 2);
const random = (length: number, scale = 1) => Float64Array.from({ length }, () => scale * rng.normal());

/** A prompt of three rows with two completions, one of them shorter than the convolution's width. */
const { rows, slots, runs, parents, leaves } = runsOf([{ prompt: 3, completions: [4, 2] }]);
const [FIRST, SECOND] = [
  { count: parents, runOff: 0 },
  { count: leaves, runOff: parents },
];

describe('gradients against finite differences, in double precision', () => {
  let device: Device;
  beforeAll(async () => {
    device = await createCpuDevice({ precision: 'f64' });
  });
  const at = (data: Float64Array) => put(device, data, 'data');
  const room = (length: number) => device.alloc(length, 'f32', 'room');

  /** ∂ Σ weights·forward(inputs) / ∂ inputs[which] by central differences. */
  async function numeric(
    inputs: readonly Float64Array[],
    which: number,
    weights: Float64Array,
    forward: (inputs: readonly DeviceBuffer[]) => DeviceBuffer,
  ): Promise<Float64Array> {
    const h = 1e-5;
    const loss = async (i: number, move: number) => {
      const moved = inputs.map((data, n) => (n === which ? data.map((x, j) => (j === i ? x + move : x)) : data));
      const out = await readFloats(device, forward(moved.map(at)));
      return weights.reduce((sum, weight, j) => sum + weight * out[j], 0);
    };
    const grad = new Float64Array(inputs[which].length);
    for (let i = 0; i < grad.length; i++) grad[i] = ((await loss(i, h)) - (await loss(i, -h))) / (2 * h);
    return grad;
  }

  async function expectClose(analytic: DeviceBuffer, expected: Float64Array): Promise<void> {
    const got = await readFloats(device, analytic);
    const scale = expected.reduce((top, value) => Math.max(top, Math.abs(value)), 0);
    expect(scale).toBeGreaterThan(1e-3); // a constant loss would prove nothing
    for (let i = 0; i < expected.length; i++)
      expect(Math.abs(got[i] - expected[i]) / scale, `element ${i}`).toBeLessThan(1e-7);
  }

  it('the rule, for keys, queries, values and gates, through the state that completions share', async () => {
    const [keyHeads, heads, keyDim, valueDim] = [2, 4, 3, 2];
    const shape = { rows, keyHeads, heads, keyDim, valueDim };
    const gates = Float64Array.from({ length: rows * heads * 2 }, (_, i) => (i % 2 ? rng.uniform() : -rng.uniform()));
    const inputs = [random(rows * 2 * keyHeads * keyDim, 0.6), random(rows * heads * valueDim), gates];
    const dOut = random(rows * heads * valueDim);
    const table = put(device, runs, 'runs');
    const states = room(slots * heads * keyDim * valueDim);
    const forward = ([qk, v, ofGates]: readonly DeviceBuffer[]) => {
      const o = room(rows * heads * valueDim);
      for (const call of [FIRST, SECOND])
        ops.deltaRule(device, { qk, v, gates: ofGates, runs: table, states, o, ...shape, ...call });
      return o;
    };
    const [qk, v, ofGates] = inputs.map(at);
    forward([qk, v, ofGates]);
    const [dOV, dQk] = [at(dOut), room(inputs[0].length)];
    for (const call of [SECOND, FIRST])
      ops.deltaRuleGrad(device, { qk, v, gates: ofGates, runs: table, states, dOV, dQk, ...shape, ...call });
    for (const [which, analytic] of [dQk, dOV, ofGates].entries())
      await expectClose(analytic, await numeric(inputs, which, dOut, forward));
  });

  it.each([1, 2, 4, 6])('the convolution with %i taps', async (taps) => {
    const [width, first, cols] = [5, 1, 3];
    const inputs = [random(rows * width), random(width * taps)];
    const dOut = random(rows * cols);
    const table = put(device, runs, 'runs');
    const past = room(slots * (taps - 1) * width);
    const size = { rows, width, first, cols, taps };
    const forward = ([m, w]: readonly DeviceBuffer[]) => {
      const out = room(rows * cols);
      for (const call of [FIRST, SECOND]) ops.convSilu(device, { m, w, runs: table, past, out, ...size, ...call });
      return out;
    };
    const [m, w] = inputs.map(at);
    forward([m, w]);
    const [dM, dW] = [room(rows * width), room(width * taps)];
    const conv = { m, w, runs: table, past, dOut: at(dOut), ...size };
    for (const call of [SECOND, FIRST]) {
      ops.convSiluDw(device, { ...conv, dW, ...call });
      ops.convSiluGrad(device, { ...conv, dM, ...call });
    }
    for (const [which, analytic] of [dM, dW].entries())
      await expectClose(analytic, await numeric(inputs, which, dOut, forward));
  });

  it('the gates, and the gate of attention', async () => {
    const heads = 3;
    const [aLog, dtBias] = [at(random(heads)), at(random(heads))];
    const inputs = [random(rows * heads), random(rows * heads)];
    const dOut = random(rows * heads * 2);
    const size = { rows, heads };
    const [a, b] = inputs.map(at);
    const [dA, dB] = [room(rows * heads), room(rows * heads)];
    ops.deltaGatesGrad(device, { a, b, aLog, dtBias, dGates: at(dOut), dA, dB, ...size });
    for (const [which, analytic] of [dA, dB].entries()) {
      const expected = await numeric(inputs, which, dOut, ([x, y]) => {
        const gates = room(rows * heads * 2);
        ops.deltaGates(device, { a: x, b: y, aLog, dtBias, gates, ...size });
        return gates;
      });
      await expectClose(analytic, expected);
    }
    const n = rows * heads;
    const weights = random(n);
    const [dX, dGate] = [room(n), room(n)];
    ops.sigmoidGateGrad(device, { x: a, gate: b, dOut: at(weights), dX, dGate, n });
    for (const [which, analytic] of [dX, dGate].entries()) {
      const expected = await numeric(inputs, which, weights, ([x, gate]) => {
        const out = room(n);
        ops.sigmoidGate(device, { x, gate, out, n });
        return out;
      });
      await expectClose(analytic, expected);
    }
  });
});

const ROOT = resolve('..', 'shared', 'oracle');
const hasFixtures = existsSync(ROOT);
if (!hasFixtures) console.warn(`The rule is not compared with the fixtures: there is no ${ROOT}.`);

describe.skipIf(!hasFixtures).each(['qwen35-tied', 'qwen35-untied'])('the rule of %s', (name) => {
  const DEVICES = [
    ['double', { precision: 'f64' }, 1e-7],
    ['plain', { simd: false }, 1e-5],
    ['SIMD', {}, 1e-5],
    ['fused', { fused: true }, 1e-5],
  ] as const;
  it.each(DEVICES)('forward and backward, %s', async (_, options, most) => {
    const bytes = readFileSync(resolve(ROOT, name, 'expected.safetensors'));
    const file = await SafetensorsFile.open(bytesSource(bytes), name);
    const read = (tensor: string) => file.readF32(`rule.${tensor}`);
    const [heads, T, keyDim] = file.tensors.get('rule.q')!.shape;
    const valueDim = file.tensors.get('rule.v')!.shape[2];
    const device = await createCpuDevice(options);
    /** [heads, T, width] → [T, heads, width], as part `part` of the `of` parts of a row. */
    const byRow = (x: ArrayLike<number>, width: number, into: Float64Array, of = 1, part = 0, factor = 1) => {
      for (let h = 0; h < heads; h++)
        for (let t = 0; t < T; t++)
          for (let d = 0; d < width; d++)
            into[((t * of + part) * heads + h) * width + d] = factor * x[(h * T + t) * width + d];
      return into;
    };
    const pairs = (x: ArrayLike<number>, y: ArrayLike<number>) => {
      const both = new Float64Array(T * heads * 2);
      for (let h = 0; h < heads; h++)
        for (let t = 0; t < T; t++) both.set([x[h * T + t], y[h * T + t]], 2 * (t * heads + h));
      return both;
    };
    const root = Math.sqrt(keyDim); // the fixture's queries are divided by it
    const keys = async (q: string, k: string, factor: number) => {
      const both = byRow(await read(q), keyDim, new Float64Array(T * 2 * heads * keyDim), 2, 0, factor);
      return byRow(await read(k), keyDim, both, 2, 1);
    };
    const values = async (tensor: string) =>
      byRow(await read(tensor), valueDim, new Float64Array(T * heads * valueDim));
    const relative = async (buffer: DeviceBuffer, expected: ArrayLike<number>, at = 0) => {
      const got = await readFloats(device, buffer, at, expected.length);
      let [error, size] = [0, 0];
      for (let i = 0; i < expected.length; i++) {
        error += (got[i] - expected[i]) ** 2;
        size += expected[i] ** 2;
      }
      return Math.sqrt(error / size);
    };

    const size = heads * keyDim * valueDim;
    // Slot 0 has the initial state, 1 the run's own, 2 the gradient from a child.
    const states = device.alloc(3 * size, 'f32', 'states');
    device.upload(states, await read('S0'));
    device.upload(states, await read('dS'), 2 * size);
    const shape = { rows: T, keyHeads: heads, heads, keyDim, valueDim, count: 1 };
    const qk = put(device, await keys('q', 'k', root), 'qk');
    const v = put(device, await values('v'), 'v');
    const gates = put(device, pairs(await read('g'), await read('beta')), 'gates');
    const table = put(device, Uint32Array.of(0, T, 0, 1, 1), 'runs');
    const o = device.alloc(T * heads * valueDim, 'f32', 'o');
    ops.deltaRule(device, { qk, v, gates, runs: table, states, o, ...shape });
    expect(await relative(o, await values('o'))).toBeLessThan(most);
    expect(await relative(states, await read('S'), size)).toBeLessThan(most);

    const dOV = put(device, await values('do'), 'dO');
    const dQk = device.alloc(T * 2 * heads * keyDim, 'f32', 'dQk');
    ops.deltaRuleGrad(device, { qk, v, gates, runs: table, states, dOV, dQk, ...shape });
    expect(await relative(dQk, await keys('dq', 'dk', 1 / root))).toBeLessThan(most);
    expect(await relative(dOV, await values('dv'))).toBeLessThan(most);
    expect(await relative(gates, pairs(await read('dg'), await read('dbeta')))).toBeLessThan(most);
    expect(await relative(states, await read('dS0'), size)).toBeLessThan(most);
  });
});

describe.each([
  ['plain', false],
  ['fused', true],
] as const)('bit for bit, %s', (_, fused) => {
  it('rows one by one, or in runs after a prompt, equal those of one run', async () => {
    const device = await createCpuDevice({ fused });
    const [keyHeads, heads, keyDim, valueDim, T, taps] = [2, 4, 16, 20, 41, 4];
    const width = 2 * keyHeads * keyDim + heads * valueDim;
    const shape = { rows: T, keyHeads, heads, keyDim, valueDim };
    const floats = (length: number, scale = 1) => put(device, Float32Array.from(random(length, scale)), 'data');
    const [qk, v] = [floats(T * 2 * keyHeads * keyDim, 0.2), floats(T * heads * valueDim)];
    const gates = put(
      device,
      random(T * heads * 2).map((x, i) => (i % 2 ? 1 / (1 + x * x) : -(x * x))),
      'gates',
    );
    const [m, w] = [floats(T * width), floats(width * taps)];
    const compute = async (calls: readonly (readonly number[])[]) => {
      const states = device.alloc(2 * heads * keyDim * valueDim, 'f32', 'states');
      const past = device.alloc(2 * (taps - 1) * width, 'f32', 'past');
      const [o, out] = [device.alloc(T * heads * valueDim, 'f32', 'o'), device.alloc(T * width, 'f32', 'out')];
      for (const run of calls) {
        const table = put(device, Uint32Array.from(run), 'runs');
        ops.deltaRule(device, { qk, v, gates, runs: table, states, o, ...shape, count: 1 });
        ops.convSilu(device, { m, w, runs: table, past, out, rows: T, width, cols: width, taps, count: 1 });
      }
      return [await device.read(o), await device.read(out), await device.read(states), await device.read(past)];
    };
    const whole = await compute([[0, T, NONE, 0, 0]]);
    expect(await compute(Array.from({ length: T }, (__, t) => [t, t + 1, t === 0 ? NONE : 0, 0, 0]))).toEqual(whole);
    expect(
      (
        await compute([
          [0, 17, NONE, 1, 0],
          [17, T, 1, 0, 0],
        ])
      ).slice(0, 2),
    ).toEqual(whole.slice(0, 2));
  });
});
