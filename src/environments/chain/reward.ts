// Quality of an answer to a puzzle that was asked anew; of a revision, what it gained on its draft.
import { type Gain, gainOf } from '../exit/types.ts';
import type { Judged, Reward } from '../types.ts';
import { qualityOf, rowOf } from './puzzle.ts';
import type { ChainTask, ChainVerdict } from './types.ts';

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
