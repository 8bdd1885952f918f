// Caches the packed form (panels) of matrices that products of few rows read repeatedly, such as a weight for every token of a
// rollout, which would otherwise be packed for every product. A matrix is packed when it is read for the second time unchanged, and
// again after it was written to. The sums and their order are the same.
import type { WasmHeap } from './heap.ts';

/** Most rows for which the cost of packing matters: with 128 it is a hundredth of a product. */
export const FEW_ROWS = 96;
/** Most bytes of panels on a device: enough for all Linears of a small model; of a large one, the first to be read. */
export const PANEL_BYTES = 2 ** 23;

interface Panel {
  n: number;
  k: number;
  /** Reads since the matrix was last written to. */
  reads: number;
  /** Address of the panels; 0 if there are none yet, or no room. */
  at: number;
}

/** Bytes of the panels of a matrix [n, k] in f32. */
export const panelBytes = (n: number, k: number): number => Math.ceil(n / 8) * 8 * k * 4;

export class Panels {
  /** Whether products are about to read the same matrices repeatedly (decoding). */
  isOn = false;
  /** Bytes currently held. */
  bytes = 0;
  readonly #pack: (b: number, to: number, n: number, k: number) => void;
  readonly #heap: WasmHeap;
  /** Panels by the address of their matrix. */
  readonly #panels = new Map<number, Panel>();

  constructor(wasm: { packPanels(...args: number[]): number }, heap: WasmHeap) {
    this.#pack = (b, to, n, k) => void wasm.packPanels(b, to, n, k, 1);
    this.#heap = heap;
  }

  /** Address of the panels of the matrix [n, k] at `b`, or 0 if the product must pack it. May detach views. */
  of(b: number, n: number, k: number): number {
    if (!this.isOn) return 0;
    let panel = this.#panels.get(b);
    if (panel?.n !== n || panel.k !== k) {
      this.forget(b);
      panel = { n, k, reads: 0, at: 0 };
      this.#panels.set(b, panel);
    }
    panel.reads++;
    if (panel.reads === 2) {
      if (panel.at === 0) panel.at = this.#room(panelBytes(n, k));
      if (panel.at !== 0) this.#pack(b, panel.at, n, k);
    }
    return panel.reads < 2 ? 0 : panel.at;
  }

  /** Must be called when the matrix at `b` is written to. */
  changed(b: number): void {
    const panel = this.#panels.get(b);
    if (panel) panel.reads = 0;
  }

  /** Releases the panels of the matrix at `b`. */
  forget(b: number): void {
    const panel = this.#panels.get(b);
    if (!panel) return;
    this.#panels.delete(b);
    if (panel.at === 0) return;
    this.#heap.release(panel.at);
    this.bytes -= panelBytes(panel.n, panel.k);
  }

  #room(bytes: number): number {
    if (this.bytes + bytes > PANEL_BYTES) return 0;
    try {
      const at = this.#heap.allocate(bytes);
      this.bytes += bytes;
      return at;
    } catch (error) {
      // If memory is full, the matrix is not cached.
      if (error instanceof RangeError) return 0;
      throw error;
    }
  }
}
