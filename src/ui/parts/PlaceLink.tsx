// A link to a section of the page. The part of the address after # contains the experiment, so it cannot be the section's name.
import { openView } from './view.ts';

interface PlaceLinkProps {
  id: string;
  label: string;
  className?: string;
}

export function PlaceLink({ id, label, className }: PlaceLinkProps) {
  return (
    <button type="button" className={className} onClick={() => goTo(id)}>
      {label}
    </button>
  );
}

/** Scrolls to a section and moves the focus there. */
export function goTo(id: string): void {
  const target = document.getElementById(id);
  target?.scrollIntoView({ block: 'start' });
  target?.querySelector<HTMLElement>('h2, [data-goal]')?.focus({ preventScroll: true });
}

/**
 * Goes to a section after the next redraw, because starting a run moves the charts before the form on a phone. Waits at most `redraws`
 * redraws for a section that is loaded on demand.
 */
export function goAfterRedraw(id: string, redraws = 300): void {
  requestAnimationFrame(() => (redraws && !document.getElementById(id) ? goAfterRedraw(id, redraws - 1) : goTo(id)));
}

/** Goes to a section of the lab from any view, opening the lab first. */
export function goInLab(id: string): void {
  openView('lab');
  goAfterRedraw(id);
}
