// The open view is `?view=` in the address, so that it can be linked to and the browser's back and forward work. The part after # belongs
// to the experiment and is preserved.
import { useSyncExternalStore } from 'react';
import { pushOwn, withoutViewHash } from './form-address.ts';
import { OWN_PARAMS, VIEWS, type View } from './views.ts';

export { SECTIONS, type SectionId, tabOf, tabsOf, VIEWS, type View, viewInfo, viewsOf } from './views.ts';

/** A section's name opens its first view, as in the navigation. An unknown name opens the lab, so that an old link leads somewhere; a notice names it (`unknownView`). */
export function viewOf(search: string): View {
  const named = new URLSearchParams(search).get('view');
  return (VIEWS.find(({ id }) => id === named) ?? VIEWS.find(({ section }) => section === named))?.id ?? 'lab';
}

/** The name in `?view=` if no view here has it; otherwise null. */
export function unknownView(search: string): string | null {
  const named = new URLSearchParams(search).get('view');
  const isKnown = VIEWS.some(({ id, section }) => id === named || section === named);
  return named === null || isKnown ? null : named.slice(0, MOST_CHARACTERS);
}

/** Maximum number of characters of an address that a notice quotes. */
const MOST_CHARACTERS = 60;

/** The address of a view, relative to the page. */
export function viewAddress(view: View, from: Location = window.location): string {
  const url = new URL(viewOf(from.search) === view ? from.href : withoutViewHash(from.href));
  if (view === 'lab') url.searchParams.delete('view');
  else url.searchParams.set('view', view);
  // `start` tells a newly opened page to run at once, which must not be repeated when the view changes.
  url.searchParams.delete('start');
  // Parameters such as a question or a probe belong to their own view.
  for (const name of OWN_PARAMS) url.searchParams.delete(name);
  return url.href;
}

const listeners = new Set<() => void>();
/** Notifies listeners that the address has changed. */
export const notifyAddressListeners = (): void => {
  for (const listener of listeners) listener();
};

export function openView(view: View): void {
  if (viewOf(window.location.search) === view) return;
  openAddress(viewAddress(view));
}

/** Opens an address of this page: a view, and possibly a record or question in it. */
export function openAddress(href: string): void {
  if (href === window.location.href) return;
  pushOwn(href);
  notifyAddressListeners();
}

export function onAddressChange(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('popstate', listener);
  };
}

export function useView(): View {
  return useSyncExternalStore(onAddressChange, () => viewOf(window.location.search));
}

export const useUnknownView = (): string | null =>
  useSyncExternalStore(onAddressChange, () => unknownView(window.location.search));
