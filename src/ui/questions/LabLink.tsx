// A link that opens a run in the lab.
import type { ReactNode } from 'react';
import { useLabActions } from '../lab-context.ts';
import { PageLink } from '../parts/links.tsx';
import { openAddress } from '../parts/view.ts';

interface LabLinkProps {
  /** The address's part after #. */
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

  function open(): void {
    openAddress(url.href);
    window.scrollTo(0, 0);
    void lab.fillFromAddress(`#${hash}`);
  }

  return (
    <PageLink href={url.href} {...{ className, title, open }} aria-label={label}>
      {children}
    </PageLink>
  );
}
