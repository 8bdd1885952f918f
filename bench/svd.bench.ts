// Measures singular value decompositions of large matrices: by pairs of vectors and by blocks on the CPU device, by blocks on WebGPU, with errors
// computed in double precision. Each row is one decomposition, since they take seconds and vary little.

import { createCpuDevice } from '../src/kernels/cpu/device.ts';
import type { Device } from '../src/kernels/device.ts';
import { type SvdMethod, svd } from '../src/kernels/svd.ts';
import { singularValues } from '../src/kernels/testing/singular-values.ts';
import {
  matrixWith,
  orthogonalityError,
  randomMatrix,
  reconstructionError,
} from '../src/kernels/testing/svd-checks.ts';
import { createWebGpuDevice } from '../src/kernels/webgpu/device.ts';
import { openNodeGpu } from '../src/lib/gpu.node.ts';
import { type Bench, figure } from './table.ts';

interface Case {
  dOut: number;
  dIn: number;
  spectrum: 'random' | 'decaying' | 'condition 1e6';
  methods: readonly SvdMethod[];
}

/** [3072, 1024] is the shape of a gate or up projection in a model of width 1024. */
const ON_CPU: readonly Case[] = [
  { dOut: 512, dIn: 512, spectrum: 'decaying', methods: ['pairs', 'blocks'] },
  { dOut: 1024, dIn: 1024, spectrum: 'decaying', methods: ['blocks'] },
  { dOut: 3072, dIn: 1024, spectrum: 'condition 1e6', methods: ['blocks'] },
  { dOut: 3072, dIn: 1024, spectrum: 'decaying', methods: ['pairs', 'blocks'] },
  { dOut: 3072, dIn: 1024, spectrum: 'random', methods: ['pairs', 'blocks'] },
];
const ON_SOFTWARE: readonly Case[] = [
  { dOut: 256, dIn: 128, spectrum: 'decaying', methods: ['pairs', 'blocks'] },
  { dOut: 512, dIn: 256, spectrum: 'decaying', methods: ['pairs', 'blocks'] },
];
const ON_GPU: readonly Case[] = ON_CPU.map((one) => ({ ...one, methods: ['blocks'] }));

/** `decaying`: singular values fall as in trained weights, fast at first, then slowly, and never reach 0. */
function matrixOf({ dOut, dIn, spectrum }: Case): Float32Array {
  if (spectrum === 'random') return randomMatrix(dOut, dIn, 1);
  const r = Math.min(dOut, dIn);
  const value = (k: number) => (spectrum === 'decaying' ? 1 / (1 + 0.05 * k) + 0.002 : 10 ** ((-6 * k) / (r - 1)));
  return Float32Array.from(
    matrixWith(
      Array.from({ length: r }, (_, k) => value(k)),
      dOut,
      dIn,
      2,
    ),
  );
}

async function measure(device: Device, one: Case, log: (line: string) => void): Promise<string[][]> {
  const { dOut, dIn, spectrum } = one;
  const w = matrixOf(one);
  const reference = singularValues(w, dOut, dIn);
  const rows: string[][] = [];
  for (const method of one.methods) {
    if (device.kind === 'webgpu') await svd(device, randomMatrix(40, 40, 1), 40, 40, { method }); // compiles
    const before = process.cpuUsage();
    const start = performance.now();
    const result = await svd(device, w, dOut, dIn, { method });
    const seconds = (performance.now() - start) / 1000;
    const busy = process.cpuUsage(before).user / 1e6;
    const values = Math.max(...reference.map((s, i) => Math.abs(s - result.S[i]))) / reference[0];
    const errors = [
      orthogonalityError(result.U, dOut, result.S.length, true),
      orthogonalityError(result.Vh, result.S.length, dIn, false),
      reconstructionError(result, w, dOut, dIn),
      values,
    ];
    rows.push([
      ...[`${dOut} × ${dIn} ${spectrum}`, device.name, method, figure(seconds), figure(busy), String(result.sweeps)],
      ...errors.map((error) => error.toExponential(1)),
    ]);
    log(rows[rows.length - 1].join('  '));
  }
  return rows;
}

export const svdBench: Bench = {
  name: 'svd',
  async run(log) {
    const rows: string[][] = [];
    const webgpu = await createWebGpuDevice({ gpu: await openNodeGpu() });
    for (const one of webgpu.isSoftware ? ON_SOFTWARE : ON_GPU) rows.push(...(await measure(webgpu, one, log)));
    webgpu.destroy();
    const cpu = await createCpuDevice();
    for (const one of ON_CPU) rows.push(...(await measure(cpu, one, log)));
    cpu.destroy();
    return [
      {
        title: 'Singular value decompositions of large matrices',
        note:
          'One-sided Jacobi to working precision in float32, by single pairs of vectors or by pairs of blocks of 16; one decomposition a row. ' +
          'CPU s: processor time of the process (a busy machine stretches the other). U: largest entry of |UᵀU − I|; Vh likewise; ' +
          'W: ‖W − U Σ Vh‖ / ‖W‖; S: largest |S − S of a double-precision reference| / S₀. 1e-5 is allowed.',
        columns: ['matrix', 'device', 'method', 's', 'CPU s', 'sweeps', 'U', 'Vh', 'W', 'S'],
        rows,
      },
    ];
  },
};
