// The questions of a series grouped by stem, or only those with one status. The question that the address names is opened and stays in view
// while others are loaded above it, until the user scrolls.
import { useEffect, useRef, useState } from 'react';
import type { Status } from '../../experiments/judge/estimate.ts';
import type { Series } from '../../findings/series.ts';
import type { ShownQuestion } from '../../findings/sheet.ts';
import { statusCounts, stemOf, stemsOf } from '../../findings/stems.ts';
import { isAnswered } from '../../store/findings/forest.ts';
import { type FindingsRef, isLinkedQuestion } from '../../store/findings/link.ts';
import { Button } from '../parts/Button.tsx';
import { GROUPS } from '../parts/StatusTag.tsx';
import { LinkedRun } from './LinkedRun.tsx';
import { QuestionCard } from './QuestionCard.tsx';
import { StemCard } from './StemCard.tsx';

interface QuestionsProps {
  series: Series;
  questions: readonly ShownQuestion[];
  /** The question and run that the address names. */
  place: FindingsRef;
  onAsk: (question: string | null) => void;
}

const stemKey = (id: string) => `stem-${id}`;
const MOVES = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

export function Questions({ series, questions, place, onAsk }: QuestionsProps) {
  const { question: linkedId, run = null, unknown } = place;
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [only, setOnly] = useState<Status | null>(null);
  const wanted = questions.find(({ id }) => isLinkedQuestion(id, linkedId))?.id ?? null;
  // Runs only when `wanted` changes, so that the user can close the question again.
  useEffect(() => {
    if (wanted === null) return;
    setOnly(null);
    setOpen((before) => new Set([...before, wanted, stemKey(stemOf(wanted))]));
  }, [wanted]);
  useInView(wanted, wanted !== null && open.has(wanted), questions);

  function toggle(id: string, isOpen: boolean): void {
    if (open.has(id) === isOpen) return;
    const next = new Set(open);
    if (isOpen) next.add(id);
    else next.delete(id);
    setOpen(next);
    if (!isOpen && isLinkedQuestion(id, linkedId)) onAsk(null);
  }

  // Questions without any unit (n = 0) are neither counted nor listed under a status.
  const answered = questions.filter(isAnswered);
  const shown = only === null ? questions : answered.filter(({ standing }) => standing === only);
  const card = (question: ShownQuestion) => (
    <QuestionCard
      key={question.id}
      question={question}
      docs={series.docs}
      open={open.has(question.id)}
      onToggle={(isOpen) => toggle(question.id, isOpen)}
      run={question.id === wanted ? run : null}
    />
  );
  return (
    <div>
      {unknown !== undefined || (linkedId !== null && wanted === null) ? (
        <p className="callout bad" role="alert">
          The address asks for “{unknown ?? linkedId}”, which no published sheet has. These are the {questions.length}{' '}
          questions of {series.label}; the other series are above.
        </p>
      ) : null}
      {run !== null && wanted === null ? <LinkedRun run={run} files={[]} /> : null}
      <fieldset className="finding-only">
        <legend className="sr">Which of them</legend>
        {[{ standing: null, n: answered.length }, ...statusCounts(answered)].map(({ standing, n }) => (
          <Button
            label={`${GROUPS.find((group) => group.standing === standing)?.title ?? 'All'} ${n}`}
            key={standing}
            aria-pressed={only === standing}
            onClick={() => setOnly(standing)}
          />
        ))}
      </fieldset>
      <div className="questions">
        {stemsOf(shown).map((stem) =>
          stem.entries.length === 1 ? (
            card(stem.entries[0])
          ) : (
            <StemCard
              key={stem.id}
              stem={stem}
              open={only !== null || open.has(stemKey(stem.id))}
              onToggle={(isOpen) => {
                if (only === null) toggle(stemKey(stem.id), isOpen);
              }}
              isOpen={(id) => open.has(id)}
              card={card}
            />
          ),
        )}
      </div>
    </div>
  );
}

/** Scrolls to a question once it is open, because the inside of a closed one cannot be scrolled to. */
function useInView(id: string | null, isOpen: boolean, questions: readonly ShownQuestion[]): void {
  const moved = useRef(false);
  const given = useRef<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each newly named question is brought into view
  useEffect(() => {
    moved.current = false;
    const move = () => {
      moved.current = true;
    };
    for (const name of MOVES) window.addEventListener(name, move, { passive: true });
    return () => {
      for (const name of MOVES) window.removeEventListener(name, move);
    };
  }, [id]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: newly loaded questions move the page
  useEffect(() => {
    if (id === null || !isOpen || moved.current) return;
    const card = document.getElementById(id);
    const summary = card?.querySelector('summary');
    // The focus is set once. If the user has moved it since, it is not changed.
    if (given.current === id && document.activeElement !== summary) return;
    given.current = id;
    summary?.focus({ preventScroll: true });
    requestAnimationFrame(() => card?.scrollIntoView({ block: 'start' }));
  }, [id, isOpen, questions]);
}
