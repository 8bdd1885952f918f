// A button and its panel. It uses the browser's own popover (light dismiss, Escape, focus back to the button), positioned below the button
// and inside the window.
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';

interface PopoverProps {
  /** Accessible name of the button and of its panel. */
  label: string;
  /** Content of the button. A text is also its name; an icon is named by the label. */
  trigger: ReactNode;
  className: string;
  /** Rendered only while the panel is open. */
  children: (close: () => void) => ReactNode;
}

const GAP = 6;
const EDGE = 12;

export function Popover({ label, trigger, className, children }: PopoverProps) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);

  // Positioned when it opens, and again when its content arrives and changes its size.
  useEffect(() => {
    if (!open || !panel.current) return;
    const observer = new ResizeObserver(() => place(button.current, panel.current));
    observer.observe(panel.current);
    return () => observer.disconnect();
  }, [open]);

  return (
    <>
      <button ref={button} type="button" className={className} popoverTarget={id}>
        {trigger}
        {typeof trigger === 'string' ? null : <span className="unseen">{label}</span>}
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={open ? label : undefined}
        className="popover"
        onBeforeToggle={(event) => setOpen(event.newState === 'open')}
        onToggle={(event) => event.newState === 'open' && place(button.current, panel.current)}
      >
        {open ? children(() => panel.current?.hidePopover()) : null}
      </div>
    </>
  );
}

function place(button: HTMLElement | null, panel: HTMLElement | null): void {
  if (!button || !panel?.matches(':popover-open')) return;
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = panel;
  const { clientWidth, clientHeight } = document.documentElement;
  const left = Math.max(EDGE, Math.min(at.left, clientWidth - width - EDGE));
  const below = at.bottom + GAP;
  const above = at.top - GAP - height;
  const fits = (top: number) => top >= EDGE && top + height <= clientHeight - EDGE;
  // A panel that fits neither below nor above its button covers the button.
  const top = [below, above].find(fits) ?? Math.max(EDGE, clientHeight - height - EDGE);
  // In page coordinates, so that the panel scrolls with its button.
  panel.style.left = `${left + window.scrollX}px`;
  panel.style.top = `${top + window.scrollY}px`;
}
