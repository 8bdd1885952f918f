// A link that opens a run in the lab: a true one, so that it can be copied; a plain click opens it in this page.
import type { ReactNode } from 'react';
import { useLabActions } from '../lab-context.ts';
import { openAddress } from '../parts/view.ts';

interface LabLinkProps {
  /** What stands behind #. */
  hash: string;
  className: string;
  title?: string;
  label?: string;
  children: ReactNode;
}

export function LabLink({ hash, className, title, label, children }: LabLinkProps) {
  const lab = useLabActions();
  const url = new URL(window.location.href);
  url.search = '';
  url.hash = hash;
  return (
    <a
      className={className}
      href={url.href}
      title={title}
      aria-label={label}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        openAddress(url.href);
        window.scrollTo(0, 0);
        void lab.fillFromAddress(`#${hash}`);
      }}
    >
      {children}
    </a>
  );
}
