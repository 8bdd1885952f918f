// tiny-arithmetic: the embedded shape, pretrained on the workings of the known templates and, two samples in five, on making one right
// working out of several attempts; measured on what pretraining has not seen.
import { pretrainSample } from '../../../environments/arithmetic/pretrain-data.ts';
import { DATA_SEED } from '../../../environments/arithmetic/problem.ts';
import { synthesisSample } from '../../../environments/arithmetic/synthesis-data.ts';
import { tokenizerFileTexts } from '../../../environments/arithmetic/tokenizer.ts';
import { PRETRAIN_DEFAULTS, TINY_CODER } from '../../loop/pretrain.ts';
import type { Pretraining } from '../pretraining.ts';
import { measureArithmetic } from './measure.ts';

/** Of so many samples in a row, so many are workings; the others are syntheses, which are three times as long. */
const EVERY = 5;
const SOLVED = 3;

export const arithmeticPretraining: Pretraining = {
  model: 'tiny-arithmetic',
  defaults: { ...PRETRAIN_DEFAULTS, steps: 1400, warmupSteps: 60 },
  dataSeed: DATA_SEED,
  // Sixteen attempts are read at once.
  config: { ...TINY_CODER, maxPositions: 1024 },
  rounds: 8,
  tokenizer: tokenizerFileTexts,
  sample(index, dataSeed) {
    const [turn, at] = [Math.floor(index / EVERY), index % EVERY];
    return at < SOLVED
      ? pretrainSample(SOLVED * turn + at, dataSeed)
      : synthesisSample((EVERY - SOLVED) * turn + at - SOLVED, dataSeed);
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
