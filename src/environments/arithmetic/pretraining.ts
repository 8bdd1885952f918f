// tiny-arithmetic: the embedded shape, pretrained on the workings of the known templates and on making one right working out of several
// attempts: two samples in five at first, of few attempts, which are to be foretold too; then three in five, of up to eight. Measured
// on what pretraining has not seen.

import { PRETRAIN_DEFAULTS, type Pretraining, TINY_CODER } from '../pretraining.ts';
import { measureArithmetic } from './measure.ts';
import { pretrainSample } from './pretrain-data.ts';
import { DATA_SEED } from './problem.ts';
import { foretold, synthesisSample } from './synthesis-data.ts';
import { tokenizerFileTexts } from './tokenizer.ts';

/** Of so many samples in a row, so many are workings; the others are syntheses. */
const EVERY = 5;
const SOLVED = { 1: 3, 2: 2 } as const;

export const arithmeticPretraining: Pretraining = {
  model: 'tiny-arithmetic',
  defaults: { ...PRETRAIN_DEFAULTS, steps: 1300, warmupSteps: 60, secondStageFrom: 0.6 },
  dataSeed: DATA_SEED,
  // Sixteen attempts are read at once.
  config: { ...TINY_CODER, maxPositions: 1024 },
  rounds: 8,
  tokenizer: tokenizerFileTexts,
  sample(index, dataSeed, stage) {
    if (index % EVERY < SOLVED[stage]) return pretrainSample(index, dataSeed);
    const sample = synthesisSample(index, dataSeed, stage);
    return stage === 1 ? foretold(sample) : sample;
  },
  async measure({ rounds, onRound, ...input }) {
    const { all, first } = await measureArithmetic(input, rounds, onRound);
    const percent = (x: number) => `${(100 * x).toFixed(1)}%`;
    const { solve, format, n, splits } = all;
    return {
      rates: { ...all, first },
      summary: `solve ${percent(solve)} (held-out templates ${percent(splits.templates.solve)}, unseen parameters ${percent(splits.params.solve)}), format ${percent(format)} (n = ${n}, temperature 1)`,
    };
  },
};
