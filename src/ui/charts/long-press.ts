// Detects a long press on a chart. It is timed here because not every browser reports it as an event (`contextmenu`).
import { type PointerEvent, useRef } from 'react';

/** Position of a resting finger, in pixels of the window. */
export interface Finger {
  x: number;
  y: number;
}

const REST_MS = 500;
/** Maximum number of pixels by which a resting finger may move. */
const MOST_MOVED = 10;

/** Handlers for the pressed element, and whether its last press was long, in which case the click that ends it must be ignored. */
export function useLongPress(onPress: (finger: Finger) => void) {
  const resting = useRef<(Finger & { timer: ReturnType<typeof setTimeout> }) | null>(null);
  const wasLong = useRef(false);
  const end = () => {
    clearTimeout(resting.current?.timer);
    resting.current = null;
  };
  const handlers = {
    onPointerDown({ pointerType, clientX: x, clientY: y }: PointerEvent): void {
      end();
      wasLong.current = false;
      if (pointerType !== 'touch') return;
      const rest = () => {
        wasLong.current = true;
        onPress({ x, y });
      };
      resting.current = { x, y, timer: setTimeout(rest, REST_MS) };
    },
    onPointerMove({ clientX, clientY }: PointerEvent): void {
      const { x, y } = resting.current ?? { x: clientX, y: clientY };
      if (Math.hypot(clientX - x, clientY - y) > MOST_MOVED) end();
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
  return { handlers, wasLong: () => wasLong.current };
}
