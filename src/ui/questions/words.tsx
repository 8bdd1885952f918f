// How the status of a question and its figures are written, in every part of Findings.

import type { Status } from '../../experiments/judge/estimate.ts';
import type { ShownQuestion } from '../../findings/sheet.ts';

export const GROUPS: readonly { standing: Status; title: string; tone: string }[] = [
  { standing: 'holds', title: 'Hold', tone: 'good' },
  { standing: 'in part', title: 'Hold in part', tone: 'warn' },
  { standing: 'fails', title: 'Fail', tone: 'bad' },
  { standing: 'open', title: 'Open', tone: 'warn' },
  { standing: 'not run', title: 'Not run', tone: '' },
];

/** With the units that it rests on; beside it, without a colour, whether a reference's finding is found here too. */
export function StatusTag({
  question: { standing, n, reference },
}: {
  question: Pick<ShownQuestion, 'standing' | 'n' | 'reference'>;
}) {
  const tone = GROUPS.find((group) => group.standing === standing)?.tone;
  const isOfFinding = reference?.standing === 'replicates' || reference?.standing === 'does not replicate';
  return (
    <>
      <span className={`tag ${tone}`}>
        {standing}
        {n > 0 ? `, n = ${n}` : ''}
      </span>
      {isOfFinding ? <span className="tag">finding {reference.standing}</span> : null}
    </>
  );
}
