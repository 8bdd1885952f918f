// Matrices that products of few rows read again and again (decoding: a folded weight, for every token of a rollout), as the panels
// that such a product would pack of them anew each time. Made when a matrix is read for the second time as it is, and of no use once
// it is written to; their room stays. What is summed, and in which order, is the same.
import type { WasmHeap } from './heap.ts';

/** Rows up to which packing weighs: with 128 it takes a hundredth of a product. */
export const FEW_ROWS = 96;
/** Bytes of panels on a device: all Linears of a small model; of a large one, those that are read first. */
export const PANEL_BYTES = 2 ** 23;

interface Panel {
  n: number;
  k: number;
  /** Reads since the matrix was last written to. */
  reads: number;
  /** Address of the panels; 0 if there are none yet, or no room. */
  at: number;
}

/** Bytes of the panels of a matrix [n, k]. */
export const panelBytes = (n: number, k: number): number => Math.ceil(n / 8) * 8 * k * 4;

export class Panels {
  /** Whether matrices are being read again and again. */
  isOn = false;
  /** Bytes held now. */
  bytes = 0;
  readonly #pack: (b: number, to: number, n: number, k: number) => void;
  readonly #heap: WasmHeap;
  /** Panels by their matrix's address. */
  readonly #panels = new Map<number, Panel>();

  constructor(wasm: { packPanels(...args: number[]): number }, heap: WasmHeap) {
    this.#pack = (b, to, n, k) => void wasm.packPanels(b, to, n, k, 1);
    this.#heap = heap;
  }

  /** Address of the panels of the matrix [n, k] at `b`, or 0 where it is to be packed with the product. May detach views. */
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

  /** The matrix at `b` is written to. */
  changed(b: number): void {
    const panel = this.#panels.get(b);
    if (panel) panel.reads = 0;
  }

  /** Drops the panel of a matrix at `b` that is no more. */
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
      // A full memory has none to spare.
      if (error instanceof RangeError) return 0;
      throw error;
    }
  }
}
