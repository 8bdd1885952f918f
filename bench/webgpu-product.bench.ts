// Compares the 512³ product on one WebGPU adapter between this lab's device and @jax-js/jax, both through Dawn in Node, in interleaved rounds of
// one process. Figures are medians; the products are compared before they count.
import { init as initJax, numpy } from '@jax-js/jax';
import { globals } from 'webgpu';
import { put, readFloats } from '../src/kernels/device.ts';
import { ops } from '../src/kernels/ops.ts';
import { createWebGpuDevice } from '../src/kernels/webgpu/device.ts';
import { CounterRng, STREAMS } from '../src/rng/index.ts';

const N = 512;
/** Consecutive products before the device is waited for, as in training. */
const CHAIN = 4;

export interface ProductRow {
  name: string;
  ms: number;
  gflops: number;
}

export async function benchWebGpuProduct(gpu: GPU): Promise<{ device: string; rows: ProductRow[] }> {
  // jax-js expects a page's WebGPU globals, which Node lacks.
  Object.assign(globalThis, globals);
  Object.defineProperty(globalThis, 'navigator', {
    value: { gpu, userAgent: 'node', hardwareConcurrency: 1 },
    configurable: true,
  });
  const rng = CounterRng.of(1, STREAMS.test);
  const random = () => Float32Array.from({ length: N * N }, () => rng.uniform() - 0.5);
  const [a, b] = [random(), random()];

  const device = await createWebGpuDevice({ gpu });
  const buffers = { a: put(device, a, 'a'), b: put(device, b, 'b'), c: device.alloc(N * N, 'f32', 'c') };
  const ours = {
    name: 'this lab',
    async run() {
      for (let i = 0; i < CHAIN; i++) ops.matmul(device, { ...buffers, m: N, n: N, k: N });
      await device.sync();
    },
    result: async (): Promise<ArrayLike<number>> => readFloats(device, buffers.c),
  };
  if (!(await initJax('webgpu')).includes('webgpu')) throw new Error('@jax-js/jax found no WebGPU.');
  const [x, y] = [a, b].map((data) => numpy.array(data.slice(), { shape: [N, N], device: 'webgpu' }));
  const jax = {
    name: '@jax-js/jax (webgpu)',
    async run() {
      const products = Array.from({ length: CHAIN }, () => numpy.matmul(x.ref, y.ref));
      for (const product of products) {
        await product.ref.blockUntilReady();
        product.dispose();
      }
    },
    result: async (): Promise<ArrayLike<number>> => numpy.matmul(x.ref, y.ref).data(),
  };

  const contestants = [ours, jax];
  const products: ArrayLike<number>[] = [];
  for (const { run, result } of contestants) {
    await run();
    products.push(await result());
  }
  for (let i = 0; i < N * N; i++) {
    if (!(Math.abs(products[0][i] - products[1][i]) < 1e-3))
      throw new Error(`element ${i}: ${products[0][i]} and ${products[1][i]}`);
  }
  const times = contestants.map((): number[] => []);
  const rounds = device.isSoftware ? 3 : 25;
  for (let round = 0; round < rounds; round++) {
    for (const [i, { run }] of contestants.entries()) {
      const start = performance.now();
      await run();
      times[i].push((performance.now() - start) / CHAIN);
    }
  }
  const rows = contestants.map(({ name }, i) => {
    const ms = times[i].sort((p, q) => p - q)[times[i].length >> 1];
    return { name, ms, gflops: (2 * N ** 3) / ms / 1e6 };
  });
  const name = device.name;
  device.destroy();
  return { device: name, rows };
}
