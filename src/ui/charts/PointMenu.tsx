// The menu of one step of one run, at the pointer or the cursor. It opens after a right click, a long press or the menu key.
import { useEffect, useRef } from 'react';
import { Button } from '../parts/Button.tsx';

/** A step of a run, and the position of its menu, in pixels of the window. */
export interface PointOfRun {
  runId: string;
  step: number;
  label: string;
  x: number;
  y: number;
}

interface PointMenuProps {
  point: PointOfRun;
  /** Actions at this point. */
  actions: readonly { label: string; run(point: PointOfRun): void }[];
  onClose(): void;
}

const EDGE = 12;

export default function PointMenu({ point, actions, onClose }: PointMenuProps) {
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const menu = panel.current;
    if (!menu) return;
    const before = document.activeElement as HTMLElement | null;
    menu.showPopover();
    const { clientWidth, clientHeight } = document.documentElement;
    const left = Math.max(EDGE, Math.min(point.x, clientWidth - menu.offsetWidth - EDGE));
    const top = Math.max(EDGE, Math.min(point.y, clientHeight - menu.offsetHeight - EDGE));
    menu.style.left = `${left + window.scrollX}px`;
    menu.style.top = `${top + window.scrollY}px`;
    menu.querySelector('button')?.focus();
    const leave = (event: Event) => {
      const isKey = event instanceof KeyboardEvent;
      if (isKey ? event.key !== 'Escape' : menu.contains(event.target as Node)) return;
      if (isKey) before?.focus();
      onClose();
    };
    // The browser's own light dismiss is not used, since it mistakes the release of the button that opened the menu for a click outside.
    const events = ['pointerdown', 'keydown'] as const;
    for (const name of events) document.addEventListener(name, leave);
    return () => {
      for (const name of events) document.removeEventListener(name, leave);
    };
  }, [point, onClose]);
  return (
    <div
      ref={panel}
      popover="manual"
      role="dialog"
      aria-label={`${point.label}, step ${point.step}`}
      className="popover"
    >
      <div className="chart-menu point-menu">
        <p>
          {point.label}, step {point.step}
        </p>
        {actions.map(({ label, run }) => (
          <Button
            key={label}
            label={label}
            tone="quiet"
            onClick={() => {
              onClose();
              run(point);
            }}
          />
        ))}
      </div>
    </div>
  );
}
