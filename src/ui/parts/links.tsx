// Links to an address of this page, to a view of it, and to a document of the project. A document is named by its path in the repository,
// and the build makes a page from it (scripts/tool/docs-pages.mjs).
import { type ComponentProps, type MouseEvent, type ReactNode, useSyncExternalStore } from 'react';
import { onAddressChange, openAddress, openView, useView, type View, viewAddress } from './view.ts';

interface PageLinkProps extends ComponentProps<'a'> {
  href: string;
  /** Called on a plain click; by default it opens the address. */
  open?: () => void;
}

/** A real link, so that it can be copied or opened in a new tab. A plain click stays in this page. */
export function PageLink({ href, open = () => openAddress(href), children, ...rest }: PageLinkProps) {
  function onClick(event: MouseEvent): void {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    open();
  }
  return (
    <a href={href} {...rest} onClick={onClick}>
      {children}
    </a>
  );
}

interface ViewLinkProps {
  view: View;
  className?: string;
  /** Whether the link is marked as the current page; by default if its view is open. */
  isCurrent?: boolean;
  children: ReactNode;
}

export function ViewLink({ view, className, isCurrent, children }: ViewLinkProps) {
  const shown = useView();
  const href = useSyncExternalStore(onAddressChange, () => viewAddress(view));
  const current = isCurrent ?? shown === view;

  function open(): void {
    openView(view);
    window.scrollTo(0, 0);
  }

  return (
    <PageLink {...{ href, className, open }} aria-current={current ? 'page' : undefined}>
      {children}
    </PageLink>
  );
}

/** Shows the path, unless another text is given. */
export function DocLink({ path, children = path }: { path: string; children?: ReactNode }) {
  return (
    <a href={`./${path.replace(/\.md$/, '.html')}`} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}
