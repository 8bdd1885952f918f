// Allocator of the f32 device: every buffer is inside the WebAssembly module's linear memory, so that its kernels work
// in place. It is a first-fit free list with merging; blocks are aligned to 64 bytes (a cache line). The memory grows and
// never shrinks; growing detaches every typed-array view (unless threads share the memory) and changes `generation`.

const PAGE = 65536;
const ALIGN = 64;
/** 4 GiB, the range of 32-bit addresses. */
const MOST_PAGES = 65536;

interface Span {
  at: number;
  size: number;
}

/** `shared`: shared by threads. A browser may refuse to reserve 4 GiB of addresses (small devices), so smaller maxima are tried. */
export function createMemory(shared = false): { memory: WebAssembly.Memory; limit: number } {
  for (let maximum = MOST_PAGES; ; maximum /= 2) {
    try {
      // The limit is one page less, so that the end of the memory is still a 32-bit address.
      return { memory: new WebAssembly.Memory({ initial: 16, maximum, shared }), limit: (maximum - 1) * PAGE };
    } catch (error) {
      if (maximum <= 1024) throw error;
    }
  }
}

export class WasmHeap {
  readonly memory: WebAssembly.Memory;
  /** Bytes that may be allocated. */
  readonly limit: number;
  /** Changes whenever views must be recreated. */
  generation = 0;
  /** Free spans below `#end`, ascending, never adjacent. */
  readonly #free: Span[] = [];
  readonly #sizes = new Map<number, number>();
  #end: number;
  /** Memory from here on was never handed out, so it is still zero. */
  #touched: number;
  #scratch = { at: 0, size: 0 };

  /** The heap manages memory from `base` to `limit`. */
  constructor(memory: WebAssembly.Memory, base: number, limit: number) {
    this.memory = memory;
    this.limit = limit;
    this.#end = Math.ceil(base / ALIGN) * ALIGN;
    this.#touched = this.#end;
  }

  /** Allocates `bytes` zeroed bytes. Throws RangeError if they do not fit. Fresh memory is not written, since the first write to a page costs
   *  more than the arithmetic on it, and many buffers are not fully used. */
  allocate(bytes: number): number {
    const touched = this.#touched;
    const at = this.#take(bytes);
    if (at < touched) new Uint8Array(this.memory.buffer, at, Math.min(bytes, touched - at)).fill(0);
    return at;
  }

  release(at: number): void {
    const size = this.#sizes.get(at);
    if (size === undefined) throw new RangeError(`release of ${at}, which is not allocated`);
    this.#sizes.delete(at);
    const spans = this.#free;
    let i = spans.length;
    while (i > 0 && spans[i - 1].at > at) i--;
    spans.splice(i, 0, { at, size });
    if (i + 1 < spans.length && at + size === spans[i + 1].at) {
      spans[i].size += spans[i + 1].size;
      spans.splice(i + 1, 1);
    }
    if (i > 0 && spans[i - 1].at + spans[i - 1].size === at) {
      spans[i - 1].size += spans[i].size;
      spans.splice(i, 1);
    }
    const last = spans[spans.length - 1];
    if (last.at + last.size === this.#end) {
      this.#end = last.at;
      spans.pop();
    }
  }

  /** One region that kernels share for temporary data within a call; valid until the next call of `scratch`. */
  scratch(bytes: number): number {
    if (this.#scratch.size < bytes) {
      if (this.#scratch.size > 0) this.release(this.#scratch.at);
      this.#scratch = { at: 0, size: 0 };
      const size = Math.ceil(bytes * 1.25);
      this.#scratch = { at: this.#take(size), size };
    }
    return this.#scratch.at;
  }

  #take(bytes: number): number {
    const size = Math.max(ALIGN, Math.ceil(bytes / ALIGN) * ALIGN);
    const index = this.#free.findIndex((span) => span.size >= size);
    if (index >= 0) {
      const span = this.#free[index];
      const { at } = span;
      if (span.size === size) {
        this.#free.splice(index, 1);
      } else {
        span.at += size;
        span.size -= size;
      }
      this.#sizes.set(at, size);
      return at;
    }
    const at = this.#end;
    this.#reach(at + size);
    this.#end = at + size;
    this.#touched = Math.max(this.#touched, this.#end);
    this.#sizes.set(at, size);
    return at;
  }

  #reach(end: number): void {
    const have = this.memory.buffer.byteLength;
    if (end <= have) return;
    if (end > this.limit) throw new RangeError(`${end} bytes are past the ${this.limit} of this WebAssembly memory`);
    // Grows by at least an eighth, so that small allocations do not each detach all views.
    const wanted = Math.min(this.limit, Math.max(end, have + Math.ceil(have / 8)));
    try {
      this.memory.grow(Math.ceil((wanted - have) / PAGE));
    } catch {
      this.memory.grow(Math.ceil((end - have) / PAGE));
    }
    this.generation++;
  }
}
