// Reward and metrics: the quality of a first answer; the gain of a revision over its draft.

import { mean } from '../../stats/index.ts';
import type { DrawnEnvironment } from '../drawn.ts';
import { type Gain, gainOf, type Improvable } from '../exit/types.ts';
import { type JudgedTask, type Rates, shareOf } from '../metrics.ts';
import { eachAlone, type OneTurn, type Reward } from '../types.ts';
import { problemsOf } from './data.ts';
import { type ChainTask, type ChainVerdict, chainDynamics, qualityOf, resampled, revisionOf, rowOf } from './task.ts';

// A revision shows the last answer with the result of its check. The control's draft is the planted row, corrupted like pretraining's;
// drawing it requires a solution, which the policy's own answers do not.

const DRAFT_RATES = [0.2, 0.4, 0.6, 1] as const;

export const chainImprovable: Improvable<ChainTask, ChainVerdict> = {
  id: ({ puzzle }) => puzzle.id,
  answerOf: ({ verdict: { answer, quality } }) => (answer === null ? null : { text: answer, quality }),
  revise: ({ puzzle }, history, how) => revisionOf(puzzle, history[history.length - 1].text, history.length, how),
  draft({ puzzle }, rng) {
    // A draft that is a solution leaves nothing to revise, so another one is drawn.
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
    answer: row ? row.join('') : null,
    quality,
    correct: quality === 1,
    formatOk: row !== null,
    kind,
    depth,
    before,
  };
}

export const chainReward = (gain: Gain): Reward<ChainTask, ChainVerdict> =>
  eachAlone(`chain/1 ${gain}`, (task, turns) => {
    const verdict = gradeChain(task, turns.at(-1)?.completion ?? '');
    const { before, quality } = verdict;
    return { reward: before === null ? quality : gainOf(before, quality, gain), verdict };
  });

// Metrics of a set of judged answers: the quality of first answers, and the changes of revisions to their drafts.

type Item = JudgedTask<unknown, ChainVerdict>;

export function chainMetrics(items: readonly Item[]): Rates {
  const first = items.filter(({ verdict }) => verdict.before === null);
  const revised = items.filter(({ verdict }) => verdict.before !== null);
  const figures = {
    quality: mean(first.map(({ verdict }) => verdict.quality)),
    solve: shareOf(first, ({ correct }) => correct),
    format: shareOf(items, ({ formatOk }) => formatOk),
    // Metrics that exist only in runs with revisions.
    ...(revised.length > 0 && {
      revised: revised.length / items.length,
      depth: mean(revised.map(({ verdict }) => verdict.depth)),
      fixed: shareOf(revised, ({ correct }) => correct),
      worse: shareOf(revised, ({ quality, before }) => quality < before!),
    }),
  };
  return { n: items.length, figures };
}

// Chain puzzles as an environment: drawn by seed, judged by their relations, revised step by step.

export const chainDrawn: DrawnEnvironment<ChainTask, OneTurn<ChainTask>, ChainVerdict, { gain: Gain }> = {
  dynamics: chainDynamics,
  reward: ({ gain }) => chainReward(gain),
  rewardPart: ({ gain }) => [gain],
  figures: chainMetrics,
  draw: problemsOf,
  improvable: chainImprovable,
  isChained: true,
};
