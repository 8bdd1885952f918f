// Whether threads can share memory here. `crossOriginIsolated` alone does not say so: WebKit isolates a page and may still have no
// SharedArrayBuffer. So a memory like that of the CPU device's threads is made once as a test.

/** Parts of a page's or a worker's scope that are examined. */
export interface MemoryScope {
  crossOriginIsolated?: boolean;
  SharedArrayBuffer?: unknown;
  WebAssembly: { Memory: new (of: WebAssembly.MemoryDescriptor) => { buffer: unknown } };
}

/** Whether a shared WebAssembly memory can be made, and sent to a worker. */
export function sharesMemory(scope: MemoryScope = globalThis): boolean {
  const { crossOriginIsolated, SharedArrayBuffer: Shared, WebAssembly: wasm } = scope;
  // Some browsers make such a memory in a page that is not isolated, and refuse to send it.
  if (!crossOriginIsolated || typeof Shared !== 'function') return false;
  try {
    return new wasm.Memory({ initial: 0, maximum: 1, shared: true }).buffer instanceof Shared;
  } catch {
    return false;
  }
}
