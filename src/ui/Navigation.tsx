// The row of navigation: the sections, and the progress of the running experiment. A section with several views has tabs above its content.
import { useLayoutEffect, useRef } from 'react';
import { ViewLink } from './parts/links.tsx';
import { SECTIONS, type SectionId, tabOf, tabsOf, useView, type View, viewInfo, viewsOf } from './parts/view.ts';
import { RunBadge } from './watch/RunBadge.tsx';

export function Navigation() {
  const { section } = viewInfo(useView());
  return (
    <nav className="views" aria-label="Views">
      <div className="views-in">
        <LinkRow
          links={SECTIONS.map(({ id, label }) => ({ view: viewsOf(id)[0].id, label, isCurrent: id === section }))}
        />
        <RunBadge />
      </div>
    </nav>
  );
}

/** Tabs of a section; renders nothing for a section of one view. */
export function Tabs({ section }: { section: SectionId }) {
  const shown = tabOf(useView());
  const views = tabsOf(section);
  if (views.length < 2) return null;
  return (
    <nav className="tabs" aria-label={SECTIONS.find(({ id }) => id === section)?.label}>
      <LinkRow links={views.map(({ id, label }) => ({ view: id, label, isCurrent: id === shown }))} />
    </nav>
  );
}

/** A phone has room for only some links: the row scrolls to the current one, and fades at an edge beyond which there are more links. */
function LinkRow({ links }: { links: readonly { view: View; label: string; isCurrent: boolean }[] }) {
  const row = useRef<HTMLUListElement>(null);
  const current = links.findIndex(({ isCurrent }) => isCurrent);
  useLayoutEffect(() => {
    const list = row.current;
    if (!list) return;
    const look = () => {
      list.classList.toggle('more-left', list.scrollLeft > 4);
      list.classList.toggle('more-right', list.scrollLeft + list.clientWidth < list.scrollWidth - 4);
    };
    // Only the row is scrolled, never the page.
    const centre = () => {
      const box = list.getBoundingClientRect();
      const link = list.children[current]?.getBoundingClientRect();
      if (link) list.scrollLeft += link.left + link.width / 2 - box.left - box.width / 2;
    };
    // The observer's first call comes after layout and before paint. Measuring in this effect would force a layout of the whole page.
    let isCentred = false;
    const observer = new ResizeObserver(() => {
      if (!isCentred) centre();
      isCentred = true;
      look();
    });
    observer.observe(list);
    list.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      list.removeEventListener('scroll', look);
    };
  }, [current]);
  return (
    <ul ref={row}>
      {links.map(({ view, label, isCurrent }) => (
        <li key={view}>
          <ViewLink view={view} isCurrent={isCurrent}>
            {label}
          </ViewLink>
        </li>
      ))}
    </ul>
  );
}
