// Times every kernel at the embedded model's shapes, on the CPU device (SIMD, plain and fused), on its reference kernels and on WebGPU, in
// interleaved rounds so that a busy machine slows all alike; and the SVDs of the model's Linears. Figures are medians. Before a call is timed, its
// output is compared with the reference kernel's.

import { KERNELS } from '../src/kernels/contract.ts';
import { createCpuDevice } from '../src/kernels/cpu/device.ts';
import { allowFused } from '../src/kernels/cpu/fused.node.ts';
import { fusedProblem } from '../src/kernels/cpu/simd.ts';
import { type Device, type DeviceBuffer, put } from '../src/kernels/device.ts';
import { svd } from '../src/kernels/svd.ts';
import { relativeError, runCase } from '../src/kernels/testing/cases.ts';
import { createWebGpuDevice } from '../src/kernels/webgpu/device.ts';
import { openNodeGpu } from '../src/lib/gpu.node.ts';
import { type KernelCall, kernelCalls, matrix, SVD_SHAPES } from './kernel-calls.ts';
import { type Bench, type BenchTable, figure, median } from './table.ts';

const ROUNDS = 3;
/** Milliseconds of a round of one kernel on one device; a longer call is a round by itself. */
const ROUND_MS = 12;
const MOST_CALLS = 200;
/** Long calls (a software adapter's attention) get fewer rounds. */
const BUDGET_MS = 1000;
/** Tolerance relative to a buffer's largest element, for float32 sums of thousands of terms in another order. */
const TOLERANCE = 1e-3;

async function milliseconds(device: Device, calls: number, run: () => void): Promise<number> {
  await device.sync();
  const start = performance.now();
  for (let i = 0; i < calls; i++) run();
  await device.sync();
  return (performance.now() - start) / calls;
}

/** Throws if a device's result differs from the last device's (the reference kernels). `sample` is left out, since
 *  rounding may change the chosen token. */
async function compare(devices: readonly Device[], call: KernelCall): Promise<void> {
  if (call.kernel === 'sample') return;
  const results = await Promise.all(devices.map((device) => runCase(device, call)));
  const expected = results[results.length - 1];
  for (const [i, result] of results.entries())
    for (const [name, values] of result) {
      const error = relativeError(values, expected.get(name)!);
      if (!(error < TOLERANCE))
        throw new Error(`${call.kernel} (${call.use}): ${name} differs by ${error} on ${devices[i].name}`);
    }
}

/** Median milliseconds of one call on each device. */
async function timeCall(devices: readonly Device[], call: KernelCall): Promise<number[]> {
  await compare(devices, call);
  const specs = KERNELS[call.kernel].buffers;
  const runners = devices.map((device) => {
    const buffers: DeviceBuffer[] = call.buffers.map((data, i) => put(device, data, specs[i].name));
    return { device, buffers, run: () => device.run(call.kernel, buffers, call.params) };
  });
  const start = performance.now();
  const calls: number[] = [];
  const times: number[][] = [];
  for (const { device, run } of runners) {
    const once = await milliseconds(device, 1, run);
    calls.push(Math.max(1, Math.min(MOST_CALLS, Math.round(ROUND_MS / once))));
    times.push(once > ROUND_MS ? [once] : []); // a long call is a round by itself
  }
  for (let round = 0; round < ROUNDS; round++) {
    if (round > 0 && performance.now() - start > BUDGET_MS) break;
    for (const [i, { device, run }] of runners.entries())
      if (round > 0 || times[i].length === 0) times[i].push(await milliseconds(device, calls[i], run));
  }
  for (const { buffers } of runners) for (const buffer of buffers) buffer.free();
  return times.map(median);
}

function rate({ flops, bytes }: KernelCall, ms: number): string {
  if (flops !== undefined) return `${figure(flops / ms / 1e6)} GFLOP/s`;
  return bytes === undefined ? '' : `${figure(bytes / ms / 1e6)} GB/s`;
}

async function kernelTable(devices: readonly Device[], log: (line: string) => void): Promise<BenchTable> {
  const [simd, fused, webgpu, plain] = devices;
  const rows: string[][] = [];
  for (const call of kernelCalls()) {
    const [fast, once, gpu, plainly] = await timeCall([simd, fused, webgpu, plain], call);
    const cells = [fast * 1000, once * 1000, fast / once, plainly * 1000, plainly / fast, gpu * 1000].map(figure);
    rows.push([
      ...[call.kernel, call.use, cells[0], rate(call, fast), cells[1], rate(call, once), cells[2]],
      ...[cells[3], cells[4], cells[5], rate(call, gpu)],
    ]);
    log(rows[rows.length - 1].join('  '));
  }
  return {
    title: 'Every kernel at the embedded model’s shapes',
    note:
      `${simd.name}, ${fused.name}, the reference kernels, and ${webgpu.name} through Dawn in Node; microseconds a call, medians of ` +
      `${ROUNDS} interleaved rounds (fewer for long calls); results compared first. GB/s counts what a call must read and write; it is the ` +
      'caches’ where the data fits them. A kernel without a SIMD version runs as its reference kernel.',
    columns: [
      ...['kernel', 'at', 'SIMD µs', 'SIMD', 'fused µs', 'fused', 'SIMD / fused'],
      ...['plain µs', 'plain / SIMD', 'WebGPU µs', 'WebGPU'],
    ],
    rows,
  };
}

async function svdTable(devices: readonly Device[], log: (line: string) => void): Promise<BenchTable> {
  const rows: string[][] = [];
  for (const { dOut, dIn, use } of SVD_SHAPES) {
    const w = matrix(dOut, dIn);
    const cells = [`${use} ${dOut}×${dIn}`];
    for (const device of devices) {
      await svd(device, w, dOut, dIn); // compiles
      const start = performance.now();
      const { sweeps } = await svd(device, w, dOut, dIn);
      cells.push(figure(performance.now() - start), String(sweeps));
    }
    rows.push(cells);
    log(cells.join('  '));
  }
  return {
    title: 'Singular value decompositions of the embedded model’s Linears',
    note: 'One-sided Jacobi to working precision on a random matrix; milliseconds of one decomposition, the second of two.',
    columns: ['matrix', ...devices.flatMap(({ name }) => [`${name}, ms`, 'sweeps'])],
    rows,
  };
}

export const kernelsBench: Bench = {
  name: 'kernels',
  async run(log) {
    allowFused();
    const simd = await createCpuDevice();
    const fused = await createCpuDevice({ fused: (await fusedProblem()) === null });
    const webgpu = await createWebGpuDevice({ gpu: await openNodeGpu() });
    const plain = await createCpuDevice({ simd: false });
    const devices = [simd, fused, webgpu, plain];
    const tables = [await kernelTable(devices, log), await svdTable(devices, log)];
    for (const device of devices) device.destroy();
    return tables;
  },
};
