// Findings: a choice of series, then the questions of the chosen one. Each part is loaded when it is opened.
import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { SERIES, type SeriesId } from '../../findings/series.ts';
import { asksForFindings, type FindingsRef, withFindings } from '../../store/findings/link.ts';
import { LOADING, late } from '../parts/late.tsx';
import { PageLink } from '../parts/links.tsx';
import { onAddress, openAddress } from '../parts/view.ts';
import './questions.css';

const SeriesFindings = late(() => import('./SeriesFindings.tsx'), LOADING);

export default function QuestionsView() {
  const [place, go] = useFindingsPlace();
  const { series } = place;
  return (
    <>
      <SeriesChoice series={series} />
      <SeriesFindings key={series} place={place} onAsk={(question) => go({ series, question })} />
    </>
  );
}

const read = () => window.location.search;

/** The question and run that the address names, and a function that changes the address, so that back and forward work. */
function useFindingsPlace(): [FindingsRef, (ref: FindingsRef) => void] {
  const search = useSyncExternalStore(onAddress, read);
  const place = useMemo(() => asksForFindings(search), [search]);
  const go = useCallback((ref: FindingsRef) => openAddress(withFindings(window.location.href, ref)), []);
  return [place, go];
}

/** Links that choose the series. */
function SeriesChoice({ series }: { series: SeriesId }) {
  return (
    <nav className="environment-choice" aria-label="Questions of">
      <ul>
        {SERIES.map(({ id, label }) => {
          const href = withFindings(window.location.href, { series: id, question: null });
          return (
            <li key={label}>
              <PageLink href={href} aria-current={id === series ? 'page' : undefined}>
                {label}
              </PageLink>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
