// How a question's standing and its figures are written, in every part of the view.

import type { Cell } from '../../experiments/analysis/compare.ts';
import type { Sheet } from '../../experiments/kinds/study/sheet.ts';
import type { Answer, Standing, Verdict } from '../../experiments/kinds/study/types.ts';

export const STANDINGS: readonly { standing: Standing; title: string; tone: string }[] = [
  { standing: 'replicates', title: 'Replicate here', tone: 'good' },
  { standing: 'does not replicate', title: 'Do not replicate here', tone: 'bad' },
  { standing: 'undecided', title: 'Undecided', tone: 'warn' },
  { standing: 'not run', title: 'Not run', tone: '' },
  { standing: 'new here', title: 'Asked here for the first time', tone: 'accent' },
];

/** With the seeds that it rests on. Without a colour where the hypothesis has one: they judge two things, and green beside red is neither. */
export function StandingTag({ verdict }: { verdict: Verdict | null }) {
  if (verdict === null) return <span className="tag">reading …</span>;
  const { standing, n, answer } = verdict;
  const tone = answer ? '' : STANDINGS.find((entry) => entry.standing === standing)?.tone;
  const isOfFinding = standing === 'replicates' || standing === 'does not replicate';
  return (
    <span className={`tag ${tone}`}>
      {isOfFinding ? 'finding ' : ''}
      {standing}
      {n ? `, n = ${n}` : ''}
    </span>
  );
}

const TONES: Record<Answer['outcome'], string> = {
  holds: 'good',
  'holds in part': 'warn',
  falsified: 'bad',
  open: 'warn',
};

/** What became of the question's own hypothesis. */
export function OutcomeTag({ verdict }: { verdict: Verdict | null }) {
  const outcome = verdict?.answer?.outcome;
  return outcome ? <span className={`tag ${TONES[outcome]}`}>hypothesis {outcome}</span> : null;
}

const minus = (text: string): string => text.replace('-', '−');
/** Share → points with one digit, never −0.0. */
export const point = (share: number): string => minus((100 * share).toFixed(1)).replace(/^−0\.0$/, '0.0');
export const signed = (share: number): string => (share > 0 ? '+' : '') + point(share);

/** Mean ± sd over seeds, in percent; no sd at n = 1. */
export function Mean({ of }: { of: Cell | null }) {
  if (!of) return <>–</>;
  return (
    <>
      {point(of.mean)}
      {of.sd === null ? null : <span className="sd"> ± {point(of.sd)}</span>}
    </>
  );
}

/** `40 of 50 lines × seeds`: how much of the question is there; nothing where its standing says it all. */
export function progressOf({ done, planned }: Pick<Sheet, 'done' | 'planned'>): string {
  if (done === 0) return '';
  return done === planned ? `all ${planned} lines × seeds` : `${done} of ${planned} lines × seeds`;
}
