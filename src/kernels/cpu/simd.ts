// Instantiates the WebAssembly SIMD module (generated/simd.ts and simd-fused.ts, sources in wasm/) for a device: its exports, the memory
// that holds every buffer of the device, and the threads that share it. Also tests whether the fused build can run here.
import { DeviceError } from '@projected-grpo-lab/base/errors.ts';
import { kept } from '../../lib/kept.ts';
import { readUpTo } from '../../lib/streams.ts';
import { SIMD_NAMES } from '../device.ts';
import type { ExportName } from './generated/simd.ts';
import { createMemory, WasmHeap } from './heap.ts';
import { Panels } from './panels.ts';
import { BOARD_BYTES } from './threads/helper.ts';
import { gather, type Team, type ThreadHost } from './threads/team.ts';

type Call = (...args: number[]) => number;

export interface Simd {
  wasm: Readonly<Record<ExportName, Call>>;
  heap: WasmHeap;
  panels: Panels;
  /** Null for one thread. */
  team: Team | null;
}

/** The two builds, in base64, loaded on demand. */
const BUILDS = { plain: () => import('./generated/simd.ts'), fused: () => import('./generated/simd-fused.ts') };
type Build = keyof typeof BUILDS;

/** Modules for shared and unshared memory differ only in a flag of their import. */
const compiled = new Map<string, Promise<WebAssembly.Module>>();

function compile(build: Build, isShared: boolean): Promise<WebAssembly.Module> {
  const name = `${build} ${isShared}`;
  return kept(compiled, name, async () => {
    const { SIMD_WASM, SHARED_FLAG_AT } = await BUILDS[build]();
    const bytes = await inflated(SIMD_WASM);
    // Flag of a memory's limits: 1 means with a maximum, 3 also shared.
    if (isShared) bytes[SHARED_FLAG_AT] = 3;
    return WebAssembly.compile(bytes);
  });
}

/** Inflates without a Response, which would load all of Node's fetch, megabytes per process. */
async function inflated(base64: string): Promise<Uint8Array<ArrayBuffer>> {
  const packed = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const { readable, writable } = new DecompressionStream('deflate-raw');
  const writer = writable.getWriter();
  // An error here also surfaces in the reader.
  writer
    .write(packed)
    .then(() => writer.close())
    .catch(() => {});
  return readUpTo(readable);
}

/** (1 + 2⁻¹²)² − (1 + 2⁻¹¹) is 2⁻²⁴ if the product is not rounded before the addition, otherwise 0. */
const FUSES = { a: 1 + 2 ** -12, b: 1 + 2 ** -12, c: -(1 + 2 ** -11), sum: 2 ** -24 };
let fusing: Promise<string | null> | null = null;

/** Why the fused kernels cannot run here, as a clause; null if they can. */
export function fusedProblem(): Promise<string | null> {
  fusing ??= tryFused();
  return fusing;
}

/** A module with the single function (a, b, c) → f32x4.relaxed_madd(a, b, c), so that a page can test for fusing without loading the fused
 *  build's 20 kB. */
export const MULTIPLY_ADD = Uint8Array.of(
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0], // \0asm, version 1
  ...[1, 8, 1, 0x60, 3, 0x7d, 0x7d, 0x7d, 1, 0x7d], // type: three f32 to one
  ...[3, 2, 1, 0], // one function of that type
  ...[7, 15, 1, 11, ...new TextEncoder().encode('multiplyAdd'), 0, 0],
  ...[10, 22, 1, 20, 0, 0x20, 0, 0xfd, 0x13, 0x20, 1, 0xfd, 0x13, 0x20, 2, 0xfd, 0x13], // splat, splat, splat
  ...[0xfd, 0x85, 2, 0xfd, 0x1f, 0, 11], // relaxed_madd, lane 0
);

/** Tests with a value whether this build fuses, since the instruction may exist but round twice. */
const fuses = ({ multiplyAdd }: Pick<Simd['wasm'], 'multiplyAdd'>): boolean =>
  multiplyAdd(FUSES.a, FUSES.b, FUSES.c) === FUSES.sum;
const ROUNDS_TWICE = 'this machine has no multiply-add that rounds once';

async function tryFused(): Promise<string | null> {
  let instance: WebAssembly.Instance;
  try {
    instance = await WebAssembly.instantiate(await WebAssembly.compile(MULTIPLY_ADD), {});
  } catch {
    return 'this engine has no relaxed SIMD in WebAssembly';
  }
  return fuses(exportsOf(instance)) ? null : ROUNDS_TWICE;
}

/** Adds the types of wasm/index.ts, which WebAssembly's own types lack. */
const exportsOf = ({ exports }: WebAssembly.Instance) => exports as unknown as Simd['wasm'];

/** Creates an instance with its own memory. Throws DeviceError without SIMD, and if `isFused` is not supported. */
export async function instantiateSimd(threads?: ThreadHost, isFused = false): Promise<Simd> {
  const problem = isFused ? await fusedProblem() : null;
  if (problem)
    throw new DeviceError(
      `The device ${SIMD_NAMES['cpu-fused']} cannot be had: ${problem}`,
      `Choose the device ${SIMD_NAMES.cpu}, whose last digits are others; for the fused ones use a current Chrome, Edge or Node on a processor with fused multiply-adds.`,
    );
  try {
    const isShared = threads !== undefined && threads.count > 1;
    const module = await compile(isFused ? 'fused' : 'plain', isShared);
    const { memory, limit } = createMemory(isShared);
    const instance = await WebAssembly.instantiate(module, { env: { memory } });
    const wasm = exportsOf(instance);
    if (isFused && !fuses(wasm)) throw new Error(ROUNDS_TWICE);
    const heap = new WasmHeap(memory, wasm.heapBase(), limit);
    const panels = new Panels(wasm, heap);
    if (!isShared) return { wasm, heap, panels, team: null };
    return {
      wasm,
      heap,
      panels,
      team: await gather(threads, { module, memory, at: heap.allocate(BOARD_BYTES), wasm }),
    };
  } catch (cause) {
    throw new DeviceError(
      `The WebAssembly SIMD kernels cannot run here: ${cause instanceof Error ? cause.message : cause}.`,
      'Use a current browser or Node, and allow wasm-unsafe-eval where a Content-Security-Policy is set.',
      { cause },
    );
  }
}
