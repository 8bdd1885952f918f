// Runs one benchmark by name and prints its tables as JSON, or lists the names, or serves as a contestant that a benchmark started (child.ts).
// scripts/tool/bench.mjs gives each its own process, so that none warms or crowds another.

import { openNodeGpu } from '../src/lib/gpu.node.ts';
import { areBench } from './are.bench.ts';
import { callsBench } from './calls.bench.ts';
import { decodeBench, decodeWebGpuBench } from './decode.bench.ts';
import { serveDecoder } from './decode-turns.ts';
import { deltaRuleBench } from './delta-rule.bench.ts';
import { episodesBench } from './episodes.bench.ts';
import { gradingBench } from './grading.bench.ts';
import { hybridBench } from './hybrid.bench.ts';
import { kernelsBench } from './kernels.bench.ts';
import { layerBench } from './layer.bench.ts';
import { benchMatmul } from './matmul.bench.ts';
import { packedBench } from './packed.bench.ts';
import { qwenBench } from './qwen.bench.ts';
import { smallBench } from './small.bench.ts';
import { stepBench, threadsBench } from './step.bench.ts';
import { svdBench } from './svd.bench.ts';
import { type Bench, figure } from './table.ts';
import { torchBench, torchHybridBench, torchLargeBench } from './torch.bench.ts';
import { benchWebGpuMatmul } from './webgpu.bench.ts';
import { benchWebGpuProduct } from './webgpu-product.bench.ts';
import { wholeBenches } from './whole.bench.ts';

const matmulBench: Bench = {
  name: 'matmul',
  async run() {
    const { rows, ceiling } = await benchMatmul();
    return [
      {
        title: 'Matrix product, 512 × 512 × 512, float32, one thread',
        note: `Medians of interleaved rounds in one process; every product is compared with ours. In the same rounds the machine gave ${figure(ceiling.multiplyAdd)} GFLOP/s of multiplications and additions in registers (4 lanes, two roundings, as in the plain kernels), ${ceiling.fused === null ? 'none' : figure(ceiling.fused)} of fused ones and ${figure(ceiling.copy)} GB/s, read and written, in a copy of 64 MiB.`,
        columns: ['implementation', 'ms', 'GFLOP/s', 'share of the ceiling', 'our time / its time'],
        rows: rows.map(({ name, ms, gflops, ourTimeOverTheirs, share }) => [
          name,
          figure(ms),
          figure(gflops),
          figure(share),
          figure(ourTimeOverTheirs),
        ]),
      },
    ];
  },
};

const webGpuBench: Bench = {
  name: 'webgpu',
  async run() {
    const { device, rows, chosen, dispatch } = await benchWebGpuMatmul(await openNodeGpu());
    const choice = Object.entries(chosen).map(([shape, variant]) => `${variant} (${shape})`);
    return [
      {
        title: 'Matrix products on WebGPU',
        note: `${device}, through Dawn in Node; chosen at start-up: ${choice.join(', ')}. Every variant gives the same bits.`,
        columns: ['shape', 'kernel', 'ms', 'GFLOP/s'],
        rows: rows.map(({ shape, variant, ms, gflops }) => [shape, variant, figure(ms), figure(gflops)]),
      },
      {
        title: 'A small dispatch on WebGPU',
        note: `${device}; microseconds a call in a long chain.`,
        columns: ['what', 'µs'],
        rows: [
          ['encoded', figure(dispatch.encodeUs)],
          ['done', figure(dispatch.doneUs)],
        ],
      },
    ];
  },
};

const webGpuProductBench: Bench = {
  name: 'webgpu-product',
  async run() {
    const { device, rows } = await benchWebGpuProduct(await openNodeGpu());
    return [
      {
        title: 'Matrix product, 512 × 512 × 512, float32, on WebGPU',
        note: `${device}, through Dawn in Node. Medians of interleaved rounds in one process; the products are compared.`,
        columns: ['implementation', 'ms', 'GFLOP/s', 'our time / its time'],
        rows: rows.map(({ name, ms, gflops }) => [name, figure(ms), figure(gflops), figure(rows[0].ms / ms)]),
      },
    ];
  },
};

const BENCHES: readonly Bench[] = [
  matmulBench,
  webGpuProductBench,
  webGpuBench,
  kernelsBench,
  packedBench,
  callsBench,
  layerBench,
  svdBench,
  smallBench,
  stepBench,
  threadsBench,
  torchBench,
  torchHybridBench,
  torchLargeBench,
  decodeBench,
  decodeWebGpuBench,
  episodesBench,
  gradingBench,
  qwenBench,
  deltaRuleBench,
  hybridBench,
  ...wholeBenches,
  areBench,
];

async function main(): Promise<void> {
  const [name, what, ...rest] = process.argv.slice(2);
  if (name === '--serve') {
    if (what !== 'decode') throw new Error(`There is nothing to serve ${what}.`);
    return serveDecoder(rest);
  }
  if (name === '--list') {
    console.log(BENCHES.map((bench) => bench.name).join('\n'));
    return;
  }
  const bench = BENCHES.find((candidate) => candidate.name === name);
  if (!bench) throw new Error(`There is no benchmark ${name}. Known: ${BENCHES.map((b) => b.name).join(', ')}.`);
  const tables = await bench.run((line) => console.error(line));
  console.log(JSON.stringify(tables));
}

main().then(
  // Dawn would keep the process alive, so it exits explicitly.
  () => process.stdout.write('', () => process.exit(0)),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
