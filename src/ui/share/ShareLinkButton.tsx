// The one Share of the page, at its top: a link to what the page is about, with its results where there are some. Of one that
// is kept: KeptButtons.tsx, by the same action.
import { runLink } from '../../store/kinds/kinds.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Icon } from '../parts/Icon.tsx';
import { copyLink } from './copy-link.ts';

export function ShareLinkButton() {
  const lab = useLabActions();
  const ready = useLab((state) => state.check.spec !== null || state.live !== null || state.opened !== null);

  async function link() {
    const made = await lab.shareNow();
    return made && runLink(made, window.location.href);
  }

  return (
    <button
      type="button"
      className="btn share"
      onClick={() => void copyLink(lab, link())}
      disabled={!ready}
      title={
        ready
          ? 'Copy a link to this experiment, with its results where there are some; nothing is sent to a server'
          : 'Correct the form first'
      }
    >
      <Icon name="share" />
      <span>Share</span>
    </button>
  );
}
