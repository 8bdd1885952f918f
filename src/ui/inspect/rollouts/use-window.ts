// Windowing of a long list whose items differ in height: only items near the visible part of the box are drawn, and spacers replace the
// others. Heights are estimated until an item has been drawn once. The browser's scroll anchoring keeps the view steady when an estimate
// was wrong (it needs spacers and items in ordinary flow).
import {
  type RefCallback,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from 'react';

/** Pixels drawn beyond the visible part, above and below. */
const OVERSCAN = 500;

interface WindowOptions {
  /** One key per item, in order; an item that keeps its key keeps its measured height. */
  keys: readonly string[];
  /** Height in pixels of item i before it has been drawn, gap included. */
  guess: (i: number) => number;
}

export interface ListWindow {
  box: RefObject<HTMLDivElement | null>;
  first: number;
  /** One past the last drawn item. */
  end: number;
  before: number;
  after: number;
  /** Ref of a drawn item: measures it, now and whenever its height changes. */
  measure: (key: string) => RefCallback<HTMLElement>;
  /** Brings the start of an item to the top of the box. */
  scrollTo: (i: number) => void;
}

export function useWindow({ keys, guess }: WindowOptions): ListWindow {
  const box = useRef<HTMLDivElement>(null);
  const heights = useRef(new Map<string, number>());
  const [measured, redraw] = useReducer((n: number) => n + 1, 0);
  const [seen, setSeen] = useState({ top: 0, height: 800 });

  // biome-ignore lint/correctness/useExhaustiveDependencies: `measured` says that the ref's heights have changed
  const offsets = useMemo(() => {
    const sums = new Float64Array(keys.length + 1);
    for (let i = 0; i < keys.length; i++) sums[i + 1] = sums[i] + (heights.current.get(keys[i]) ?? guess(i));
    return sums;
  }, [keys, guess, measured]);

  const observer = useMemo(
    () =>
      new ResizeObserver((entries) => {
        let changed = false;
        for (const { target } of entries) {
          const { key } = (target as HTMLElement).dataset;
          const height = (target as HTMLElement).offsetHeight;
          if (!key || height === 0 || heights.current.get(key) === height) continue;
          heights.current.set(key, height);
          changed = true;
        }
        if (changed) redraw();
      }),
    [],
  );
  useEffect(() => () => observer.disconnect(), [observer]);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    let frame = 0;
    // The width is not read here, since that would force a layout: an observer reports every element once at first.
    let width: number | null = null;
    const look = () => {
      frame = 0;
      setSeen((old) =>
        old.top === element.scrollTop && old.height === element.clientHeight
          ? old
          : { top: element.scrollTop, height: element.clientHeight },
      );
    };
    const soon = () => {
      frame ||= requestAnimationFrame(look);
    };
    // At another width lines break differently, so measured heights of items that are not drawn are no longer valid.
    const resized = new ResizeObserver(() => {
      const { clientWidth } = element;
      if (width !== null && clientWidth !== width) heights.current.clear();
      width = clientWidth;
      soon();
    });
    resized.observe(element);
    element.addEventListener('scroll', soon, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      resized.disconnect();
      element.removeEventListener('scroll', soon);
    };
  }, []);

  const first = Math.max(0, upTo(offsets, seen.top - OVERSCAN));
  const end = Math.min(keys.length, upTo(offsets, seen.top + seen.height + OVERSCAN) + 1);
  const measure = useCallback(
    (key: string): RefCallback<HTMLElement> =>
      (element) => {
        if (!element) return;
        element.dataset.key = key;
        observer.observe(element);
        return () => observer.unobserve(element);
      },
    [observer],
  );
  const scrollTo = useCallback(
    (i: number) => {
      if (box.current) box.current.scrollTop = offsets[i];
    },
    [offsets],
  );
  const total = offsets[keys.length];
  return { box, first, end, before: offsets[first], after: total - offsets[Math.max(first, end)], measure, scrollTo };
}

/** Index of the item at `y` pixels. */
function upTo(offsets: Float64Array, y: number): number {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (offsets[middle] <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}
