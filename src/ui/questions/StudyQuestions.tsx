// The study's questions: what it asked, what came out, which of the reference's findings hold here, the questions in that order.
// Everything is read from the published results; a visitor needs no GPU, no model and no worker for it.
import { useEffect, useRef, useState } from 'react';
import { QUESTIONS } from '../../experiments/kinds/study/questions/index.ts';
import type { Question, QuestionId, Standing } from '../../experiments/kinds/study/types.ts';
import type { ShownSheet } from '../../store/kinds/study/state.ts';
import { Section } from '../parts/Section.tsx';
import { First } from './First.tsx';
import { H1 } from './H1.tsx';
import { Provenance } from './Provenance.tsx';
import { QuestionCard } from './QuestionCard.tsx';
import { useQuestionPlace } from './use-place.ts';
import { useQuestions, useQuestionsActions } from './use-questions.ts';
import { STANDINGS } from './words.tsx';

export default function StudyQuestions() {
  const actions = useQuestionsActions();
  const [place, go] = useQuestionPlace();
  const asked = place.question;
  const results = useQuestions((state) => state.results);
  const [open, setOpen] = useState<ReadonlySet<QuestionId>>(new Set());
  const list = useRef<HTMLDivElement>(null);

  // A question that the address asks for is opened and brought into view; the reader may close it again.
  useEffect(() => {
    if (!asked) return;
    actions.prefer(asked);
    setOpen((before) => new Set(before).add(asked));
    list.current?.querySelector<HTMLElement>(`#${asked} > summary`)?.focus({ preventScroll: true });
  }, [asked, actions]);
  useInView(place.runId === null ? asked : null);

  function toggle(id: QuestionId, isOpen: boolean): void {
    if (open.has(id) === isOpen) return;
    const next = new Set(open);
    if (isOpen) {
      next.add(id);
      actions.prefer(id);
    } else next.delete(id);
    setOpen(next);
    if (!isOpen && asked === id) go({ question: null, runId: null });
  }

  const cardOf = (question: Question) => (
    <QuestionCard
      key={question.id}
      question={question}
      open={open.has(question.id)}
      onToggle={(isOpen) => toggle(question.id, isOpen)}
      runId={asked === question.id ? place.runId : null}
      onRun={(runId) => go({ question: question.id, runId })}
    />
  );

  return (
    <>
      <Section
        id="questions"
        title="Questions"
        lead="The reference study’s questions and the ones it left out, asked of the embedded model with every control. Each verdict is written from the numbers by fixed rules; what has not been run says so."
      >
        <Provenance />
        <First />
        <p className="muted">
          Numbered as in the study’s method, in which there is no Q7. Two things are judged of each: whether what the
          reference found is found here too (“replicates”), and whether the hypothesis written down here holds
          (“hypothesis falsified”). The one can be yes and the other no.
        </p>
      </Section>
      <H1 />
      <div ref={list}>
        {STANDINGS.map(({ standing, title, tone }) => {
          const own = QUESTIONS.filter((question) => standingOf(question, results.get(question.id)) === standing);
          return own.length === 0 ? null : (
            <section key={standing} className="question-standing" aria-labelledby={`standing-${tone || 'none'}`}>
              <h2 id={`standing-${tone || 'none'}`}>
                <span className={`tag ${tone}`}>{own.length}</span> {title}
              </h2>
              <div className="questions">{own.map(cardOf)}</div>
            </section>
          );
        })}
        {/* Before anything is known of them. */}
        <div className="questions">{QUESTIONS.filter(({ id }) => !results.has(id)).map(cardOf)}</div>
      </div>
    </>
  );
}

/** What the reference never asked stands apart, run or not. */
function standingOf({ reference }: Question, sheet: ShownSheet | undefined): Standing | null {
  if (!sheet) return null;
  return reference === null ? 'new here' : sheet.verdict.standing;
}

/** Keeps the card in view while verdicts above it arrive and push it down, until the reader moves. */
function useInView(asked: QuestionId | null): void {
  const arrived = useQuestions((state) => state.results.size + (state.h1 ? 1 : 0));
  const moved = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each question that is asked for is brought into view anew
  useEffect(() => {
    moved.current = false;
    const move = () => {
      moved.current = true;
    };
    for (const name of MOVES) window.addEventListener(name, move, { passive: true });
    return () => {
      for (const name of MOVES) window.removeEventListener(name, move);
    };
  }, [asked]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what has arrived moves the page
  useEffect(() => {
    if (asked && !moved.current) document.getElementById(asked)?.scrollIntoView({ block: 'start' });
  }, [asked, arrived]);
}
const MOVES = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;
