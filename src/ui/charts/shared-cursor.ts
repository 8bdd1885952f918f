// The cursor that the charts of a grid and the picture of a step share: one place on the axis, and whose it is. It does not import the
// charts' library, so that what stands beside the charts can follow it without them.
import { useSyncExternalStore } from 'react';

/** Cursor of one chart: its place on the axis, and how values become pixels there. */
export interface Cursor {
  x: number | null;
  /** Pixels from the chart's top. */
  pixel(y: number): number | null;
  /** Pixels from the chart's left. */
  place(x: number): number | null;
}

export const newCursor = (): Cursor => ({ x: null, pixel: () => null, place: () => null });

/** Cursor shared by all charts in a grid. */
export class SharedCursor {
  x: number | null = null;
  /** Cursor of the chart under the pointer or with the focus. */
  by: Cursor | null = null;
  #listeners = new Set<() => void>();

  /** A chart that loses its cursor clears only its own place, because the pointer may be in another chart by now. */
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

/** Place of the shared cursor; null if there is none or the chart does not follow it. */
export function useSharedPlace(shared: SharedCursor, follows: (by: Cursor) => boolean): number | null {
  return useSyncExternalStore(shared.subscribe, () => (shared.by && follows(shared.by) ? shared.x : null));
}
