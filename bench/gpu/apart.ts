// Splits work on a device into its calls and times each kind alone. Calls are recorded while the work is done; then each kind is repeated on the
// same buffers, so that launches, waits and slow kernels can be told apart.
import type { KernelName, KernelParams } from '../../src/kernels/contract.ts';
import type { DeviceBuffer } from '../../src/kernels/device.ts';
import type { WebGpuBuffer } from '../../src/kernels/webgpu/buffer.ts';
import type { WebGpuDevice } from '../../src/kernels/webgpu/device.ts';
import { type BenchTable, figure, median } from '../table.ts';

interface Call {
  readonly kernel: KernelName;
  readonly buffers: readonly DeviceBuffer[];
  readonly params: KernelParams<KernelName>;
  count: number;
}

/** Maximum rows of a table; further calls are summed in one row. */
const ROWS = 14;
const ROUNDS = 5;
/** Minimum milliseconds for which a kind of call is repeated. */
const LEAST_MS = 8;
/** Warm-up in milliseconds if the host was busy meanwhile: an adapter that was idle is slow at first. */
const WARM_MS = 300;

/** Returns the calls that `work` makes, grouped by kernel and sizes, whatever buffers they use; their buffers live until `free`. */
export async function callsOf(
  device: WebGpuDevice,
  work: () => Promise<unknown>,
): Promise<{ calls: Map<string, Call>; free: () => void }> {
  const calls = new Map<string, Call>();
  const held: WebGpuBuffer[] = [];
  const { run: plain, release } = device;
  device.release = (buffer) => held.push(buffer);
  device.run = function run<K extends KernelName>(
    this: WebGpuDevice,
    kernel: K,
    buffers: readonly DeviceBuffer[],
    params: KernelParams<K>,
  ) {
    const { ...sizes }: Record<string, number> = { ...params };
    for (const name of Object.keys(sizes)) if (/off$|^t$|^maxNew$/i.test(name)) delete sizes[name];
    const key = `${kernel} ${JSON.stringify(sizes)}`;
    const call = calls.get(key);
    if (call) call.count++;
    else calls.set(key, { kernel, buffers, params, count: 1 });
    plain.call(this, kernel, buffers, params);
  };
  try {
    await work();
  } finally {
    device.run = plain;
    device.release = release;
  }
  const free = () => {
    for (const buffer of held) device.release(buffer);
  };
  return { calls, free };
}

/** Returns the calls of `more` that `less` lacks: those of one token, for two rollouts that differ by one token. */
export function without(more: ReadonlyMap<string, Call>, less: ReadonlyMap<string, Call>): Call[] {
  const left: Call[] = [];
  for (const [key, call] of more) {
    const count = call.count - (less.get(key)?.count ?? 0);
    if (count > 0) left.push({ ...call, count });
  }
  return left;
}

/** Returns the milliseconds of a call within many, and the host's share of it. `isCold`: the host was busy meanwhile. */
export async function timeOf(
  device: WebGpuDevice,
  call: () => void,
  isCold = true,
): Promise<{ whole: number; host: number }> {
  const warm = performance.now() + (isCold && !device.isSoftware ? WARM_MS : 0);
  do {
    for (let i = 0; i < 4; i++) call();
    await device.sync();
  } while (performance.now() < warm);
  const lap = async (calls: number) => {
    const begun = performance.now();
    for (let i = 0; i < calls; i++) call();
    const host = performance.now() - begun;
    await device.sync();
    return { whole: (performance.now() - begun) / calls, host: host / calls };
  };
  let calls = 4;
  for (let took = await lap(calls); took.whole * calls < LEAST_MS && calls < 4096; took = await lap(calls)) calls *= 2;
  const laps: { whole: number; host: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) laps.push(await lap(calls));
  return { whole: median(laps.map(({ whole }) => whole)), host: median(laps.map(({ host }) => host)) };
}

const shapeOf = (params: KernelParams<KernelName>) =>
  Object.entries(params as Readonly<Record<string, number>>)
    .filter(([name, value]) => value !== 0 && !/off|eps|temperature|beta|theta|^end[AB]$|^maxNew$/i.test(name))
    .map(([name, value]) => `${name} ${Number.isInteger(value) ? value : figure(value)}`)
    .join(', ');

/** Table of `calls`, sorted by total time; `ms`: the time of the whole work. */
export async function apartTable(
  device: WebGpuDevice,
  title: string,
  { calls, ms }: { calls: readonly Call[]; ms: number },
): Promise<BenchTable> {
  const rows: { cells: string[]; all: number; host: number }[] = [];
  for (const [i, { kernel, buffers, params, count }] of calls.entries()) {
    const took = await timeOf(device, () => device.run(kernel, buffers, params), i === 0);
    const [all, host] = [count * took.whole, count * took.host];
    rows.push({ cells: [kernel, shapeOf(params), String(count), figure(1000 * took.whole)], all, host });
  }
  rows.sort((a, b) => b.all - a.all);
  const sum = (of: typeof rows, value: 'all' | 'host') => of.reduce((total, row) => total + row[value], 0);
  const rest = rows.slice(ROWS);
  const count = calls.reduce((total, call) => total + call.count, 0);
  return {
    title,
    note: `${figure(ms)} ms in all, in ${count} calls; called alone they take ${figure(sum(rows, 'all'))} ms together, of which the host gives commands for ${figure(sum(rows, 'host'))} ms.`,
    columns: ['kernel', 'sizes', 'calls', 'µs a call', 'ms of all'],
    rows: [
      ...rows.slice(0, ROWS).map(({ cells, all }) => [...cells, figure(all)]),
      ...(rest.length > 0 ? [[`${rest.length} others`, '', '', '', figure(sum(rest, 'all'))]] : []),
    ],
  };
}
