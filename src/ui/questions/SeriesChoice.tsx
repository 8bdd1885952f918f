// The first choice of Findings: whose questions. True links, so that each can be opened in a new tab and sent on.
import type { MouseEvent } from 'react';
import { SERIES, type SeriesId } from '../../experiments/questions/series.ts';
import { withFindings } from '../../store/findings/link.ts';
import { openAddress } from '../parts/view.ts';

export function SeriesChoice({ series }: { series: SeriesId }) {
  return (
    <nav className="world-choice" aria-label="Questions of">
      <ul>
        {SERIES.map(({ id, label }) => {
          const href = withFindings(window.location.href, { series: id, question: null });
          const open = (event: MouseEvent<HTMLAnchorElement>) => {
            if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
            event.preventDefault();
            openAddress(href);
          };
          return (
            <li key={label}>
              <a href={href} aria-current={id === series ? 'page' : undefined} onClick={open}>
                {label}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
