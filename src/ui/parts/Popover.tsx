// A button and what it opens: the browser's own popover (light dismiss, Escape, focus back to the button), placed under the
// button and inside the window.
import { type ReactNode, type ToggleEvent, useId, useRef, useState } from 'react';

interface PopoverProps {
  /** Accessible name of the button and of what it opens. */
  label: string;
  /** What the button shows. */
  trigger: ReactNode;
  className: string;
  /** Made only while it is open. */
  children: (close: () => void) => ReactNode;
}

const GAP = 6;
const EDGE = 12;

export function Popover({ label, trigger, className, children }: PopoverProps) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);

  function place(event: ToggleEvent<HTMLDivElement>): void {
    if (event.newState !== 'open' || !button.current || !panel.current) return;
    const at = button.current.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = panel.current;
    const { clientWidth, clientHeight } = document.documentElement;
    const left = Math.max(EDGE, Math.min(at.left, clientWidth - width - EDGE));
    const below = at.bottom + GAP;
    const above = at.top - GAP - height;
    const fits = (top: number) => top >= EDGE && top + height <= clientHeight - EDGE;
    // Where it fits neither below nor above its button, it covers it.
    const top = [below, above].find(fits) ?? Math.max(EDGE, clientHeight - height - EDGE);
    // In the page's own coordinates, so that it scrolls with its button.
    panel.current.style.left = `${left + window.scrollX}px`;
    panel.current.style.top = `${top + window.scrollY}px`;
  }

  return (
    <>
      <button ref={button} type="button" className={className} aria-label={label} popoverTarget={id}>
        {trigger}
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        className="popover"
        onBeforeToggle={(event) => setOpen(event.newState === 'open')}
        onToggle={place}
      >
        {open ? children(() => panel.current?.hidePopover()) : null}
      </div>
    </>
  );
}
