// Copies a link to an experiment with its results: the one on show, or a kept one.
import { useLabActions } from '../lab-context.ts';
import { Icon } from '../parts/Icon.tsx';
import { copyLink } from './copy-link.ts';

interface ShareLinkButtonProps {
  /** Of a kept experiment; the one on show when absent. */
  id?: string;
  /** What is shared, for those who cannot see where the button stands. */
  name: string;
  /** The icon alone. */
  compact?: boolean;
}

export function ShareLinkButton({ id, name, compact = false }: ShareLinkButtonProps) {
  const lab = useLabActions();
  return (
    <button
      type="button"
      className={compact ? 'btn small icon' : 'btn small'}
      onClick={() => void copyLink(lab, id === undefined ? lab.shareShown() : lab.shareKept(id))}
      aria-label={`Copy a link to ${name}`}
      title="Copy a link that carries the experiment and its results; nothing is sent to a server"
    >
      <Icon name="share" size={14} />
      {compact ? null : 'Copy a link'}
    </button>
  );
}
