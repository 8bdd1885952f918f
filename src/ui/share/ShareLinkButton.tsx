// Copies a link to the experiment on show, with its results. Of one that is kept: KeptButtons.tsx.
import { runLink } from '../../store/kinds/run/kept.ts';
import { useLabActions } from '../lab-context.ts';
import { Icon } from '../parts/Icon.tsx';
import { copyLink } from './copy-link.ts';

/** `name`: what is shared, for those who cannot see where the button stands. */
export function ShareLinkButton({ name }: { name: string }) {
  const lab = useLabActions();

  async function shown() {
    const link = await lab.shareShown();
    return link && runLink(link, window.location.href);
  }

  return (
    <button
      type="button"
      className="btn small"
      onClick={() => void copyLink(lab, shown())}
      aria-label={`Copy a link to ${name}`}
      title="Copy a link that carries the experiment and its results; nothing is sent to a server"
    >
      <Icon name="share" size={14} />
      Copy a link
    </button>
  );
}
