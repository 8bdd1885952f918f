// Status of a question, written alike in every part of the page.

import type { Status } from '../../experiments/judge/estimate.ts';
import { openKindOf } from '../../findings/open-kind.ts';
import type { ShownQuestion } from '../../findings/sheet.ts';

export const GROUPS: readonly { standing: Status; title: string; tone: string }[] = [
  { standing: 'holds', title: 'Hold', tone: 'good' },
  { standing: 'in part', title: 'Hold in part', tone: 'warn' },
  { standing: 'fails', title: 'Fail', tone: 'bad' },
  { standing: 'open', title: 'Open', tone: 'warn' },
  { standing: 'not run', title: 'Not run', tone: '' },
];

/** Class of a status' tag. */
export const toneOf = (standing: Status): string => GROUPS.find((group) => group.standing === standing)?.tone ?? '';

/** A question's status, of an open one why it is open. */
export const statusWords = (question: Pick<ShownQuestion, 'standing' | 'word'>): string =>
  openKindOf(question) ?? question.standing;

/** The status with n, and beside it, without colour, whether the reference's finding replicates here. */
export function StatusTag({ question }: { question: Pick<ShownQuestion, 'standing' | 'word' | 'n' | 'reference'> }) {
  const { standing, word, n, reference } = question;
  const isOfFinding = reference?.standing === 'replicates' || reference?.standing === 'does not replicate';
  return (
    <>
      <span className={`tag ${toneOf(standing)}`} title={word}>
        {statusWords(question)}
        {n > 0 ? `, n = ${n}` : ''}
      </span>{' '}
      {isOfFinding ? <span className="tag">finding {reference.standing}</span> : null}
    </>
  );
}
