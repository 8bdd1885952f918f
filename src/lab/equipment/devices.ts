// Chooses the device that the lab computes on: a real GPU, else the CPU; a software WebGPU adapter only on request. The GPU is passed in (a
// worker's navigator.gpu, or Dawn in Node), so that the choice is the same everywhere.

import { DeviceError } from '@projected-grpo-lab/base/errors.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { fusedProblem } from '../../kernels/cpu/simd.ts';
import type { ThreadHost } from '../../kernels/cpu/threads/team.ts';
import type { Device } from '../../kernels/device.ts';
import { softwareAdapter } from '../../kernels/webgpu/adapter.ts';
import type { DeviceChoice } from '../protocol/protocol.ts';
import type { DeviceReport } from '../protocol/reports.ts';

/** Null without WebGPU; may throw a DeviceError with the reason. */
export type GpuProvider = () => Promise<GPU | null>;

export interface ChosenDevice {
  device: Device;
  report: DeviceReport;
}

/** Functions that open devices; a test passes its own. */
export interface DeviceMakers {
  cpu(): Promise<Device>;
  /** CPU device with fused multiply-adds. Throws DeviceError if the machine or the engine does not fuse. */
  fused(): Promise<Device>;
  /** CPU device that `auto` takes: with fused multiply-adds where available. */
  own(): Promise<Device>;
  /** `integers`: the device that decodes with 8-bit products. Throws DeviceError if the shader language cannot. */
  webgpu(gpu: GPU, integers: boolean): Promise<Device>;
  /** Name of the adapter if it is a software one, found without opening a device; else null. */
  software(gpu: GPU): Promise<string | null>;
}

/**
 * `threads`: the CPU device's threads; without them it has one thread. `isPlain`: `auto` uses no CPU that fuses, for results that must
 * equal the published ones.
 */
export const makersOf = (threads?: ThreadHost, isPlain = false): DeviceMakers => ({
  cpu: () => createCpuDevice({ threads, isLean: true }),
  fused: () => createCpuDevice({ threads, fused: true, isLean: true }),
  own: async () => createCpuDevice({ threads, isLean: true, fused: !isPlain && (await fusedProblem()) === null }),
  // Its kernels arrive with the first device that needs them.
  webgpu: async (gpu, integers) =>
    (await import('../../kernels/webgpu/device.ts')).createWebGpuDevice({ gpu, integers }),
  software: softwareAdapter,
});

/** Throws DeviceError if another device than `auto` is requested but unavailable; `auto` always finds a device. */
export async function chooseDevice(
  choice: DeviceChoice,
  provider: GpuProvider,
  makers: DeviceMakers = makersOf(),
): Promise<ChosenDevice> {
  const onCpu = async (reason: string) => report(choice, await makers.own(), reason);
  if (choice === 'cpu') return report(choice, await makers.cpu(), 'The CPU was chosen.');
  if (choice === 'cpu-fused')
    return report(choice, await makers.fused(), 'The CPU with fused multiply-adds was chosen.');
  let device: Device;
  try {
    const gpu = await provider();
    if (!gpu)
      throw new DeviceError('WebGPU is not available here', 'Use a recent Chrome, Edge or Safari, or the CPU device.');
    const software = choice === 'auto' ? await makers.software(gpu) : null;
    if (software !== null)
      return onCpu(
        `The only WebGPU adapter (${software}) is a software one: it computes on the processor too, so the CPU device is used.`,
      );
    device = await makers.webgpu(gpu, choice === 'webgpu-int8');
  } catch (error) {
    if (choice !== 'auto') throw error;
    const why = error instanceof DeviceError ? error.message : `WebGPU failed to open (${String(error)})`;
    return onCpu(`${sentence(why)} So the CPU is used.`);
  }
  if (choice === 'webgpu') return report(choice, device, 'WebGPU was chosen.');
  if (choice === 'webgpu-int8')
    return report(choice, device, 'WebGPU with 8-bit products in decoding was chosen: no published digits.');
  return report(choice, device, 'A GPU was found.');
}

function report(choice: DeviceChoice, device: Device, reason: string): ChosenDevice {
  const { kind, name, isSoftware, threads } = device;
  return { device, report: { choice, kind, name, isSoftware, ...(threads ? { threads } : {}), reason } };
}

function sentence(text: string): string {
  const start = text[0].toUpperCase() + text.slice(1);
  return /[.!?]$/.test(start) ? start : `${start}.`;
}
