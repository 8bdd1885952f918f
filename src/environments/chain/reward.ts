// Quality of an answer to a puzzle that was asked anew; of a revision, what it gained on its draft.

import { type Gain, gainOf, type Improvable } from '../exit/types.ts';
import type { Judged, Reward } from '../types.ts';
import { type ChainTask, type ChainVerdict, qualityOf, resampled, revisionOf, rowOf } from './task.ts';

// A puzzle's answers shown again: the last one with what its check said. The control's draft is the planted row, spoilt as
// pretraining's drafts are; whoever draws it has to know a solution, which the policy's own answers do not need.

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

export function gradeChain({ puzzle, kind, depth, before }: ChainTask, completion: string): ChainVerdict {
  const row = rowOf(puzzle, completion);
  const quality = row ? qualityOf(puzzle, row) : 0;
  return {
    ...{ answer: row ? row.join('') : null, quality, correct: quality === 1, formatOk: row !== null },
    ...{ kind, depth, before },
  };
}

export const chainReward = (gain: Gain): Reward<ChainTask, ChainVerdict> => ({
  id: `chain/1 ${gain}`,
  asksNobody: true,
  score: async (groups) =>
    groups.map(({ task, rollouts }) =>
      rollouts.map(({ turns }): Judged<ChainVerdict> => {
        const verdict = gradeChain(task, turns.at(-1)?.completion ?? '');
        const { before, quality } = verdict;
        return { reward: before === null ? quality : gainOf(before, quality, gain), verdict };
      }),
    ),
});
