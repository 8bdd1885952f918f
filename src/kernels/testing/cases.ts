// Calls of every kernel with random data and awkward sizes (partial vectors, offsets, single rows, grouped heads, shared
// prefixes), for tests that compare implementations. The cases are beside each contract (contract/<family>.cases.ts), those of packed.ts in
// packed-cases.ts. Data is rounded to float32, so that an f64 device gets the same numbers.
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { adapterCases } from '../contract/adapter.cases.ts';
import { attentionCases, laterAttentionCases } from '../contract/attention.cases.ts';
import { decodingCases } from '../contract/decoding.cases.ts';
import { deltaCases, laterDeltaCases } from '../contract/delta.cases.ts';
import { headCases } from '../contract/head.cases.ts';
import { integersCases } from '../contract/integers.cases.ts';
import { laterLinearCases, linearCases } from '../contract/linear.cases.ts';
import { laterNormCases, normCases } from '../contract/norm.cases.ts';
import { rowsCases } from '../contract/rows.cases.ts';
import { svdCases } from '../contract/svd.cases.ts';
import { KERNELS } from '../contract.ts';
import { type Device, type DeviceBuffer, type FloatArray, put } from '../device.ts';
import type { KernelCase } from './case.ts';
import { laterPackedCases, packedCases } from './packed-cases.ts';

export { BATCHES, packedBatch } from '../contract/attention.cases.ts';

const rng = () => CounterRng.of(11, STREAMS.test, 77);

/** Every kernel appears at least once. */
export function kernelCases(): KernelCase[] {
  const r = rng();
  return [
    linearCases,
    rowsCases,
    normCases,
    attentionCases,
    headCases,
    adapterCases,
    svdCases,
    packedCases,
    laterNormCases,
    deltaCases,
    laterDeltaCases,
    laterLinearCases,
    laterPackedCases,
    decodingCases,
    laterAttentionCases,
    integersCases,
  ].flatMap((family) => family(r));
}

/** Runs a case on a device and returns the contents of the written buffers, by name. */
export async function runCase(device: Device, { kernel, buffers, params }: KernelCase) {
  const specs = KERNELS[kernel].buffers;
  const handles: DeviceBuffer[] = buffers.map((data, i) => put(device, data, specs[i].name));
  device.run(kernel, handles, params);
  const written = new Map<string, FloatArray | Uint32Array>();
  for (const [i, { name, access }] of specs.entries())
    if (access !== 'r') written.set(name, await device.read(handles[i]));
  for (const handle of handles) handle.free();
  return written;
}

/** A readable name, such as "matmul m 4 n 8 …". */
export function caseName({ kernel, params }: KernelCase): string {
  return [kernel, ...Object.entries(params).map(([name, value]) => `${name} ${value}`)].join(' ');
}

/** Largest |a − b| relative to the largest |b| in the buffer (at least 1e-30). */
export function relativeError(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let scale = 1e-30;
  let worst = 0;
  for (let i = 0; i < b.length; i++) {
    scale = Math.max(scale, Math.abs(b[i]));
    worst = Math.max(worst, Math.abs(a[i] - b[i])); // a NaN stays
  }
  return worst / scale;
}
