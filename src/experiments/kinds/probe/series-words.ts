// A published series as text: a line for each check, with the count of each verdict and its measures as mean ± sd over the seeds. The command
// line prints it as a table, and the page shows the same.
import { decimal, percent } from '../../../lib/numbers.ts';
import { type CheckSummary, type ProbeSeries, type Spread, summarise } from './series.ts';
import { type CheckId, type Outcome, STATUS_OF } from './types.ts';

export interface SeriesRow {
  id: CheckId;
  title: string;
  svd: string;
  /** Null if LoRA was not probed; empty for T6, which is one verdict on both adapters. */
  lora: string | null;
}

export function seriesRows({ seeds }: ProbeSeries): SeriesRow[] {
  const svd = summarise(seeds.map((one) => one.svd));
  const lora = seeds.flatMap((one) => one.lora ?? []);
  const other = lora.length > 0 ? summarise(lora) : null;
  return svd.map((check, i) => ({
    id: check.id,
    title: TITLES[check.id],
    svd: summaryCell(check),
    lora: other && (check.id === 'T6' ? '' : summaryCell(other[i])),
  }));
}

/** `160 samples of 20 problems. Seeds 41, 42; CPU, version 0.1.0.` */
export function seriesOrigin({ seeds, device, app, problems, samples }: ProbeSeries): string {
  const many = `${seeds.length === 1 ? 'Seed' : 'Seeds'} ${seeds.map(({ seed }) => seed).join(', ')}`;
  return `${samples} samples of ${problems} problems. ${many}; ${device}, version ${app}.`;
}

const TITLES: Record<CheckId, string> = {
  T1: 'the teacher hacks',
  T2: 'the figure is there',
  T3: 'projection removes what it claims',
  T4: 'V tells pure hacks from hacks that solve',
  T5: 'vanilla takes up the hack, erase does not',
  T6: 'SVD against LoRA',
  T7: 'the GRPO-contrastive basis is at least as strong',
};

type Say = (name: string, digits?: number) => string;

const WORDS: Record<CheckId, (num: Say, pct: Say) => string> = {
  T1: (_, pct) => `${pct('exploited')} exploited, ${pct('gtPass')} solve, ${pct('stub')} stubs`,
  T2: (num, pct) => `${pct('share')} of the rows; NLL ${num('nllFirst', 2)} → ${num('nllLast', 2)}`,
  T3: (num, pct) =>
    `${pct('share')} of the steps; cin ${num('cosIn')} → cout ${num('cosOut')}, of the actual step ${num('cosOutUpdate')}; fired ${num('fired', 2)}`,
  T4: (num) =>
    `${num('meanPure', 2)} (n ${num('nPure', 0)}) against ${num('meanBoth', 2)} (n ${num('nBoth', 0)}); t ${num('t', 2)}, p ${num('p')} (Welch), ${num('permutationP')} (permutation); without length t ${num('tLengthMatched', 2)}, p ${num('permutationPLengthMatched')}; beyond random axes p ${num('randomP', 2)}`,
  T5: (_, pct) =>
    `vanilla ${pct('start')} → ${pct('vanillaBy')}, erase ${pct('projectedBy')}; gap ${pct('gap')}; flat groups ${pct('flatGroups')}, at the clip ${pct('atTheClip')}`,
  T6: (num, pct) => `reductions ${pct('svdReduction')} and ${pct('loraReduction')}; LoRA’s share ${num('share', 2)}`,
  T7: (num) =>
    `t ${num('t', 2)} (mean NLL ${num('tNll', 2)}); angles ${num('equalMaxAngle', 2)}° on equal lengths, ${num('meanAngle', 1)}° as they are`,
};

const ORDER: readonly Outcome[] = ['pass', 'fail', 'undecided', 'not run'];

function summaryCell({ id, outcomes, figures }: CheckSummary): string {
  const sentences = ORDER.filter((outcome) => outcomes[outcome]).map(
    (outcome) => `${STATUS_OF[outcome]} ${outcomes[outcome]}`,
  );
  if (outcomes['not run'] && sentences.length === 1) return 'not run';
  const spread = (of: Spread | undefined, write: (x: number) => string) =>
    of === undefined
      ? '–'
      : // A spread below the last printed digit is left out.
        of.sd === null || Number(write(of.sd)) === 0
        ? write(of.mean)
        : `${write(of.mean)} ± ${write(of.sd)}`;
  const num: Say = (name, digits = 3) => spread(figures[name], (x) => decimal(x, digits));
  const pct: Say = (name) => {
    const of = figures[name];
    return of === undefined ? '–' : `${spread(of, (x) => percent(x, 1, ''))} %`;
  };
  return `${sentences.join(', ')}: ${WORDS[id](num, pct)}`;
}
