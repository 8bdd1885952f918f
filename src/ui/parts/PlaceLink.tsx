// A link to a section. The part of the address after # carries the experiment, so it must not become the section's name.
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

/** Scrolls to a section and moves the keyboard there. */
export function goTo(id: string): void {
  const target = document.getElementById(id);
  target?.scrollIntoView({ block: 'start' });
  target?.querySelector<HTMLElement>('h2, [data-goal]')?.focus({ preventScroll: true });
}

/** The same once what has just been changed is drawn: a start puts the charts before the form on a phone. */
export function goSoon(id: string): void {
  requestAnimationFrame(() => goTo(id));
}

/** The same from any view: the lab is opened first where it is not. */
export function goInLab(id: string): void {
  openView('lab');
  goSoon(id);
}
