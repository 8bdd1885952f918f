// What came of an answer, as a tag: a sign, which is not read out, before the word.
import type { ReactNode } from 'react';
import type { Outcome, Recorded, RolloutPresentation } from '../../environments/rollout-presentation.ts';

export function OutcomeTag({ mark, tone, children }: { mark: string; tone: string; children: ReactNode }) {
  return (
    <span className={`tag ${tone}`}>
      <span aria-hidden="true">{mark} </span>
      {children}
    </span>
  );
}

/** Which of its environment's outcomes a verdict is. */
export function outcomeIn(presentation: RolloutPresentation, verdict: Recorded): Outcome {
  const id = presentation.outcomeOf(verdict);
  return presentation.outcomes.find((outcome) => outcome.id === id) ?? { id, mark: '?', tone: '' };
}
