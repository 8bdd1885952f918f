// Links: to a view (a true link, so that it opens in a new tab as well; a plain click stays in this page), and to a document of the project,
// by its name in the repository: the build has it as a page (scripts/tool/docs-pages.mjs).
import { type MouseEvent, type ReactNode, useSyncExternalStore } from 'react';
import { onAddress, openView, useView, type View, viewAddress } from './view.ts';

interface ViewLinkProps {
  view: View;
  className?: string;
  /** Whether it counts as where the reader is; by itself where its view is open. */
  isCurrent?: boolean;
  children: ReactNode;
}

export function ViewLink({ view, className, isCurrent, children }: ViewLinkProps) {
  const shown = useView();
  const href = useSyncExternalStore(onAddress, () => viewAddress(view));
  const current = isCurrent ?? shown === view;

  function open(event: MouseEvent<HTMLAnchorElement>): void {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    openView(view);
    window.scrollTo(0, 0);
  }

  return (
    <a href={href} className={className} aria-current={current ? 'page' : undefined} onClick={open}>
      {children}
    </a>
  );
}

export function DocLink({ path }: { path: string }) {
  return (
    <a href={`./${path.replace(/\.md$/, '.html')}`} target="_blank" rel="noreferrer">
      {path}
    </a>
  );
}
