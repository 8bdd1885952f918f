// A puzzle's answers shown again: the last one with what its check said. The control's draft is the planted row, spoilt as
// pretraining's drafts are; whoever draws it has to know a solution, which the policy's own answers do not need.
import type { Improvable } from '../exit/types.ts';
import { revisionOf } from './prompt.ts';
import { qualityOf, resampled } from './puzzle.ts';
import type { ChainTask, ChainVerdict } from './types.ts';

const DRAFT_RATES = [0.2, 0.4, 0.6, 1] as const;

export const chainImprovable: Improvable<ChainTask, ChainVerdict> = {
  id: ({ puzzle }) => puzzle.id,
  answerOf: ({ verdict: { answer, quality } }) => (answer === null ? null : { text: answer, quality }),
  revise: ({ puzzle }, history, how) => revisionOf(puzzle, history[history.length - 1].text, history.length, how),
  draft({ puzzle }, rng) {
    // A solution has nothing to revise.
    for (;;) {
      const row = resampled(puzzle.planted, rng.choice(DRAFT_RATES), puzzle.shape, rng);
      const quality = qualityOf(puzzle, row);
      if (quality < 1) return { text: row.join(''), quality };
    }
  },
};
