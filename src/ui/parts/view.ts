// Which view is open: `?view=` in the address, so that it can be linked to and the browser's back and forward work. The part
// after # belongs to the experiment and is carried along untouched.
import { useSyncExternalStore } from 'react';
import { pushOwn, withoutViewHash } from './form-address.ts';
import { OWN_PARAMS, VIEWS, type View } from './views.ts';

export { SECTIONS, type SectionId, VIEWS, type View, viewInfo, viewsOf } from './views.ts';

/** A section's name opens its first view, as the row does. An unknown name opens the lab: an old link should lead somewhere. */
export function viewOf(search: string): View {
  const asked = new URLSearchParams(search).get('view');
  return (VIEWS.find(({ id }) => id === asked) ?? VIEWS.find(({ section }) => section === asked))?.id ?? 'lab';
}

/** The address of a view, relative to the page. */
export function viewAddress(view: View, from: Location = window.location): string {
  const url = new URL(viewOf(from.search) === view ? from.href : withoutViewHash(from.href));
  if (view === 'lab') url.searchParams.delete('view');
  else url.searchParams.set('view', view);
  // `start` asks the page that is being opened to run at once; going from view to view must not ask again.
  url.searchParams.delete('start');
  // A question, or a probe, belongs to its own view.
  for (const name of OWN_PARAMS) url.searchParams.delete(name);
  return url.href;
}

const listeners = new Set<() => void>();
/** The address says something else than it did. */
export const tellAddress = (): void => {
  for (const listener of listeners) listener();
};

export function openView(view: View): void {
  if (viewOf(window.location.search) === view) return;
  openAddress(viewAddress(view));
}

/** An address of this page: of a view, and of something in it. */
export function openAddress(href: string): void {
  if (href === window.location.href) return;
  pushOwn(href);
  tellAddress();
}

export function onAddress(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('popstate', listener);
  };
}

export function useView(): View {
  return useSyncExternalStore(onAddress, () => viewOf(window.location.search));
}
