// Measures whether tree sums (tree.ts) are faster through subgroups, and of which size, or through barriers, by timing the norm that decoding calls
// most. A size that does not compile, or gives other bits than barriers, is not used, whatever its speed.
import type { KernelName, KernelParams } from '../contract.ts';
import { type DeviceBuffer, put } from '../device.ts';
import { fastest, probeValues, type Tunable } from './probe.ts';

/** Shape of a norm in a decoding step. */
const PROBE = { rows: 16, dim: 1024, calls: 100 };
const ROUNDS = 5;

/** Returns the fastest size, or 0 for barriers; leaves device.subgroup at the last size tried. */
export async function measureSubgroups(device: Tunable, { rows, dim, calls } = PROBE): Promise<number> {
  const x = put(device, probeValues(rows * dim, 1), 'tune x');
  const w = put(device, probeValues(dim, 2), 'tune w');
  const [y, rstd] = [device.alloc(rows * dim, 'f32', 'tune y'), device.alloc(rows, 'f32', 'tune rstd')];
  const targets = put(device, new Uint32Array(rows), 'tune targets');
  const stats = device.alloc(rows * 3, 'f32', 'tune stats');
  /** Reads the bits of a narrow and of a wide tree. */
  const bits = async () => [
    ...(await outcome(device, 'rmsnorm', [x, w, y, rstd], { rows, dim, eps: 1e-6 }, y)),
    ...(await outcome(device, 'logprob', [x, targets, stats], { rows, vocab: dim, rowOff: 0 }, stats)),
  ];
  device.subgroup = 0;
  const expected = await bits();
  const sizes = [0];
  for (const size of device.subgroupSizes) {
    device.subgroup = size;
    if (!(await device.compiles(['rmsnorm', 'logprob']))) continue;
    if ((await bits()).every((value, i) => value === expected[i])) sizes.push(size);
  }
  const norm = (size: number) => {
    device.subgroup = size;
    device.run('rmsnorm', [x, w, y, rstd], { rows, dim, eps: 1e-6 });
  };
  const { way } = await fastest(device, sizes, norm, { calls, rounds: ROUNDS, warm: 1 });
  for (const buffer of [x, w, y, rstd, targets, stats]) buffer.free();
  return way;
}

async function outcome<K extends KernelName>(
  device: Tunable,
  kernel: K,
  buffers: readonly DeviceBuffer[],
  params: KernelParams<K>,
  written: DeviceBuffer,
): Promise<Uint32Array> {
  device.run(kernel, buffers, params);
  return new Uint32Array((await device.read(written)).buffer);
}
