// The study's questions: as they were published, with this browser's own runs among them; below each, from its rows, the curves of its
// runs, what is missing, and the runs themselves. A visitor needs no GPU, no model and no worker for it.

import { useCallback, useEffect, useMemo } from 'react';
import { QUESTIONS } from '../../../../research/series/study/questions/index.ts';
import { QUESTION_IDS, type QuestionId } from '../../../../research/series/study/types.ts';
import { seriesOf } from '../../../findings/series.ts';
import { duration } from '../../../lib/numbers.ts';
import type { FindingsRef } from '../../../store/findings/link.ts';
import { useQuestions, useQuestionsActions } from '../../lab-context.ts';
import { Questions } from '../Questions.tsx';
import { SeriesHead } from '../SeriesHead.tsx';
import { Curves } from './Curves.tsx';
import { Missing } from './Missing.tsx';
import { Runs } from './Runs.tsx';
import '../findings.css';

const SERIES = seriesOf('study');
const isQuestion = (id: string): id is QuestionId => QUESTION_IDS.some((own) => own === id);
/** H1 first, what was added to a question behind it. */
const ORDER = ['H1', ...QUESTIONS.flatMap(({ id, addition }) => (addition ? [id, `${id}-added`] : [id]))];

interface StudyFindingsProps {
  place: FindingsRef;
  go: (place: FindingsRef) => void;
}

export default function StudyFindings({ place, go }: StudyFindingsProps) {
  const actions = useQuestionsActions();
  const results = useQuestions((state) => state.results);
  const first = useQuestions((state) => state.first);
  const problem = useQuestions((state) => state.problem);
  const questions = useMemo(() => ORDER.flatMap((id) => results.get(id) ?? []), [results]);
  const onOpen = useCallback(
    (id: string) => {
      if (isQuestion(id)) actions.prefer(id);
    },
    [actions],
  );
  const asked = QUESTION_IDS.find((id) => id === place.question);
  // Its verdict is worked out before the others', where none is published.
  useEffect(() => {
    if (asked) actions.prefer(asked);
  }, [asked, actions]);
  const show = (id: QuestionId, run: string | null) => go({ series: 'study', question: id, run });
  return (
    <>
      <SeriesHead
        series={SERIES}
        questions={questions}
        first={first}
        problem={problem}
        onAgain={() => void actions.reload()}
        isReading={false}
      >
        <Provenance />
      </SeriesHead>
      <Questions
        series={SERIES}
        questions={questions}
        waiting={QUESTIONS.filter(({ id }) => !results.has(id))}
        asked={place.question}
        isBelow={place.run != null}
        onAsk={(question) => go({ series: 'study', question })}
        onOpen={onOpen}
        more={({ id }) =>
          isQuestion(id) ? (
            <OfRows id={id} run={asked === id ? (place.run ?? null) : null} onRun={(run) => show(id, run)} />
          ) : null
        }
      />
    </>
  );
}

interface OfRowsProps {
  id: QuestionId;
  /** The run on show. */
  run: string | null;
  onRun: (run: string | null) => void;
}

/** What needs the rows, which come when the question is opened. */
function OfRows({ id, run, onRun }: OfRowsProps) {
  const actions = useQuestionsActions();
  const here = useQuestions((state) => state.open.has(id));
  useEffect(() => void actions.open(id), [actions, id]);
  if (!here)
    return (
      <p className="chart-wait" role="status">
        Fetching the rows of its runs …
      </p>
    );
  return (
    <>
      <Curves id={id} />
      <Missing id={id} />
      <Runs id={id} shown={run} onRun={onRun} />
    </>
  );
}

/** Where the figures come from: published runs, this browser's own, or nothing yet. */
function Provenance() {
  const loading = useQuestions((state) => state.loading);
  const problem = useQuestions((state) => state.problem);
  const origin = useQuestions((state) => state.origin);
  const mine = useQuestions((state) => state.added);
  const differing = useQuestions((state) => state.differing);
  return (
    <div className="question-origin" data-testid="provenance">
      <p role="status">
        {loading
          ? loading.of > 0
            ? `Reading the published results: ${loading.done} of ${loading.of} files …`
            : 'Looking for published results …'
          : origin && origin.runs > 0
            ? `${origin.about.join(' ')} Training took ${duration(origin.seconds)}, evaluations at the end not counted.`
            : problem
              ? ''
              : 'No run has been published with this page: every question says “not run” and how to run it.'}
        {mine > 0
          ? ` ${mine} ${mine === 1 ? 'run' : 'runs'} more of this browser, marked “here”; the caveats above come from the published runs only.`
          : ''}
        {differing > 0
          ? ` ${differing} ${differing === 1 ? 'run' : 'runs'} of this browser gave other results than published runs with the same settings (another device or version); the published ones count.`
          : ''}
      </p>
    </div>
  );
}
