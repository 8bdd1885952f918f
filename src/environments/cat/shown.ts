// A group's verdicts for display: its agreement with a reference, and its rubric. For any environment whose verdicts have these fields. Separate from the
// environments' presentations, which are part of the page's first load.

import type { Recorded } from '../rollout-presentation.ts';

// The agreement: the votes, and which attempts are rewarded.

/** Fields of a verdict on a rollout that was rewarded for agreeing with its group's reference. */
interface ReferenceVerdict {
  value: string | null;
  correct: boolean;
  agrees: boolean;
  reference: string | null;
  /** Absent in records older than this field. */
  referenceText?: string | null;
  referenceCorrect: boolean;
  majority: string | null;
}

export interface AgreementShown {
  /** The reference; null values if none could be made. */
  reference: { value: string | null; text: string | null; isRight: boolean };
  /** Answers by descending frequency; `value` is null for no answer. */
  votes: readonly {
    value: string | null;
    count: number;
    isRight: boolean;
    isReference: boolean;
    isMajority: boolean;
  }[];
  /** Each attempt's answer in order, and whether it agrees. */
  attempts: readonly { value: string | null; agrees: boolean; isRight: boolean }[];
}

/** Null if the truth was the reward, or without verdicts. */
export function agreementOf(verdicts: readonly Recorded[]): AgreementShown | null {
  const referred = verdicts.filter((one): one is Recorded & ReferenceVerdict => 'reference' in one);
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
    // The sort is stable, so equally frequent answers keep their order.
    votes: votes.sort((a, b) => b.count - a.count),
    attempts: referred.map(({ value, agrees, correct }) => ({ value, agrees, isRight: correct })),
  };
}

// The rubric: the text that it was written from, and for each criterion and attempt the judge's and the program's marks.

/** Fields of a verdict that a model gave. */
interface ModelVerdict {
  judged: number;
  score: number;
  synthesis: string | null;
  synthesisScore: number | null;
  rubric: string | null;
  marks: string;
  checks: string;
}

/** Marks of one attempt under one criterion. `program` is null if the program cannot say. */
export interface Mark {
  judge: boolean;
  program: boolean | null;
}

export interface RubricShown {
  /** Null if the rubric was not written from a synthesis. */
  synthesis: { text: string; score: number } | null;
  /** Empty for a grade. */
  criteria: readonly { text: string; marks: readonly Mark[] }[];
  attempts: readonly { judged: number; score: number }[];
}

/** Null if the program was the judge, or without verdicts. */
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
