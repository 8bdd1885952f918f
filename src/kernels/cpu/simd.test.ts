// Tests the f32 device, with SIMD kernels of both builds and without, against the f64 reference kernels on every case; bit-for-bit
// properties; and the committed WebAssembly against its sources.
import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { KERNELS } from '../contract.ts';
import { type DeviceBuffer, put, readFloats } from '../device.ts';
import { ops } from '../ops.ts';
import { BATCHES, caseName, kernelCases, packedBatch, relativeError, runCase } from '../testing/cases.ts';
import { fusedMultiplyAdd } from '../testing/fused-multiply-add.ts';
import { type CpuDevice, createCpuDevice } from './device.ts';
import { allowFused } from './fused.node.ts';
import { ALL_PROGRAMS } from './late-programs.ts';

const cases = kernelCases();
allowFused();

describe('the f32 device against f64 reference kernels', () => {
  let exact: CpuDevice;
  let simd: CpuDevice;
  let fused: CpuDevice;
  let plain: CpuDevice;
  beforeAll(async () => {
    exact = await createCpuDevice({ precision: 'f64' });
    simd = await createCpuDevice();
    fused = await createCpuDevice({ fused: true });
    plain = await createCpuDevice({ simd: false });
  });

  it('has a case for every kernel', () => {
    expect([...new Set(cases.map(({ kernel }) => kernel))].sort()).toEqual(Object.keys(KERNELS).sort());
    expect(Object.keys(ALL_PROGRAMS).length).toBeGreaterThan(20);
  });

  it.each(cases.map((one) => [caseName(one), one] as const))('%s', async (_, one) => {
    const expected = await runCase(exact, one);
    for (const device of [simd, fused, plain]) {
      const got = await runCase(device, one);
      for (const [name, values] of expected) {
        const mine = got.get(name)!;
        if (values instanceof Uint32Array) expect(mine).toEqual(values);
        else expect(relativeError(mine, values), `${name} on ${device.name}`).toBeLessThan(2e-6);
      }
    }
  });
});

describe.each([
  ['CPU (WASM SIMD)', false],
  ['CPU (WASM SIMD, fused)', true],
] as const)('bit for bit on %s', (name, fused) => {
  it('a kernel gives the same bytes on two devices', async () => {
    const first = await createCpuDevice({ fused });
    expect(first.name).toBe(name);
    const second = await createCpuDevice({ fused });
    second.alloc(1001, 'f32', 'another layout of the memory');
    for (const one of cases) expect(await runCase(second, one)).toEqual(await runCase(first, one));
  });

  // Products of 3 to 16 rows read the matrix directly, those of fewer or more rows read packed panels.
  it.each([0, 1])('a row of a product does not depend on the number of rows (beta %d)', async (beta) => {
    const device = await createCpuDevice({ fused });
    const rng = CounterRng.of(3, STREAMS.test);
    const [m, n, k] = [130, 45, 301];
    const a = put(
      device,
      Float32Array.from({ length: m * k }, () => rng.normal()),
      'a',
    );
    const b = put(
      device,
      Float32Array.from({ length: n * k }, () => rng.normal()),
      'b',
    );
    const whole = device.alloc(m * n, 'f32', 'whole');
    const part = device.alloc(m * n, 'f32', 'part');
    const fill = (c: DeviceBuffer) => ops.fill(device, { x: c, n: m * n, value: 3 });
    fill(whole);
    ops.matmul(device, { a, b, c: whole, m, n, k, tb: 1, beta });
    const rows = await device.read(whole);
    for (const count of [1, 2, 3, 5, 8, 15, 16, 17, 69]) {
      const from = m - count;
      fill(part);
      ops.matmul(device, { a, b, c: part, m: count, n, k, aOff: from * k, tb: 1, beta });
      expect(await device.read(part, 0, count * n)).toEqual(rows.slice(from * n));
    }
  });

  const add = fused ? fusedMultiplyAdd : (a: number, b: number, c: number) => Math.fround(c + Math.fround(a * b));

  it('large products, with several blocks of packed rows and columns', async () => {
    const device = await createCpuDevice({ fused });
    const rng = CounterRng.of(4, STREAMS.test);
    const [m, n, k] = [70, 160, 20_000];
    const a = put(
      device,
      Float32Array.from({ length: m * k }, () => rng.uniform()),
      'a',
    );
    const b = put(
      device,
      Float32Array.from({ length: k * n }, () => rng.uniform()),
      'b',
    );
    const c = device.alloc(m * n, 'f32', 'c');
    const [aData, bData] = [await readFloats(device, a), await readFloats(device, b)];
    for (const [ta, tb] of [
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
    ]) {
      ops.matmul(device, { a, b, c, m, n, k, ta, tb });
      const got = await readFloats(device, c);
      for (const at of [0, 65 * n + 64, 69 * n + 159, 33 * n + 127]) {
        const [i, j] = [Math.floor(at / n), at % n];
        let sum = 0;
        for (let p = 0; p < k; p++)
          sum = add(aData[ta ? p * m + i : i * k + p], bData[tb ? j * k + p : p * n + j], sum);
        expect(got[at]).toBe(sum); // ascending k, one single-precision accumulator
      }
    }
  });

  it('a sequence’s attention does not depend on its position in the batch', async () => {
    const device = await createCpuDevice({ fused });
    const { heads, kvHeads, headDim } = BATCHES[3];
    const rng = CounterRng.of(5, STREAMS.test);
    const { rows, ranges } = packedBatch([{ prefix: 5, sequences: [9] }]);
    const random = (n: number) => Float32Array.from({ length: n }, () => rng.normal());
    const data = [heads, kvHeads, kvHeads].map((h) => random(rows * h * headDim));
    const alone = await runCase(device, {
      kernel: 'attention',
      buffers: [...data, ranges, new Float32Array(data[0].length), new Float32Array(rows * heads * 2)],
      params: { rows, heads, kvHeads, headDim, grow: 0 },
    });
    const before = 7;
    const shifted = data.map((x) => Float32Array.from([...random((x.length / rows) * before), ...x]));
    const own = Uint32Array.from({ length: before * 4 }, (_, i) => (i % 4 === 3 ? 1 : 0));
    const behind = await runCase(device, {
      kernel: 'attention',
      buffers: [
        ...shifted,
        Uint32Array.from([
          ...own,
          ...ranges.map((at, i) => (i % 4 < 2 && ranges[(i & ~3) + 1] === 0 ? 0 : at + before)),
        ]),
        new Float32Array(shifted[0].length),
        new Float32Array((rows + before) * heads * 2),
      ],
      params: { rows: rows + before, heads, kvHeads, headDim, grow: 0 },
    });
    expect(behind.get('o')!.slice(-data[0].length)).toEqual(alone.get('o'));
  });
});

describe('exp in four lanes, through swiglu and logprob', () => {
  it('has relative error below 3e-7 over its whole range, and handles 0, ∞ and NaN', async () => {
    const device = await createCpuDevice();
    const n = 100_003;
    const x = Float32Array.from({ length: n }, (_, i) => -104 + (192 * i) / n);
    const gate = put(device, x, 'gate');
    const up = put(
      device,
      x.map(() => 1),
      'up',
    );
    const out = device.alloc(n, 'f32', 'out');
    ops.swiglu(device, { gate, up, out, n });
    const got = await readFloats(device, out);
    let worst = 0;
    for (let i = 0; i < n; i++) {
      const expected = x[i] / (1 + Math.exp(-x[i]));
      if (Math.abs(expected) > 1e-36) worst = Math.max(worst, Math.abs(got[i] / expected - 1));
      else expect(Math.abs(got[i])).toBeLessThan(1e-35);
    }
    expect(worst).toBeLessThan(3e-7);
    const special = put(device, new Float32Array([Number.NaN, Number.POSITIVE_INFINITY, -1e30, 0]), 'special');
    ops.swiglu(device, { gate: special, up, out, n: 4 });
    const [nan, infinite, low, zero] = await readFloats(device, out, 0, 4);
    expect([nan, infinite, zero]).toEqual([Number.NaN, Number.POSITIVE_INFINITY, 0]);
    expect(Math.abs(low)).toBeLessThan(1e-6);
  });
});

it('the committed WebAssembly matches its sources', () => {
  expect(execFileSync(process.execPath, ['scripts/wasm.mjs', '--check'], { encoding: 'utf8' })).toMatch(/up to date/);
});
