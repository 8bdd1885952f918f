// Report of what the browser offers and how the lab uses it: for the device view, and for the text that a user pastes into a report.
// `diagnose` only inspects the adapter and opens no device on it.

import { setOwn } from '@projected-grpo-lab/base/own.ts';
import type { Device } from '../../kernels/device.ts';
import { put } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import { requestAdapter } from '../../lib/gpu-answer.ts';
import { turn } from '../../lib/turn.ts';
import type { AdapterReport, DeviceComparison, Diagnostics, MatmulSpeed } from '../protocol/reports.ts';
import type { DeviceMakers, GpuProvider } from './devices.ts';

export async function diagnose(device: Device, provider: GpuProvider): Promise<Diagnostics> {
  const tried: Diagnostics['tried'] = [];
  const adapter = await lookForAdapter(provider, tried);
  return { tried, adapter, memory: device.memory(), maxBindingBytes: device.limits.maxBindingBytes };
}

async function lookForAdapter(provider: GpuProvider, tried: Diagnostics['tried']): Promise<AdapterReport | null> {
  const attempt = async <T>(what: string, action: () => Promise<T | null>, said: (value: T) => string) => {
    try {
      const value = await action();
      tried.push({ what, outcome: value === null ? 'nothing' : said(value), ok: value !== null });
      return value;
    } catch (thrown) {
      // The cause, if there is one, is the browser's own error.
      const error = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
      tried.push({ what, outcome: error instanceof Error ? error.message : String(error), ok: false });
      return null;
    }
  };
  const gpu = await attempt('navigator.gpu in the worker', provider, () => 'present');
  if (!gpu) return null;
  const ask = (powerPreference?: GPUPowerPreference) =>
    attempt(
      `requestAdapter(${powerPreference ? `{ powerPreference: '${powerPreference}' }` : ''})`,
      () => requestAdapter(gpu, powerPreference ? { powerPreference } : undefined),
      ({ info }) => info.description || [info.vendor, info.architecture, info.device].filter(Boolean).join(' '),
    );
  const adapter = (await ask('high-performance')) ?? (await ask());
  if (!adapter) return null;
  const { info } = adapter;
  const limits: Record<string, number> = {};
  // The limits are getters of the prototype, so Object.keys would find none.
  for (const name in adapter.limits) {
    const value = adapter.limits[name as keyof GPUSupportedLimits];
    if (typeof value === 'number') setOwn(limits, name, value);
  }
  return {
    vendor: info.vendor,
    architecture: info.architecture,
    device: info.device,
    description: info.description,
    isFallback: info.isFallbackAdapter === true,
    features: [...adapter.features].sort(),
    limits,
  };
}

/** Comparisons by adapter, measured once per worker since the speed is the machine's. */
const comparisonsByAdapter = new Map<string, DeviceComparison>();
const COMPARED = { n: 256, rounds: 3, budgetSeconds: 0.08 } as const;

/** Speed of the software adapter and of the CPU device: alternating measurements, the median of each; the device that is not open is opened
 *  for it. Null if WebGPU is a real GPU's or is unavailable. Throws StoppedError. */
export async function compareDevices(
  own: Device,
  provider: GpuProvider,
  makers: DeviceMakers,
  now: () => number,
  signal: AbortSignal,
): Promise<DeviceComparison | null> {
  const opened: Device[] = [];
  const open = async (making: Promise<Device>) => {
    const device = await making;
    opened.push(device);
    return device;
  };
  try {
    const gpu = own.kind === 'webgpu' ? null : await provider().catch(() => null);
    if (own.kind !== 'webgpu' && !gpu) return null;
    const adapter = gpu ? await open(makers.webgpu(gpu, false)).catch(() => null) : own;
    if (!adapter?.isSoftware) return null;
    const known = comparisonsByAdapter.get(adapter.name);
    if (known) return known;
    const cpu = own.kind === 'cpu' ? own : await open(makers.cpu());
    const rates: [number[], number[]] = [[], []];
    for (let round = 0; round < COMPARED.rounds; round++)
      for (const [i, device] of [adapter, cpu].entries()) {
        await turn();
        signal.throwIfAborted();
        const [speed] = await measureMatmul(device, now, [COMPARED.n], COMPARED.budgetSeconds);
        rates[i].push(speed.gflops);
      }
    const [webgpu, onCpu] = rates.map((values) => values.sort((a, b) => a - b)[COMPARED.rounds >> 1]);
    const found = { adapter: adapter.name, n: COMPARED.n, webgpu, cpu: onCpu, threads: cpu.threads ?? 1 };
    comparisonsByAdapter.set(adapter.name, found);
    return found;
  } finally {
    for (const device of opened) device.destroy();
  }
}

/** Measures square products from the smallest on, each for `budgetSeconds` but at least once; a slow device stops early. */
export async function measureMatmul(
  device: Device,
  now: () => number,
  sizes: readonly number[] = [128, 256, 512, 1024],
  budgetSeconds = 0.25,
): Promise<MatmulSpeed[]> {
  const speeds: MatmulSpeed[] = [];
  for (const n of sizes) {
    const operations = 2 * n ** 3;
    const last = speeds.at(-1);
    // A product that takes seconds adds nothing and makes the user wait.
    if (last && operations / (last.gflops * 1e9) > 8 * budgetSeconds) break;
    const values = Float32Array.from({ length: n * n }, (_, i) => ((i * 7919) % 1013) / 1013 - 0.5);
    const [a, b] = [put(device, values, 'speed.a'), put(device, values, 'speed.b')];
    const c = device.alloc(n * n, 'f32', 'speed.c');
    try {
      const product = () => ops.matmul(device, { a, b, c, m: n, n, k: n });
      // The first call compiles the kernel.
      product();
      await device.sync();
      let repeats = 1;
      let seconds = 0;
      for (;;) {
        const start = now();
        for (let i = 0; i < repeats; i++) product();
        await device.sync();
        seconds = (now() - start) / 1000;
        if (seconds >= budgetSeconds || repeats >= 4096) break;
        repeats = Math.min(
          4096,
          Math.ceil(repeats * Math.min(8, Math.max(1.5, budgetSeconds / Math.max(seconds, 1e-3)))),
        );
      }
      speeds.push({ n, repeats, seconds, gflops: (operations * repeats) / seconds / 1e9 });
    } finally {
      for (const buffer of [a, b, c]) buffer.free();
    }
  }
  return speeds;
}
