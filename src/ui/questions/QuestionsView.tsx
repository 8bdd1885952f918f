// The questions view: whose questions (the study's, or an environment's), then those alone. Each part arrives when it is asked for.
import { lazy, Suspense } from 'react';
import { useFindingsPlace } from './use-place.ts';
import { WorldChoice } from './WorldChoice.tsx';
import './questions.css';

const StudyQuestions = lazy(() => import('./StudyQuestions.tsx'));
const WorldFindings = lazy(() => import('./worlds/WorldFindings.tsx'));

export function QuestionsView() {
  const [{ series, question }, go] = useFindingsPlace();
  return (
    <>
      <WorldChoice series={series} />
      <Suspense
        fallback={
          <p className="chart-wait" role="status">
            Loading …
          </p>
        }
      >
        {series === null ? (
          <StudyQuestions />
        ) : (
          <WorldFindings key={series} series={series} asked={question} onAsk={(question) => go({ series, question })} />
        )}
      </Suspense>
    </>
  );
}
