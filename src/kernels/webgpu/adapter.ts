// Opens an adapter's device with the adapter's own limits: WebGPU's default limits (128 MiB per binding) are far
// below what most adapters have.
import { DeviceError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { answered, PATIENCE_MS, requestAdapter } from '../../lib/gpu-answer.ts';

/** Usage and map flags by value: Node's Dawn defines no globals. */
export const USAGE = { mapRead: 0x01, copySrc: 0x04, copyDst: 0x08, uniform: 0x40, storage: 0x80 } as const;
export const MAP_READ = 1;
export const STAGE_COMPUTE = 4;

const SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|software|basic render|warp/i;
const WANTED = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxStorageBuffersPerShaderStage',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
  'maxComputeWorkgroupSizeY',
  'maxComputeWorkgroupSizeZ',
  'maxComputeWorkgroupsPerDimension',
] as const;

export interface OpenOptions {
  readonly gpu: GPU;
  readonly powerPreference?: GPUPowerPreference;
  readonly signal?: AbortSignal;
  /** Default: PATIENCE_MS. */
  readonly patienceMs?: number;
}

export interface OpenedAdapter {
  readonly device: GPUDevice;
  readonly name: string;
  readonly isSoftware: boolean;
  /** Smallest and largest subgroup size, in invocations; absent without subgroups. */
  readonly subgroups?: { readonly least: number; readonly most: number };
}

const isSoftware = (info: GPUAdapterInfo): boolean =>
  info.isFallbackAdapter === true ||
  SOFTWARE.test(`${info.vendor} ${info.architecture} ${info.device} ${info.description}`);

function infoText(info: GPUAdapterInfo): string {
  const { vendor, architecture, device, description } = info;
  // A description may name the driver alone (NVIDIA's on Vulkan does).
  if (description) return device && !isSoftware(info) ? `${device}, ${description}` : description;
  return [vendor, architecture, device].filter((part) => part).join(' ') || 'WebGPU adapter';
}

/** Name of the adapter that would be opened if it is a software adapter, else null. Opens nothing. */
export async function softwareAdapter(gpu: GPU, patienceMs = PATIENCE_MS): Promise<string | null> {
  const info = (await requestAdapter(gpu, { powerPreference: 'high-performance' }, patienceMs))?.info;
  return info && isSoftware(info) ? infoText(info) : null;
}

export async function openAdapter(options: OpenOptions): Promise<OpenedAdapter> {
  const { gpu, powerPreference = 'high-performance', signal, patienceMs = PATIENCE_MS } = options;
  const adapter = await requestAdapter(gpu, { powerPreference }, patienceMs);
  if (!adapter) {
    throw new DeviceError(
      'WebGPU is available but offers no adapter',
      'Use the CPU device, or update the graphics driver (in Chrome: see chrome://gpu).',
    );
  }
  if (signal?.aborted) throw new StoppedError();
  const { info, limits } = adapter;
  const hasSubgroups = adapter.features.has('subgroups');
  const requiredFeatures: GPUFeatureName[] = hasSubgroups ? ['subgroups'] : [];
  const requiredLimits: Record<string, number> = {};
  for (const limit of WANTED) requiredLimits[limit] = limits[limit];
  let device: GPUDevice;
  try {
    device = await answered(
      'requestDevice',
      () => adapter.requestDevice({ requiredLimits, requiredFeatures, label: 'projected-grpo-lab' }),
      patienceMs,
      (late) => late.destroy(),
    );
  } catch (cause) {
    throw new DeviceError(
      `the adapter ${infoText(info)} gave no device: ${cause instanceof Error ? cause.message : String(cause)}`,
      'Close other pages that use the GPU and try again, or use the CPU device.',
      { cause },
    );
  }
  if (signal?.aborted) {
    device.destroy();
    throw new StoppedError();
  }
  const { subgroupMinSize: least, subgroupMaxSize: most } = info;
  const subgroups = hasSubgroups && least && most ? { least, most } : undefined;
  return { device, name: infoText(info), isSoftware: isSoftware(info), subgroups };
}
