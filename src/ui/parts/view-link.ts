// The link that the page's Share button copies: in the Lab the experiment, and in every other view a link to that view with its choices. A
// view whose choices are not in its address registers a function that makes its link while it is open.
import { useEffect, useRef } from 'react';
import { isOfAView } from '../../share/view-hash.ts';
import type { KeptLink } from '../../store/kinds/kinds.ts';
import { writeChoices } from './address-choice.ts';
import { type View, viewInfo, viewOf } from './view.ts';
import { VIEW_PARAMS } from './views.ts';

/** Null if the view's address is already complete. */
type MakeLink = () => Promise<KeptLink | null>;

let own: MakeLink | null = null;

/** Registers the open view's own link. */
export function useViewLink(make: MakeLink): void {
  const latest = useRef(make);
  useEffect(() => {
    latest.current = make;
  });
  useEffect(() => {
    const current = () => latest.current();
    own = current;
    return () => {
      if (own === current) own = null;
    };
  }, []);
}

/** A link for other people: the view with its own choices and its own hash, without the form's experiment. */
export function viewLink(from: Location = window.location): string {
  const url = new URL(from.href);
  const view = viewOf(url.search);
  const kept = [...url.searchParams].filter(([name]) => VIEW_PARAMS[view]?.includes(name));
  url.search = '';
  if (view !== 'lab') url.searchParams.set('view', view);
  for (const [name, value] of kept) url.searchParams.set(name, value);
  url.search = url.search.replaceAll('%2C', ',').replaceAll('%2F', '/');
  if (!isOfAView(url.hash)) url.hash = '';
  return url.href;
}

export async function linkOfView(view: View): Promise<KeptLink> {
  writeChoices();
  return (await own?.()) ?? { href: viewLink(), carries: `the view “${viewInfo(view).label}” as it is`, needs: '' };
}
