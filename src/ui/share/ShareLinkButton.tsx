// The one Share of the page, wherever it stands: a link to what the page is about, with its results where there are some. Of one that
// is kept: KeptButtons.tsx, by the same action.
import { runLink } from '../../store/kinds/run/kept.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Icon } from '../parts/Icon.tsx';
import { copyLink } from './copy-link.ts';

/** `name`: what is shared, for those who cannot see where the button stands. */
export function ShareLinkButton({ name, small = true }: { name?: string; small?: boolean }) {
  const lab = useLabActions();
  const ready = useLab((state) => state.check.spec !== null || state.live !== null || state.opened !== null);

  async function link() {
    const made = await lab.shareNow();
    return made && runLink(made, window.location.href);
  }

  return (
    <button
      type="button"
      className={small ? 'btn small' : 'btn'}
      onClick={() => void copyLink(lab, link())}
      disabled={!ready}
      aria-label={name === undefined ? undefined : `Share ${name}`}
      title={
        ready
          ? 'Copy a link to this experiment, with its results where there are some; nothing is sent to a server'
          : 'Correct the form first'
      }
    >
      <Icon name="share" size={small ? 14 : undefined} />
      <span>Share</span>
    </button>
  );
}
