// Products with several matrices in one kernel call that reads them as stored (kernels/contract/decoding.ts). A storage that is not in
// these tables has its products computed one by one.

import { INTEGER_BLOCK, quantizedWords } from '../../kernels/contract/integers.ts';
import type { Device, DeviceBuffer, FusedKernel } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import type { Arena } from '../arena.ts';
import { LAYOUTS, type MatrixLayout } from '../storage-layouts.ts';
import type { StoredMatrix } from './packed.ts';

const PRODUCTS: Partial<Record<MatrixLayout, FusedKernel>> = {
  f32: 'products',
  f16: 'products_f16',
  q8g32: 'products_q8h',
  q4g32: 'products_q4h',
};
const GATED: Partial<Record<MatrixLayout, FusedKernel>> = {
  f32: 'gated',
  f16: 'gated_f16',
  q8g32: 'gated_q8h',
  q4g32: 'gated_q4h',
};

/** Arguments of a product with one, two or three matrices [n_i, k]. */
export interface TogetherArgs {
  /** [m, k]; with `apart`, one such matrix per product, end to end. */
  a: DeviceBuffer;
  /** [m, n_i] of each product, end to end. */
  c: DeviceBuffer;
  m: number;
  k: number;
  n: readonly number[];
  apart?: 0 | 1;
  beta?: 0 | 1;
}

function isFused(
  device: Device,
  matrices: readonly StoredMatrix[],
  of: typeof PRODUCTS,
  { m, k }: { m: number; k: number },
): boolean {
  const [{ storage }] = matrices;
  const kernel = of[storage];
  const isOneCall = kernel !== undefined && k % 4 === 0 && matrices.every((matrix) => matrix.storage === storage);
  return isOneCall && device.fuses?.(kernel, m) === true;
}

/** C_i (+)= A W_iᵀ in one call. Returns false, without computing anything, if the device has no such kernel or would be slower. */
export function productsTogether(device: Device, matrices: readonly StoredMatrix[], args: TogetherArgs): boolean {
  if (!isFused(device, matrices, PRODUCTS, args)) return false;
  const { a, c, m, k, n, apart = 0, beta = 0 } = args;
  // A missing matrix has no rows (n = 0) and is never read.
  const [first, second = first, third = first] = matrices;
  const [n0, n1 = 0, n2 = 0] = n;
  const shape = { a, b0: first.data, b1: second.data, b2: third.data, c, m, k, n0, n1, n2, apart, beta };
  if (first.storage === 'f32') ops.products(device, shape);
  else if (first.storage === 'f16') ops.productsF16(device, shape);
  else {
    const scales = { scale0: first.scale!, scale1: second.scale!, scale2: third.scale! };
    const run = first.storage === 'q4g32' ? ops.productsQ4h : ops.productsQ8h;
    run(device, { ...shape, ...scales, block: LAYOUTS[first.storage].block });
  }
  return true;
}

/** productsTogether for a decoding step, in which a device may multiply integers. The rounded rows are allocated in `arena`. */
export function productsOfStep(
  device: Device,
  matrices: readonly StoredMatrix[],
  args: TogetherArgs,
  arena: Arena,
): boolean {
  if (!multipliesIntegers(device, matrices, args.k)) return productsTogether(device, matrices, args);
  const { a: x, c, m, k, n, beta = 0 } = args;
  const a = arena.take('roll.integers', quantizedWords(m * k), 'u32');
  ops.quantizeRows(device, { x, dst: a, rows: m, dim: k });
  const [first, second = first, third = first] = matrices;
  const [n0, n1 = 0, n2 = 0] = n;
  const stored = { b0: first.data, b1: second.data, b2: third.data };
  const scales = { scale0: first.scale!, scale1: second.scale!, scale2: third.scale! };
  ops.productsQ8i(device, { a, ...stored, ...scales, c, m, k, n0, n1, n2, beta });
  return true;
}

const multipliesIntegers = (device: Device, matrices: readonly StoredMatrix[], k: number): boolean =>
  device.multipliesIntegers === true && k % INTEGER_BLOCK === 0 && matrices.every(({ storage }) => storage === 'q8g32');

export interface GatedArgs {
  /** [m, k], and the weights [k] of its RMSNorm. */
  x: DeviceBuffer;
  w: DeviceBuffer;
  /** [m, n] */
  out: DeviceBuffer;
  m: number;
  n: number;
  k: number;
  eps: number;
}

/** out = silu(h Wᵀ) · (h Uᵀ) with h = RMSNorm(x), W and U [n, k]. Returns false as productsTogether does, and where a decoding step multiplies
 *  integers. */
export function gatedTogether(device: Device, gate: StoredMatrix, up: StoredMatrix, args: GatedArgs): boolean {
  if (multipliesIntegers(device, [gate, up], args.k)) return false;
  if (!isFused(device, [gate, up], GATED, args)) return false;
  const shape = { ...args, b0: gate.data, b1: up.data };
  if (gate.storage === 'f32') ops.gated(device, shape);
  else if (gate.storage === 'f16') ops.gatedF16(device, shape);
  else {
    const run = gate.storage === 'q4g32' ? ops.gatedQ4h : ops.gatedQ8h;
    const { block } = LAYOUTS[gate.storage];
    run(device, { ...shape, scale0: gate.scale!, scale1: up.scale!, block });
  }
  return true;
}
