// The cursor that the charts of a grid and the diagram of a step share: a position on the axis, and the chart that owns it. This file does
// not import the chart library, so that elements beside the charts can follow the cursor without loading it.
import { useSyncExternalStore } from 'react';

/** Cursor of one chart: its position on the axis, and the conversion of values to pixels in that chart. */
export interface Cursor {
  x: number | null;
  /** In pixels from the chart's top. */
  pixel(y: number): number | null;
  /** In pixels from the chart's left. */
  place(x: number): number | null;
}

export const newCursor = (): Cursor => ({ x: null, pixel: () => null, place: () => null });

/** Cursor shared by all charts in a grid. */
export class SharedCursor {
  x: number | null = null;
  /** Cursor of the chart at the pointer or with the focus. */
  by: Cursor | null = null;
  #listeners = new Set<() => void>();

  /** A chart that loses its cursor clears only its own position, because the pointer may already be in another chart. */
  move(x: number | null, by: Cursor): void {
    if (x === null && this.by !== by) return;
    this.x = x;
    this.by = x === null ? null : by;
    for (const listener of this.#listeners) listener();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

/** Position of the shared cursor; null if there is none or the chart does not follow it. */
export function useSharedPlace(shared: SharedCursor, follows: (by: Cursor) => boolean): number | null {
  return useSyncExternalStore(shared.subscribe, () => (shared.by && follows(shared.by) ? shared.x : null));
}
