// tiny-arithmetic: the embedded shape, pretrained on the workings of the known templates, measured on what pretraining has not seen.
import { pretrainSample } from '../../../environments/arithmetic/pretrain-data.ts';
import { DATA_SEED } from '../../../environments/arithmetic/problem.ts';
import { tokenizerFileTexts } from '../../../environments/arithmetic/tokenizer.ts';
import { PRETRAIN_DEFAULTS, TINY_CODER } from '../../loop/pretrain.ts';
import type { Pretraining } from '../pretraining.ts';
import { measureArithmetic } from './measure.ts';

export const arithmeticPretraining: Pretraining = {
  model: 'tiny-arithmetic',
  defaults: { ...PRETRAIN_DEFAULTS, steps: 900, warmupSteps: 60 },
  dataSeed: DATA_SEED,
  config: TINY_CODER,
  rounds: 8,
  tokenizer: tokenizerFileTexts,
  sample: pretrainSample,
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
