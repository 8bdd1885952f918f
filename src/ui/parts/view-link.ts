// What the Share button of the page copies: in the Lab the experiment, in every other view a link to that view with its choices. A view whose
// choices are not in its address says how its link is made, while it is open.
import { useEffect, useRef } from 'react';
import type { KeptLink } from '../../store/kinds/kinds.ts';
import { writeChoices } from './address-choice.ts';
import { type View, viewInfo, viewLink } from './view.ts';

/** Null where the view's address says all that a link can. */
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

export async function linkOfView(view: View): Promise<KeptLink> {
  writeChoices();
  return (await own?.()) ?? { href: viewLink(), carries: `the view “${viewInfo(view).label}” as it is`, needs: '' };
}
