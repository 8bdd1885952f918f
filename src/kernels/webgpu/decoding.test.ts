// Compares the fused kernels of a decoding step bit for bit with the separate kernels that they replace: for a step's few rows and every storage
// format, in the forms for software adapters and for real GPUs.
import { describe, expect, it } from 'vitest';
import { openNodeGpu } from '../../lib/gpu.node.ts';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { createCpuDevice } from '../cpu/device.ts';
import { type Device, type DeviceBuffer, put } from '../device.ts';
import { ops } from '../ops.ts';
import { floats } from '../testing/case.ts';
import { caseName, kernelCases, relativeError, runCase } from '../testing/cases.ts';
import { bytes, halves } from '../testing/packed-cases.ts';
import { openAdapter } from './adapter.ts';
import { DECODING_PROGRAMS } from './decoding.ts';
import { WebGpuDevice } from './device.ts';
import { sharedTestDevice } from './testing.ts';

const ROWS = [1, 8, 64] as const;
const STORAGES = ['f32', 'f16', 'q8h', 'q4h'] as const;
type Storage = (typeof STORAGES)[number];
const BLOCK = 32;
const EPS = 1e-6;

/** The kernels' forms, on one adapter. `alone`: the form for software adapters without subgroups of four. */
const FORMS = [
  ['software', await sharedTestDevice()],
  ['alone', await withoutSubgroups()],
  ['hardware', await sharedTestDevice(true)],
] as const;

async function withoutSubgroups(): ReturnType<typeof sharedTestDevice> {
  const { device, why } = await sharedTestDevice();
  if (!device) return { why };
  return {
    device: new WebGpuDevice({ ...(await openAdapter({ gpu: await openNodeGpu() })), subgroups: undefined }),
    why,
  };
}

const random = CounterRng.of(5, STREAMS.test, 63);

interface Matrix {
  b: DeviceBuffer;
  scale: DeviceBuffer | null;
}

function matrix(on: Device, storage: Storage, n: number): Matrix {
  if (storage === 'f32') return { b: put(on, floats(random, n, 0.2), 'b'), scale: null };
  if (storage === 'f16')
    return {
      b: put(
        on,
        halves(random, n).map((word) => word & 0x37ff37ff),
        'b',
      ),
      scale: null,
    };
  // Scales of 2⁻⁹ and 2⁻¹⁰.
  const scale = new Uint32Array(Math.ceil(n / BLOCK / 2)).fill(0x18001400);
  const packed = bytes(random, storage === 'q4h' ? Math.ceil(n / 2) : n);
  return { b: put(on, packed, 'b'), scale: put(on, scale, 'scale') };
}

function productOf(on: Device, storage: Storage, { b, scale }: Matrix, args: ProductArgs): void {
  if (storage === 'f32') ops.matmul(on, { ...args, b, tb: 1 });
  else if (storage === 'f16') ops.matmulF16(on, { ...args, b });
  else if (storage === 'q4h') ops.matmulQ4h(on, { ...args, b, scale: scale!, block: BLOCK });
  else ops.matmulQ8h(on, { ...args, b, scale: scale!, block: BLOCK });
}
interface ProductArgs {
  a: DeviceBuffer;
  c: DeviceBuffer;
  m: number;
  n: number;
  k: number;
  aOff?: number;
  cOff?: number;
  beta?: number;
}

async function sameBits(on: Device, ours: DeviceBuffer, theirs: DeviceBuffer, what: string): Promise<void> {
  const [a, b] = [await on.read(ours), await on.read(theirs)];
  const bits = (data: typeof a) => new Uint32Array(data.buffer, data.byteOffset, data.length);
  expect(
    bits(a).some((word) => word !== 0),
    what,
  ).toBe(true);
  expect(a.some(Number.isNaN), what).toBe(false);
  expect(bits(a), what).toEqual(bits(b));
}

function products(on: WebGpuDevice, storage: Storage, m: number, apart: number) {
  // Widths that fill no tile; one matrix is narrower than a tile.
  const [k, widths] = [64, [70, 32, 6]] as const;
  const parts = widths.map((n) => matrix(on, storage, n * k));
  const a = put(on, floats(random, (apart ? 3 : 1) * m * k), 'a');
  const first = floats(random, m * 108);
  const [ours, theirs] = [put(on, first, 'ours'), put(on, first, 'theirs')];
  const [n0, n1, n2] = widths;
  const [b0, b1, b2] = parts.map(({ b }) => b);
  const shape = { a, b0, b1, b2, c: ours, m, k, n0, n1, n2, apart, beta: apart };
  if (storage === 'f32') ops.products(on, shape);
  else if (storage === 'f16') ops.productsF16(on, shape);
  else {
    const [scale0, scale1, scale2] = parts.map(({ scale }) => scale!);
    const run = storage === 'q4h' ? ops.productsQ4h : ops.productsQ8h;
    run(on, { ...shape, scale0, scale1, scale2, block: BLOCK });
  }
  let cOff = 0;
  for (const [i, n] of widths.entries()) {
    productOf(on, storage, parts[i], { a, c: theirs, m, n, k, aOff: apart * i * m * k, cOff, beta: apart });
    cOff += m * n;
  }
  return { ours, theirs };
}

function gated(on: WebGpuDevice, storage: Storage, m: number, k: number) {
  const n = 70;
  const [gate, up] = [matrix(on, storage, n * k), matrix(on, storage, n * k)];
  const [x, w] = [put(on, floats(random, m * k, 3), 'x'), put(on, floats(random, k), 'w')];
  const take = (length: number) => on.alloc(length, 'f32', 'scratch');
  const [ours, theirs] = [take(m * n), take(m * n)];
  const shape = { x, w, b0: gate.b, b1: up.b, out: ours, m, n, k, eps: EPS };
  if (storage === 'f32') ops.gated(on, shape);
  else if (storage === 'f16') ops.gatedF16(on, shape);
  else {
    const run = storage === 'q4h' ? ops.gatedQ4h : ops.gatedQ8h;
    run(on, { ...shape, scale0: gate.scale!, scale1: up.scale!, block: BLOCK });
  }
  const [h, rstd, g, u] = [take(m * k), take(m), take(m * n), take(m * n)];
  ops.rmsnorm(on, { x, w, y: h, rstd, rows: m, dim: k, eps: EPS });
  productOf(on, storage, gate, { a: h, c: g, m, n, k });
  productOf(on, storage, up, { a: h, c: u, m, n, k });
  ops.swiglu(on, { gate: g, up: u, out: theirs, n: m * n });
  return { ours, theirs };
}

interface Heads {
  rows: number;
  headDim: number;
  turned: number;
  normed: number;
}

/** Returns q and the caches of k and v. */
function heads(on: WebGpuDevice, cached: 'f32' | 'f16', { rows, headDim, turned, normed }: Heads) {
  const [heads, kvHeads, shift] = [4, 2, 3];
  const [q, kv] = [heads * headDim, kvHeads * headDim];
  const room = (rows * 4 + shift + 1) * kv;
  const numbers = (length: number) => floats(random, length, 2);
  const [qs, ks, vs] = [numbers(rows * q), numbers(rows * kv), numbers(rows * kv)];
  const angles = numbers((80 * turned) / 2);
  const [cos, sin] = [put(on, angles.map(Math.cos), 'cos'), put(on, angles.map(Math.sin), 'sin')];
  const [qNorm, kNorm] = [put(on, numbers(headDim), 'qNorm'), put(on, numbers(headDim), 'kNorm')];
  const pos = Uint32Array.from({ length: rows }, (_, i) => (i * 7) % 70);
  const to = Uint32Array.from({ length: rows }, (_, i) => (rows - 1 - i) * 4);
  const places = put(on, Uint32Array.from([...pos].flatMap((at, i) => [at, to[i]])), 'places');
  const isHalf = cached === 'f16';
  const cache = () => put(on, isHalf ? new Uint32Array(room / 2).fill(7) : new Float32Array(room).fill(7), 'cache');
  const qkv = put(on, Float32Array.from([...qs, ...ks, ...vs]), 'qkv');
  const own = { k: cache(), v: cache() };
  const shape = { rows, heads, kvHeads, headDim, turned, shift, normed, eps: EPS };
  const fused = isHalf ? ops.cacheHeadsF16 : ops.cacheHeads;
  fused(on, { qkv, qNorm, kNorm, cos, sin, places, ...own, ...shape });

  const [positions, index] = [put(on, pos, 'pos'), put(on, to, 'index')];
  const alone = (x: Float32Array, w: DeviceBuffer, count: number) => {
    const [raw, y] = [put(on, x, 'raw'), put(on, x, 'y')];
    const rstd = on.alloc(rows * count, 'f32', 'rstd');
    if (normed) ops.rmsnorm(on, { x: raw, w, y, rstd, rows: rows * count, dim: headDim, eps: EPS });
    const turning = { rows, heads: count, headDim: turned, shift, rest: headDim - turned };
    ops.rope(on, { x: y, cos, sin, pos: positions, ...turning });
    return y;
  };
  const theirs = { q: alone(qs, qNorm, heads), k: cache(), v: cache() };
  const into = { index, rows, dim: kv, shift };
  const write = isHalf ? ops.storeF16 : ops.scatterRows;
  write(on, { src: alone(ks, kNorm, kvHeads), dst: theirs.k, ...into });
  write(on, { src: put(on, vs, 'v'), dst: theirs.v, ...into });
  const ourQ = on.alloc(rows * q, 'f32', 'q');
  ops.copy(on, { src: qkv, dst: ourQ, n: rows * q });
  return { q: [ourQ, theirs.q], k: [own.k, theirs.k], v: [own.v, theirs.v] } as const;
}

it('subgroups of four share the values that they read, on a software adapter that has them', () => {
  const shape = { m: 8, k: 64, n0: 64, n1: 0, n2: 0, apart: 0, beta: 0 };
  const shared = (software: boolean, quads: boolean) => {
    const [{ shader }] = DECODING_PROGRAMS.products.plan(shape, { software, quads, subgroup: 0, attention: 1 });
    return shader.code.startsWith('enable subgroups;') && shader.code.includes('subgroupBroadcast');
  };
  expect([shared(true, true), shared(true, false), shared(false, false)]).toEqual([true, false, false]);
});

describe.each(FORMS)('a step of decoding in fewer calls, %s', (form, { device, why }) => {
  const gpu = device!;
  for (const storage of STORAGES) {
    it.skipIf(!device)(`three products, ${storage} ${why}`, async () => {
      for (const rows of ROWS)
        for (const apart of [0, 1]) {
          const { ours, theirs } = products(gpu, storage, rows, apart);
          await sameBits(gpu, ours, theirs, `${rows} rows, apart ${apart}`);
        }
    });

    it.skipIf(!device)(`norm, gate and up, ${storage} ${why}`, async () => {
      // One invocation norms a row of 64 on every adapter; a workgroup norms a longer row on a real GPU, and a row of 4,160 on any adapter.
      const lengths = form === 'hardware' ? [64, 192, 4160] : [64, 192];
      for (const k of lengths)
        for (const rows of k > 4096 ? [1] : ROWS) {
          const { ours, theirs } = gated(gpu, storage, rows, k);
          await sameBits(gpu, ours, theirs, `${rows} rows of ${k}`);
        }
    });
  }

  it.skipIf(!device).each(['f32', 'f16'] as const)(`heads into a cache of %s ${why}`, async (cached) => {
    for (const rows of ROWS)
      for (const shape of [
        { headDim: 32, turned: 32, normed: 1 },
        { headDim: 128, turned: 128, normed: 1 },
        { headDim: 20, turned: 12, normed: 1 },
        { headDim: 16, turned: 16, normed: 0 },
      ])
        for (const [name, [ours, theirs]] of Object.entries(heads(gpu, cached, { rows, ...shape })))
          await sameBits(gpu, ours, theirs, `${name}, ${rows} rows of ${JSON.stringify(shape)}`);
  });

  it.skipIf(!device)(`the reference kernels’ values ${why}`, async () => {
    const exact = await createCpuDevice({ precision: 'f64' });
    const cases = kernelCases().filter(({ kernel }) => /^(products|gated)|^cache_heads$/.test(kernel));
    expect(cases.length).toBeGreaterThan(20);
    for (const one of cases) {
      const [ours, wanted] = [await runCase(gpu, one), await runCase(exact, one)];
      for (const [name, data] of ours)
        expect(relativeError(data, wanted.get(name)!), `${caseName(one)}: ${name}`).toBeLessThan(1e-5);
    }
  });
});
