// The status of a question, written identically in all parts of the page.

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

/** CSS class of a status tag. */
export const toneOf = (standing: Status): string => GROUPS.find((group) => group.standing === standing)?.tone ?? '';

/** A question's status and, if it is open, why. */
export const statusWords = (question: Pick<ShownQuestion, 'standing' | 'word'>): string =>
  openKindOf(question) ?? question.standing;

/** The status with n and, without colour, whether the reference's finding replicates here. */
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
