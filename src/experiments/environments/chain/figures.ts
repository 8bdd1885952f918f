// What a set of judged answers shows: quality of first answers, and what revisions did to their drafts.
import type { ChainVerdict } from '../../../environments/chain/types.ts';
import { shareOf } from '../../../environments/figures.ts';
import { mean } from '../../../stats/index.ts';
import type { Rates } from '../../records/figures.ts';
import type { JudgedTask } from '../../step/environment.ts';

type Judged = JudgedTask<unknown, ChainVerdict>;

export function chainFigures(items: readonly Judged[]): Rates {
  const first = items.filter(({ verdict }) => verdict.before === null);
  const revised = items.filter(({ verdict }) => verdict.before !== null);
  const figures = {
    quality: mean(first.map(({ verdict }) => verdict.quality)),
    solve: shareOf(first, ({ correct }) => correct),
    format: shareOf(items, ({ formatOk }) => formatOk),
    // Of runs that revise alone.
    ...(revised.length > 0 && {
      revised: revised.length / items.length,
      depth: mean(revised.map(({ verdict }) => verdict.depth)),
      fixed: shareOf(revised, ({ correct }) => correct),
      worse: shareOf(revised, ({ quality, before }) => quality < before!),
    }),
  };
  return { n: items.length, figures };
}
