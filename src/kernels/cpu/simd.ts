// The WebAssembly SIMD module (generated/simd.ts, sources in wasm/), instantiated for a device: its exports, the memory in which
// every buffer of the device lies, and the threads that share it.
import { DeviceError } from '@projected-grpo-lab/base/errors.ts';
import { type ExportName, SHARED_FLAG_AT, SIMD_WASM } from './generated/simd.ts';
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

/** A module whose memory is shared must say so in its import; nothing else in it differs. */
const compiled = new Map<boolean, Promise<WebAssembly.Module>>();

function compile(isShared: boolean): Promise<WebAssembly.Module> {
  const known = compiled.get(isShared);
  if (known) return known;
  const module = inflated().then((bytes) => {
    // Limits of a memory: 1 has a maximum, 3 has one and is shared.
    if (isShared) bytes[SHARED_FLAG_AT] = 3;
    return WebAssembly.compile(bytes);
  });
  compiled.set(isShared, module);
  return module;
}

/** By hand: a Response would bring Node's whole fetch along, megabytes for every process. */
async function inflated(): Promise<Uint8Array<ArrayBuffer>> {
  const packed = Uint8Array.from(atob(SIMD_WASM), (char) => char.charCodeAt(0));
  const { readable, writable } = new DecompressionStream('deflate-raw');
  const writer = writable.getWriter();
  // What fails here fails in the reader.
  writer
    .write(packed)
    .then(() => writer.close())
    .catch(() => {});
  const reader = readable.getReader();
  const parts: Uint8Array[] = [];
  for (let next = await reader.read(); !next.done; next = await reader.read()) parts.push(next.value);
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Each device has a memory of its own. Throws DeviceError where there is no SIMD. */
export async function instantiateSimd(threads?: ThreadHost): Promise<Simd> {
  try {
    const isShared = threads !== undefined && threads.count > 1;
    const module = await compile(isShared);
    const { memory, limit } = createMemory(isShared);
    const instance = await WebAssembly.instantiate(module, { env: { memory } });
    const wasm = instance.exports as unknown as Simd['wasm'];
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
