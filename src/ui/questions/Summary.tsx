// Which of the reference's findings hold on the embedded model, which do not, which stay open; and what is asked here first.
import { QUESTIONS } from '../../experiments/kinds/study/questions/index.ts';
import { headline } from '../../experiments/kinds/study/report.ts';
import type { Question, QuestionId, Standing } from '../../experiments/kinds/study/types.ts';
import { withQuestion } from '../../store/kinds/study/link.ts';
import { useQuestions } from './use-questions.ts';
import { STANDINGS } from './words.tsx';

interface Entry {
  question: Question;
  standing: Standing;
  text: string;
  /** Seeds that the standing rests on. */
  n: number | undefined;
}

export function Summary({ go }: { go: (id: QuestionId) => void }) {
  const results = useQuestions((state) => state.results);
  const entries = QUESTIONS.flatMap((question): Entry[] => {
    const verdict = results.get(question.id)?.verdict;
    if (!verdict) return [];
    const fresh = question.reference === null;
    const added = results.get(question.id)?.addition;
    const later: Entry[] =
      question.addition && added
        ? [
            {
              question,
              standing: added.standing === 'not run' ? 'not run' : 'new here',
              text: `Added: ${question.addition.title} ${headline(added)}`,
              n: added.n,
            },
          ]
        : [];
    return [
      {
        question,
        // What the reference never asked stands apart, run or not.
        standing: fresh ? 'new here' : verdict.standing,
        text: fresh ? `${question.title} ${headline(verdict)}` : question.finding,
        n: verdict.n,
      },
      ...later,
    ];
  });
  return (
    <div className="question-summary">
      {STANDINGS.map(({ standing, title, tone }) => {
        const own = entries.filter((entry) => entry.standing === standing);
        return own.length === 0 ? null : (
          <section
            key={standing}
            className={standing === 'new here' ? 'wide' : undefined}
            aria-labelledby={`standing-${tone || 'none'}`}
          >
            <h3 id={`standing-${tone || 'none'}`}>
              <span className={`tag ${tone}`}>{own.length}</span> {title}
            </h3>
            <ul>
              {own.map(({ question, text, n }) => (
                <li key={text}>
                  <QuestionLink id={question.id} go={go} /> {text}
                  {n ? <span className="muted num"> (n = {n})</span> : null}
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

function QuestionLink({ id, go }: { id: QuestionId; go: (id: QuestionId) => void }) {
  return (
    <a
      href={withQuestion(window.location.href, { question: id, runId: null })}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        go(id);
      }}
    >
      {id}
    </a>
  );
}
