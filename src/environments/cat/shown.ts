// A group's verdicts for whoever draws them: its agreement with a reference, and its rubric. Of any environment whose verdicts have these
// fields; it stands apart from the environments' presentations, which the page's first load has.

import type { Recorded } from '../rollout-presentation.ts';

// The agreement: who voted for what, and who is paid.

/** What is read of a verdict on a rollout that was paid for agreeing with its group's reference. */
interface Referred {
  value: string | null;
  correct: boolean;
  agrees: boolean;
  reference: string | null;
  /** Absent in records of before it was kept. */
  referenceText?: string | null;
  referenceCorrect: boolean;
  majority: string | null;
}

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
  const referred = verdicts.filter((one): one is Recorded & Referred => 'reference' in one);
  if (referred.length === 0) return null;
  const [{ reference, referenceText = null, referenceCorrect, majority }] = referred;
  const counts = new Map<string | null, { count: number; isRight: boolean }>();
  for (const { value, correct } of referred) {
    const vote = counts.get(value) ?? { count: 0, isRight: correct };
    counts.set(value, { ...vote, count: vote.count + 1 });
  }
  const votes = [...counts].map(([value, vote]) => ({
    value,
    ...vote,
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

// The rubric: the text that it was written from, and of each criterion and attempt what the judge says and what the program says.

/** What is read of a verdict that a model gave. */
interface ModelVerdict {
  judged: number;
  score: number;
  synthesis: string | null;
  synthesisScore: number | null;
  rubric: string | null;
  marks: string;
  checks: string;
}

/** Of one criterion and one attempt. `program` null: it cannot say. */
export interface Mark {
  judge: boolean;
  program: boolean | null;
}

export interface RubricShown {
  /** Null where the rubric was written from no synthesis. */
  synthesis: { text: string; score: number } | null;
  /** None of a grade. */
  criteria: readonly { text: string; marks: readonly Mark[] }[];
  attempts: readonly { judged: number; score: number }[];
}

/** Null where the program was the judge, and of no verdicts. */
export function rubricOf(verdicts: readonly Recorded[]): RubricShown | null {
  const judged = verdicts.filter((one): one is Recorded & ModelVerdict => 'judged' in one);
  if (judged.length === 0) return null;
  const [{ synthesis, synthesisScore, rubric }] = judged;
  const lines = rubric === null || rubric === '' ? [] : rubric.split('\n');
  return {
    synthesis: synthesis === null ? null : { text: synthesis, score: synthesisScore! },
    criteria: lines.map((text, i) => ({
      text,
      marks: judged.map(({ marks, checks }) => ({
        judge: marks[i] === 'y',
        program: checks[i] === '?' ? null : checks[i] === 'y',
      })),
    })),
    attempts: judged.map(({ judged: share, score }) => ({ judged: share, score })),
  };
}
