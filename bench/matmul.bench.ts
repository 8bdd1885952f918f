// Compares the 512³ float32 product on this lab's CPU device with other JavaScript implementations, all in one
// process and in interleaved rounds, so that a busy machine slows every contestant alike. Figures are medians; every
// result is compared with ours before it counts.
import { init as initJax, numpy } from '@jax-js/jax';
import '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import { createCpuDevice } from '../src/kernels/cpu/device.ts';
import { put, readFloats, SIMD_NAMES } from '../src/kernels/device.ts';
import { ops } from '../src/kernels/ops.ts';
import { CounterRng, STREAMS } from '../src/rng/index.ts';
import { openCeiling } from './ceiling.ts';
import { median } from './table.ts';

export interface Products {
  rows: Row[];
  /** The machine's ceiling in the same rounds, medians: GFLOP/s of multiply-adds without memory (two roundings; one rounding, or null), and GB/s of
   *  a large copy. */
  ceiling: { multiplyAdd: number; fused: number | null; copy: number };
}

export interface Row {
  name: string;
  /** Median milliseconds of one product. */
  ms: number;
  gflops: number;
  /** Our time divided by this one's: below 1 we are faster. */
  ourTimeOverTheirs: number;
  /** Fraction of the ceiling. */
  share: number;
}

interface Contestant {
  name: string;
  /** Computes one product; resolves once its result can be read. */
  run: () => Promise<void> | void;
  result: () => Promise<ArrayLike<number>>;
}

const N = 512;
const ROUNDS = 15;

async function ours(a: Float32Array, b: Float32Array, fused: boolean): Promise<Contestant> {
  const device = await createCpuDevice({ fused });
  const buffers = { a: put(device, a, 'a'), b: put(device, b, 'b'), c: device.alloc(N * N, 'f32', 'c') };
  return {
    name: device.name,
    run: () => ops.matmul(device, { ...buffers, m: N, n: N, k: N }),
    result: () => readFloats(device, buffers.c),
  };
}

async function jax(a: Float32Array, b: Float32Array): Promise<Contestant> {
  await initJax('wasm');
  const make = (data: Float32Array) => numpy.array(data.slice(), { shape: [N, N], device: 'wasm' });
  const [x, y] = [make(a), make(b)];
  const product = () => numpy.matmul(x.ref, y.ref); // each call consumes one reference
  return {
    name: '@jax-js/jax (wasm)',
    run: async () => {
      const z = product();
      await z.ref.blockUntilReady();
      z.dispose();
    },
    result: async () => await product().data(),
  };
}

async function tensorflow(a: Float32Array, b: Float32Array): Promise<Contestant> {
  await tf.setBackend('wasm');
  await tf.ready();
  const [x, y] = [tf.tensor2d(a, [N, N]), tf.tensor2d(b, [N, N])];
  return {
    name: `@tensorflow/tfjs (${tf.getBackend()})`,
    run: () => tf.matMul(x, y).dispose(), // the wasm backend computes before it returns
    result: () => tf.matMul(x, y).data(),
  };
}

/** Row by row with the inner loop over columns, which V8 compiles best. */
function plain(a: Float32Array, b: Float32Array): Contestant {
  const c = new Float32Array(N * N);
  return {
    name: 'plain JavaScript',
    run: () => {
      c.fill(0);
      for (let i = 0; i < N; i++)
        for (let k = 0; k < N; k++) {
          const x = a[i * N + k];
          for (let j = 0; j < N; j++) c[i * N + j] += x * b[k * N + j];
        }
    },
    result: async () => c,
  };
}

/** Throws when a contestant's product differs from ours by more than 1e-3. */
export async function benchMatmul(): Promise<Products> {
  const rng = CounterRng.of(1, STREAMS.test);
  const random = () => Float32Array.from({ length: N * N }, () => rng.uniform() - 0.5);
  const [a, b] = [random(), random()];
  const ceiling = await openCeiling();
  const { fusedMultiplyAdd } = ceiling;
  const contestants = [
    await ours(a, b, false),
    ...(fusedMultiplyAdd ? [await ours(a, b, true)] : []),
    ...[await jax(a, b), await tensorflow(a, b), plain(a, b)],
  ];
  let expected: ArrayLike<number> | undefined;
  for (const { name, run, result } of contestants) {
    for (let i = 0; i < 3; i++) await run();
    const product = await result();
    expected ??= product;
    for (let i = 0; i < N * N; i++)
      if (!(Math.abs(product[i] - expected[i]) < 1e-3))
        throw new Error(`${name}: element ${i} is ${product[i]}, ours ${expected[i]}`);
  }
  const times = contestants.map((): number[] => []);
  const best = { multiplyAdd: [] as number[], fused: [] as number[], copy: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    best.multiplyAdd.push(ceiling.multiplyAdd());
    if (fusedMultiplyAdd) best.fused.push(fusedMultiplyAdd());
    best.copy.push(ceiling.copy());
    for (const [i, { run }] of contestants.entries()) {
      const start = performance.now();
      await run();
      times[i].push(performance.now() - start);
    }
  }
  const medians = times.map(median);
  const most = {
    multiplyAdd: median(best.multiplyAdd),
    fused: fusedMultiplyAdd && median(best.fused),
    copy: median(best.copy),
  };
  const rows = contestants.map(({ name }, i) => ({
    name,
    ms: medians[i],
    gflops: (2 * N ** 3) / medians[i] / 1e6,
    ourTimeOverTheirs: medians[0] / medians[i],
    share: (2 * N ** 3) / medians[i] / 1e6 / (name === SIMD_NAMES['cpu-fused'] ? most.fused! : most.multiplyAdd),
  }));
  return { rows, ceiling: most };
}
