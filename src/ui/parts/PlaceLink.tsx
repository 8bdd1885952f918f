// A link to a section. The part of the address after # carries the experiment, so it must not become the section's name.
interface PlaceLinkProps {
  id: string;
  label: string;
  className?: string;
}

export function PlaceLink({ id, label, className }: PlaceLinkProps) {
  return (
    <button type="button" className={className ?? 'place'} onClick={() => goTo(id)}>
      {label}
    </button>
  );
}

/** Scrolls to a section and moves the keyboard there. */
export function goTo(id: string): void {
  const target = document.getElementById(id);
  target?.scrollIntoView({ block: 'start' });
  target?.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true });
}
