// Checks a kernel call against the contract before it is dispatched (in ops.ts and in the devices): number of buffers, dtypes,
// lengths and parameters.
import { ShapeError } from '@projected-grpo-lab/base/errors.ts';
import type { BufferSpec, KernelSpec, ParamType } from './contract/kernel.ts';
import { KERNEL_NAMES, type KernelName, type KernelParams, specOf } from './contract.ts';
import type { DeviceBuffer } from './device.ts';

/** A kernel's checks, prepared once because they run before every call. */
interface Plan {
  readonly spec: KernelSpec;
  readonly buffers: readonly BufferSpec[];
  readonly integers: readonly string[];
  readonly floats: readonly string[];
  readonly flags: readonly string[];
}

function planOf(kernel: KernelName): Plan {
  const spec = specOf(kernel);
  const names = Object.keys(spec.params);
  const of = (...types: ParamType[]) => names.filter((name) => types.includes(spec.params[name]));
  return { spec, buffers: spec.buffers, integers: of('u32', 'offset', 'flag'), floats: of('f32'), flags: of('flag') };
}

const PLANS = new Map(KERNEL_NAMES.map((kernel) => [kernel, planOf(kernel)]));

/** Throws ShapeError, with numbers, unless the call fits the contract. */
export function checkCall<K extends KernelName>(
  kernel: K,
  buffers: readonly DeviceBuffer[],
  params: KernelParams<K>,
): void {
  const plan = PLANS.get(kernel)!;
  if (buffers.length !== plan.buffers.length)
    throw new ShapeError(
      `${kernel} takes ${plan.buffers.length} buffers, got ${buffers.length}.`,
      'See src/kernels/contract/ for the binding order.',
    );
  checkParams(kernel, plan, params);
  const needed: readonly number[] = plan.spec.extents(params);
  for (let i = 0; i < buffers.length; i++) {
    const buffer = buffers[i];
    const { name, dtype, access } = plan.buffers[i];
    if (buffer.dtype !== dtype)
      throw new ShapeError(
        `${kernel}: ${name} must be ${dtype}, but "${buffer.label}" is ${buffer.dtype}.`,
        'Pass the buffers in the contract’s order.',
      );
    if (buffer.length < needed[i])
      throw new ShapeError(
        `${kernel}: ${name} needs ${needed[i]} elements, but "${buffer.label}" has ${buffer.length} ` +
          `(${Object.entries(params)
            .map(([key, value]) => `${key} ${value}`)
            .join(', ')}).`,
        'Allocate the buffer for the largest shape it will hold.',
      );
    if (access !== 'r')
      for (let j = 0; j < buffers.length; j++)
        if (j !== i && buffers[j] === buffer)
          throw new ShapeError(
            `${kernel}: "${buffer.label}" is written as ${name} and bound again as ${plan.buffers[j].name}.`,
            'WebGPU refuses this aliasing; use a second buffer.',
          );
  }
}

function checkParams(kernel: KernelName, plan: Plan, p: Readonly<Record<string, number>>): void {
  for (const name of plan.integers)
    if (p[name] >>> 0 !== p[name])
      throw new ShapeError(
        `${kernel}: ${name} must be an unsigned 32-bit integer, got ${p[name]}.`,
        'See src/kernels/contract/ for the parameters.',
      );
  for (const name of plan.floats)
    if (typeof p[name] !== 'number' || Number.isNaN(p[name]))
      throw new ShapeError(
        `${kernel}: ${name} must be a number, got ${p[name]}.`,
        'See src/kernels/contract/ for the parameters.',
      );
  for (const name of plan.flags)
    if (p[name] > 1) throw new ShapeError(`${kernel}: ${name} must be 0 or 1, got ${p[name]}.`, 'Pass 0 or 1.');
  const refused = plan.spec.refuse?.(p);
  if (refused) throw new ShapeError(`${kernel}: ${refused}.`, 'Check the model shape that was given to the engine.');
}
