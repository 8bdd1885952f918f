// The Share button at the top of the page. In the Lab it copies a link to the shown experiment, with its results if there are any. In
// another view it copies a link to that view with its choices. The button of a stored record is in KeptButtons.tsx and uses the same
// action.

import { isOwnMachine } from '../../lib/own-machine.ts';
import { publicLink } from '../../share/public-link.ts';
import type { KeptLink } from '../../store/kinds/kinds.ts';
import { runLink } from '../../store/kinds/kinds.ts';
import type { Lab } from '../../store/page/lab-store.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { useView } from '../parts/view.ts';

/** Address of the public lab that was configured in this build; null if there is none. */
const LAB_URL: string | null = import.meta.env.LAB_URL ?? null;

export function ShareLinkButton() {
  const lab = useLabActions();
  const view = useView();
  const isLab = view === 'lab';
  const hasExperiment = useLab((state) => state.check.spec !== null || state.live !== null || state.opened !== null);
  const ready = !isLab || hasExperiment;

  async function link() {
    // Loaded with the other views, which register their links there.
    if (!isLab) return (await import('../parts/view-link.ts')).linkOfView(view);
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

/**
 * Copies the link. If there is a public lab, its link is copied, since a link to this machine works nowhere else. The notice offers the
 * other one.
 */
export async function copyLink(lab: Lab, making: Promise<KeptLink | null>): Promise<void> {
  const link = await making;
  if (!link) return;
  const base = new URL('./', document.baseURI).href;
  const isLocal = LAB_URL !== null && isOwnMachine(window.location.hostname);
  const elsewhere = isLocal ? publicLink(link.href, base, LAB_URL) : null;
  const here = { href: link.href, where: elsewhere === null ? '' : ' for this machine' };
  if (elsewhere === null) await copy(lab, link, here, null);
  else await copy(lab, link, { href: elsewhere, where: ' for the public lab' }, here);
}

interface Target {
  href: string;
  /** Text after “Link”. */
  where: string;
}

async function copy(lab: Lab, { carries, needs }: KeptLink, { href, where }: Target, other: Target | null) {
  const action = other && {
    label: `Copy the one${other.where}`,
    run: () => void copy(lab, { href: other.href, carries, needs }, other, { href, where }),
  };
  const extra = action ? { action, stays: true } : {};
  try {
    await navigator.clipboard.writeText(href);
    const length = href.length.toLocaleString('en-GB');
    lab.tell('good', `Link${where} copied: ${length} characters, with ${carries}.${needs}`, extra);
  } catch {
    const problem = 'The browser blocked the clipboard';
    if (!href.startsWith(window.location.origin)) lab.tell('info', `${problem}; the link${where} is ${href}`, extra);
    else {
      window.history.replaceState(null, '', href);
      lab.tell('info', `${problem}; the address bar now has the link${where}, with ${carries}.${needs}`, extra);
    }
  }
}
