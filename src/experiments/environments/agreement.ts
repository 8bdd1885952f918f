// A group's verdicts as its agreement with a reference, for whoever draws it: who voted for what, and who is paid. Of any environment whose
// verdicts have these fields; it stands apart from the environments' showings, which the page's first load has.
import type { ReferredVerdict } from '../../environments/arithmetic/task.ts';
import type { Recorded } from '../../environments/presentation.ts';

export interface AgreementShown {
  /** What the reference says; null where none could be made. */
  reference: { value: string | null; text: string | null; isRight: boolean };
  /** Answers by frequency, the most frequent first; `value` null: no answer. */
  votes: readonly {
    value: string | null;
    count: number;
    isRight: boolean;
    isReference: boolean;
    isMajority: boolean;
  }[];
  /** Of each attempt, in order: its answer, and whether it agrees. */
  attempts: readonly { value: string | null; agrees: boolean; isRight: boolean }[];
}

/** Null where the truth was the reward, and of no verdicts. */
export function agreementOf(verdicts: readonly Recorded[]): AgreementShown | null {
  const referred = verdicts.filter((one): one is Recorded & ReferredVerdict => 'reference' in one);
  if (referred.length === 0) return null;
  const [{ reference, referenceText = null, referenceCorrect, majority }] = referred;
  const counts = new Map<string | null, { count: number; isRight: boolean }>();
  for (const { value, correct } of referred) {
    const vote = counts.get(value) ?? { count: 0, isRight: correct };
    counts.set(value, { ...vote, count: vote.count + 1 });
  }
  const votes = [...counts].map(([value, vote]) => ({
    ...{ value, ...vote },
    isReference: value !== null && value === reference,
    isMajority: value !== null && value === majority,
  }));
  return {
    reference: { value: reference, text: referenceText, isRight: referenceCorrect },
    // Sorting keeps the order of equal ones: that in which they were first said.
    votes: votes.sort((a, b) => b.count - a.count),
    attempts: referred.map(({ value, agrees, correct }) => ({ value, agrees, isRight: correct })),
  };
}
