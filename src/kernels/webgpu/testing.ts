// Helpers of the kernel tests: a WebGPU device, and a comparison of a kernel with its reference kernel.
import { openNodeGpu } from '../../lib/gpu.node.ts';
import { kept } from '../../lib/kept.ts';
import { type KernelName, type KernelParams, specOf } from '../contract.ts';
import { createCpuDevice } from '../cpu/device.ts';
import { type Device, put, readFloats } from '../device.ts';
import { ops } from '../ops.ts';
import { type KernelCase, make } from '../testing/case.ts';
import { runCase } from '../testing/cases.ts';
import { openAdapter } from './adapter.ts';
import { createWebGpuDevice, WebGpuDevice } from './device.ts';
import { probeValues } from './probe.ts';

type Data = Float32Array | Uint32Array;

/** Opens Node's WebGPU device, or says why there is none. `asHardware`: it gets the kernels for real GPUs on any
 *  adapter. */
export async function openTestDevice(asHardware = false): Promise<{ device?: WebGpuDevice; why: string }> {
  try {
    const gpu = await openNodeGpu();
    if (!asHardware) return { device: await createWebGpuDevice({ gpu }), why: '' };
    return { device: new WebGpuDevice({ ...(await openAdapter({ gpu })), isSoftware: false }), why: '' };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    console.warn(`WebGPU tests are skipped: ${why}`);
    return { why };
  }
}

const shared = new Map<boolean, ReturnType<typeof openTestDevice>>();

/** One device per process, which is never destroyed: on a software adapter most of a test's time is compiling, and files that share a process
 *  compile every pipeline once. A test that changes the device's choices must restore them. */
export function sharedTestDevice(asHardware = false): ReturnType<typeof openTestDevice> {
  return kept(shared, asHardware, () => openTestDevice(asHardware));
}

/** Values in (−scale, scale), the same for the same seed. */
export function values(length: number, seed: number, scale = 1): Float32Array {
  return probeValues(length, seed * 7919 + 17).map((x) => x * scale);
}

/** Returns the contents of every buffer after one run. */
export async function outcome<K extends KernelName>(
  device: Device,
  kernel: K,
  inputs: readonly Data[],
  params: KernelParams<K>,
): Promise<Data[]> {
  const buffers = inputs.map((data, i) => put(device, data, specOf(kernel).buffers[i].name));
  device.run(kernel, buffers, params);
  const results = await Promise.all(buffers.map((buffer) => device.read(buffer)));
  for (const buffer of buffers) buffer.free();
  return results.map((data) => (data instanceof Float64Array ? Float32Array.from(data) : data));
}

let reference: Promise<Device> | undefined;

/**
 * Runs a kernel twice on the WebGPU device and once on its reference kernel in doubles. Returns the worst difference of any f32
 * buffer, relative to max(1, |expected|); throws if the two runs differ in a bit, or a u32 buffer differs at all.
 */
export async function compare<K extends KernelName>(
  device: Device,
  kernel: K,
  inputs: readonly Data[],
  params: KernelParams<K>,
): Promise<number> {
  reference ??= createCpuDevice({ precision: 'f64' });
  const [first, second, expected] = [
    await outcome(device, kernel, inputs, params),
    await outcome(device, kernel, inputs, params),
    await outcome(await reference, kernel, inputs, params),
  ];
  let worst = 0;
  const specs = specOf(kernel).buffers;
  for (let b = 0; b < specs.length; b++) {
    const { name, dtype, access } = specs[b];
    const bits = (data: Data) => new Uint32Array(data.buffer, data.byteOffset, data.length);
    const [x, y] = [bits(first[b]), bits(second[b])];
    const kept = bits(inputs[b]);
    for (let i = 0; i < x.length; i++) {
      if (x[i] !== y[i]) throw new Error(`${kernel}: ${name}[${i}] differs between two runs`);
      if (access === 'r' && x[i] !== kept[i]) throw new Error(`${kernel}: ${name}[${i}] was written`);
      if (dtype === 'u32') {
        if (x[i] !== expected[b][i]) throw new Error(`${kernel}: ${name}[${i}] = ${x[i]}, expected ${expected[b][i]}`);
      } else {
        const difference = Math.abs(first[b][i] - expected[b][i]) / Math.max(1, Math.abs(expected[b][i]));
        if (!(difference <= worst)) worst = difference;
        if (Number.isNaN(difference))
          throw new Error(`${kernel}: ${name}[${i}] = ${first[b][i]}, expected ${expected[b][i]}`);
      }
    }
  }
  return worst;
}

/** The product of the unpacked matrix, which matmul_f16, matmul_q8h and matmul_q4h must equal to the bit. */
export async function unpackedFirst(on: Device, { kernel, buffers, params }: KernelCase) {
  const { n, k, bOff, block, ...rest } = params as KernelParams<'matmul_q8h'>;
  const [a, b] = buffers;
  const src = put(on, b, 'packed');
  const dst = on.alloc(n * k, 'f32', 'values');
  const freed = [src, dst];
  if (kernel === 'matmul_f16') ops.unpackF16(on, { src, dst, n: n * k, srcOff: bOff });
  else {
    const scale = put(on, buffers[2], 'scales');
    freed.push(scale);
    const unpack = kernel === 'matmul_q4h' ? ops.unpackQ4h : ops.unpackQ8h;
    unpack(on, { src, scale, dst, n: n * k, srcOff: bOff, block });
  }
  const values = (await readFloats(on, dst)) as Float32Array;
  for (const buffer of freed) buffer.free();
  return runCase(
    on,
    make('matmul', [a, values, buffers[buffers.length - 1]], { ...rest, n, k, bOff: 0, ta: 0, tb: 1 }),
  );
}
