// A group's verdicts as its rubric, for whoever draws it: the text that it was written from, and of each criterion and attempt what the
// judge says and what the program says. Of any environment whose verdicts have these fields; it stands apart from the environments' showings, which
// the page's first load has.
import type { JudgedVerdict } from '../../environments/explain/types.ts';
import type { Recorded } from '../../environments/presentation.ts';

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
  const judged = verdicts.filter((one): one is Recorded & JudgedVerdict => 'judged' in one);
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
