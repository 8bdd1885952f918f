// The Share button at the top of the page: in the Lab it copies a link to the shown experiment, with its results if there are any; in
// another view a link to that view with its choices. The button of a kept record is in KeptButtons.tsx and uses the same action.

import type { KeptLink } from '../../store/kinds/kinds.ts';
import { runLink } from '../../store/kinds/kinds.ts';
import type { Lab } from '../../store/page/lab-store.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { useView } from '../parts/view.ts';
import { linkOfView } from '../parts/view-link.ts';

export function ShareLinkButton() {
  const lab = useLabActions();
  const view = useView();
  const isLab = view === 'lab';
  const hasExperiment = useLab((state) => state.check.spec !== null || state.live !== null || state.opened !== null);
  const ready = !isLab || hasExperiment;

  async function link() {
    if (!isLab) return linkOfView(view);
    const made = await lab.shareNow();
    return made && runLink(made, window.location.href);
  }

  return (
    <Button
      icon="share"
      isLarge
      className="share"
      onClick={() => void copyLink(lab, link())}
      disabled={!ready}
      title={
        !isLab
          ? 'Copy a link to this view, with its choices; nothing is sent to a server'
          : ready
            ? 'Copy a link to this experiment, with its results where there are some; nothing is sent to a server'
            : 'Correct the form first'
      }
    >
      <span>Share</span>
    </Button>
  );
}

export async function copyLink(lab: Lab, making: Promise<KeptLink | null>): Promise<void> {
  const link = await making;
  if (!link) return;
  const { href, carries, needs } = link;
  try {
    await navigator.clipboard.writeText(href);
    lab.tell('good', `Link copied: ${href.length.toLocaleString('en-GB')} characters, with ${carries}.${needs}`);
  } catch {
    window.history.replaceState(null, '', href);
    lab.tell('info', `The browser blocked the clipboard; the address bar now has the link, with ${carries}.${needs}`);
  }
}
