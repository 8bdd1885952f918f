// Names of the puzzles' arms, the rows shared by several questions, and the docs' format of differences.

import type { ImproveRow } from '../../../src/experiments/exit/rows.ts';
import type { Estimate } from '../../../src/experiments/judge/estimate.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { three } from '../../../src/lib/numbers.ts';
import type { Rows } from '../../judge/types.ts';
import type { ShownArm } from './curves.ts';

/** Data for a question of self-improvement: chains, and the runs that trained the models. */
export interface ExitData {
  rows: readonly ImproveRow[];
  runs: readonly RunRecord[];
}

export const readOf =
  (files: readonly string[], trained: readonly string[]) =>
  (rows: Rows): ExitData => ({
    rows: files.flatMap((file) => rows.lines<ImproveRow>(file)),
    runs: trained.flatMap((file) => rows.runs(file)),
  });

/** Five seeds of ExIt, GRPO and the controls, and the runs that trained them. */
export const FIVE = ['exit/e1.jsonl.gz', 'exit/controls.jsonl.gz'];
export const FIVE_TRAINED = ['exit/e1-training.json.gz', 'exit/controls-training.json.gz'];
export const UNIT = 'training seeds';
/** Command that makes rows of trained runs. */
export const MADE = 'npm run lab -- improve --run DIR --ways sampled --seeds 4 --out FILE';

export const SHOWN: readonly ShownArm[] = [
  ['base', 'base', 'base'],
  ['none', 'GRPO', 'none'],
  ['exit', 'ExIt', 'exit'],
  ['exit_uniform', 'chosen evenly', 'exit_uniform'],
  ['exit_drafts', 'random drafts', 'exit_drafts'],
  ['exit_depth1', 'first answers alone', 'exit_depth1'],
  ['exit_best', 'the best goes on', 'exit_best'],
  ['exit_clipped', 'clipped gain', 'exit_clipped'],
  ['exit_full', 'divergence and diversity', 'exit_full'],
  ['exit_diverge', 'divergence alone', 'exit_diverge'],
  ['exit_diverse', 'diversity alone', 'exit_diverse'],
];
export const shownArms = (...arms: string[]): ShownArm[] => SHOWN.filter(([arm]) => arms.includes(arm));

/** Shared part of the questions of these five seeds. */
export const FIVE_SEEDS_QUESTION = {
  unit: UNIT,
  section: 'Five seeds, and the controls',
  files: [...FIVE, ...FIVE_TRAINED],
  commands: [
    'npm run lab -- run --environment chain --arms none,exit,exit_uniform,exit_drafts,exit_depth1,exit_best,exit_clipped,exit_full --seeds 41,42,43,44,45 --set evalEvery=0 --set finalEvalProblems=32 --set checkpointEvery=50 --out DIR',
    MADE,
    `zcat ${FIVE.map((file) => `public/results/${file}`).join(' ')} > FILE && npm run research -- tables exit FILE`,
  ],
};

/** An estimate's values, seed by seed, in the docs' format. */
export const valuesLine = ({ each }: Estimate): string => each.map(({ value }) => three(value)).join(' ');
