// Measures the matrix product's variants on a WebGPU device: at 512³, and at the shapes of the embedded model
// (training on some 4,300 packed tokens, decoding 56 sequences, a weight gradient). Rounds are interleaved and
// figures are medians; every variant's result is compared bit for bit with the register kernel's before it counts.
// Also measures the cost of a call: how many dispatches per second a step of a small model can make.
import { put, readFloats } from '../src/kernels/device.ts';
import { createWebGpuDevice, type WebGpuDevice } from '../src/kernels/webgpu/device.ts';
import {
  DEFAULT_CHOICE,
  MATMUL_VARIANTS,
  type MatmulParams,
  type MatmulVariant,
  matmulEverywhere,
  matmulParams,
} from '../src/kernels/webgpu/matmul.ts';
import { CounterRng, STREAMS } from '../src/rng/index.ts';
import { median } from './table.ts';

export interface WebGpuMatmulRow {
  shape: string;
  variant: MatmulVariant;
  /** Median milliseconds of one product, in a batch of several. */
  ms: number;
  gflops: number;
}

export interface WebGpuBench {
  device: string;
  rows: WebGpuMatmulRow[];
  /** The variants that the start-up measurement chose; on software adapters always the register kernel. */
  chosen: Readonly<Record<string, MatmulVariant>>;
  /** Microseconds per small dispatch in a long chain: of JavaScript alone, and until the GPU is done. */
  dispatch: { encodeUs: number; doneUs: number };
}

const SHAPES: Readonly<Record<string, MatmulParams>> = {
  '512³': matmulParams(512, 512, 512, 0, 1),
  'train 4300×128×128': matmulParams(4300, 128, 128, 0, 1),
  'train 4300×384×128': matmulParams(4300, 384, 128, 0, 1),
  'train back 4300×128×384': matmulParams(4300, 128, 384, 0, 0),
  'decode 56×128×128': matmulParams(56, 128, 128, 0, 1),
  'decode 56×512×128': matmulParams(56, 512, 128, 0, 1),
  'weight gradient 128×384×4300': matmulParams(128, 384, 4300, 1, 0),
};

function noise(length: number, part: number): Float32Array {
  const rng = CounterRng.of(41, STREAMS.test, part);
  return Float32Array.from({ length }, () => 2 * rng.uniform() - 1);
}

async function timed(device: WebGpuDevice, calls: number, run: () => void): Promise<number> {
  await device.sync();
  const start = performance.now();
  for (let i = 0; i < calls; i++) run();
  await device.sync();
  return (performance.now() - start) / calls;
}

async function benchShape(device: WebGpuDevice, name: string, p: MatmulParams): Promise<WebGpuMatmulRow[]> {
  const buffers = [put(device, noise(p.m * p.k, 1), 'a'), put(device, noise(p.k * p.n, 2), 'b')];
  buffers.push(device.alloc(p.m * p.n, 'f32', 'c'));
  // Tiled kernels have barriers, which take a software adapter seconds, so only one of them is measured there, at one
  // shape.
  const few: readonly MatmulVariant[] = name === '512³' ? ['register', 'tiled64'] : ['register'];
  const variants = device.isSoftware ? few : MATMUL_VARIANTS;
  const run = (variant: MatmulVariant) => {
    device.matmulChoice = matmulEverywhere(variant);
    device.run('matmul', buffers, p);
  };
  const times = new Map<MatmulVariant, number[]>(variants.map((variant) => [variant, []]));
  let expected: Uint32Array | undefined;
  for (const variant of variants) {
    run(variant);
    const bits = new Uint32Array((await readFloats(device, buffers[2])).buffer);
    expected ??= bits;
    if (bits.some((value, i) => value !== expected?.[i])) throw new Error(`${variant} differs at ${name}`);
  }
  for (let round = 0; round < 5; round++) {
    for (const variant of variants) {
      if (device.isSoftware && variant !== 'register' && round > 0) continue;
      times.get(variant)?.push(await timed(device, device.isSoftware ? 1 : 50, () => run(variant)));
    }
  }
  for (const buffer of buffers) buffer.free();
  return variants.map((variant) => {
    const ms = median(times.get(variant) ?? []);
    return { shape: name, variant, ms, gflops: (2 * p.m * p.n * p.k) / ms / 1e6 };
  });
}

async function benchDispatch(device: WebGpuDevice): Promise<WebGpuBench['dispatch']> {
  const x = device.alloc(64, 'f32', 'x');
  const calls = 200; // fewer than a batch, so that encoding is measured alone
  const encode: number[] = [];
  const done: number[] = [];
  for (let round = 0; round < 7; round++) {
    await device.sync();
    const start = performance.now();
    for (let i = 0; i < calls; i++) device.run('fill', [x], { n: 64, off: 0, value: i });
    encode.push(((performance.now() - start) / calls) * 1000);
    await device.sync();
    done.push(((performance.now() - start) / calls) * 1000);
  }
  x.free();
  return { encodeUs: median(encode), doneUs: median(done) };
}

/** Some seconds on a GPU, about a minute on a software adapter. */
export async function benchWebGpuMatmul(gpu: GPU): Promise<WebGpuBench> {
  const device = await createWebGpuDevice({ gpu });
  const chosen = { ...device.matmulChoice };
  const rows: WebGpuMatmulRow[] = [];
  for (const [name, p] of Object.entries(SHAPES)) rows.push(...(await benchShape(device, name, p)));
  device.matmulChoice = DEFAULT_CHOICE;
  const dispatch = await benchDispatch(device);
  const result = { device: device.name, rows, chosen, dispatch };
  device.destroy();
  return result;
}
