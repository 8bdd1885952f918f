// Findings: whose questions, then those alone. Each part arrives when it is asked for.
import { lazy, Suspense } from 'react';
import { SeriesChoice } from './SeriesChoice.tsx';
import { useFindingsPlace } from './use-place.ts';
import './questions.css';

const StudyFindings = lazy(() => import('./study/StudyFindings.tsx'));
const SeriesFindings = lazy(() => import('./SeriesFindings.tsx'));

export function QuestionsView() {
  const [place, go] = useFindingsPlace();
  const { series, question } = place;
  return (
    <>
      <SeriesChoice series={series} />
      <Suspense
        fallback={
          <p className="chart-wait" role="status">
            Loading …
          </p>
        }
      >
        {series === 'study' ? (
          <StudyFindings place={place} go={go} />
        ) : (
          <SeriesFindings
            key={series}
            series={series}
            asked={question}
            onAsk={(question) => go({ series, question })}
          />
        )}
      </Suspense>
    </>
  );
}
