// Tests whether threads can share memory here. `crossOriginIsolated` is not sufficient: WebKit may isolate a page and still have no
// SharedArrayBuffer. So a memory like that of the CPU device's threads is created as a test.

/** The parts of a page's or worker's scope that are examined. */
export interface MemoryScope {
  crossOriginIsolated?: boolean;
  SharedArrayBuffer?: unknown;
  WebAssembly: { Memory: new (of: WebAssembly.MemoryDescriptor) => { buffer: unknown } };
}

/** Whether a shared WebAssembly memory can be created and sent to a worker. */
export function sharesMemory(scope: MemoryScope = globalThis): boolean {
  const { crossOriginIsolated, SharedArrayBuffer: Shared, WebAssembly: wasm } = scope;
  // Some browsers create such a memory in a page that is not isolated, but refuse to send it.
  if (!crossOriginIsolated || typeof Shared !== 'function') return false;
  try {
    return new wasm.Memory({ initial: 0, maximum: 1, shared: true }).buffer instanceof Shared;
  } catch {
    return false;
  }
}
