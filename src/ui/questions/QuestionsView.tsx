// Findings: ten sentences over all series and a page about one hack against another, or the questions of one series. Each part is loaded
// when it is opened.
import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { SERIES, type SeriesId } from '../../findings/series.ts';
import {
  FINDINGS_PAGES,
  type FindingsPage,
  type FindingsRef,
  linksToFindings,
  withFindings,
} from '../../store/findings/link.ts';
import { LOADING, lazyPart } from '../parts/lazy-part.tsx';
import { PageLink } from '../parts/links.tsx';
import { onAddressChange, openAddress } from '../parts/view.ts';
import './questions.css';

const Front = lazyPart(() => import('./Front.tsx'), LOADING);
const SeriesFindings = lazyPart(() => import('./SeriesFindings.tsx'), LOADING);

export default function QuestionsView() {
  const [place, go] = useFindingsPlace();
  const { series, page } = place;
  return (
    <>
      <SeriesChoice series={series} page={page} />
      {page ? (
        <Front page={page} />
      ) : (
        <SeriesFindings key={series} place={place} onAsk={(question) => go({ series, question })} />
      )}
    </>
  );
}

const currentSearch = () => window.location.search;

/** The question and run that the address names, and a function that changes the address, so that back and forward work. */
function useFindingsPlace(): [FindingsRef, (ref: FindingsRef) => void] {
  const search = useSyncExternalStore(onAddressChange, currentSearch);
  const place = useMemo(() => linksToFindings(search), [search]);
  const go = useCallback((ref: FindingsRef) => openAddress(withFindings(window.location.href, ref)), []);
  return [place, go];
}

const PAGES: Readonly<Record<FindingsPage, string>> = { ten: 'Ten sentences', 'other-hack': 'Hack A, hack B' };

/** Links that choose a page over all series, or a series. */
function SeriesChoice({ series, page }: { series: SeriesId; page: FindingsPage | undefined }) {
  return (
    <nav className="environment-choice" aria-label="Questions of">
      <ul>
        {FINDINGS_PAGES.map((id) => {
          const href = withFindings(window.location.href, { series: 'study', question: null, page: id });
          return (
            <li key={id}>
              <PageLink href={href} aria-current={id === page ? 'page' : undefined}>
                {PAGES[id]}
              </PageLink>
            </li>
          );
        })}
        {SERIES.map(({ id, label }) => {
          const href = withFindings(window.location.href, { series: id, question: null });
          return (
            <li key={label}>
              <PageLink href={href} aria-current={!page && id === series ? 'page' : undefined}>
                {label}
              </PageLink>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
