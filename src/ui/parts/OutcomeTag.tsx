// The outcome of an answer as a tag: a word after a sign that screen readers skip.
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

/** The environment's outcome for a rollout. */
export function outcomeIn(
  presentation: RolloutPresentation,
  { verdict, kind }: { verdict: Recorded; kind: string },
): Outcome {
  const id = presentation.outcomeOf(verdict, kind);
  return presentation.outcomes.find((outcome) => outcome.id === id) ?? { id, mark: '?', tone: '' };
}
