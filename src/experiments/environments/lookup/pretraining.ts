// tiny-lookup: the embedded shape, pretrained on transcripts with the tools, measured on what pretraining has not seen.
import { pretrainSample } from '../../../environments/lookup/pretrain-data.ts';
import { DATA_SEED } from '../../../environments/lookup/problem.ts';
import { tokenizerFileTexts } from '../../../environments/lookup/tokenizer.ts';
import { PRETRAIN_DEFAULTS, TINY_CODER } from '../../loop/pretrain.ts';
import type { Pretraining } from '../pretraining.ts';
import { measureLookup } from './measure.ts';

export const lookupPretraining: Pretraining = {
  model: 'tiny-lookup',
  defaults: { ...PRETRAIN_DEFAULTS, steps: 640, batch: 24, warmupSteps: 50 },
  dataSeed: DATA_SEED,
  config: TINY_CODER,
  rounds: 8,
  tokenizer: tokenizerFileTexts,
  sample: pretrainSample,
  async measure({ rounds, onRound, ...input }) {
    const { all, first } = await measureLookup(input, rounds, onRound);
    const percent = (x: number | null) => `${(100 * (x ?? 0)).toFixed(1)}%`;
    const { n, figures, splits } = all;
    return {
      rates: { ...all, first },
      summary: `solve ${percent(figures.solve)} (held-out shapes ${percent(splits.shapes.figures.solve)}, unseen names and numbers ${percent(splits.params.figures.solve)}), asked ${percent(figures.asked)}, turns ${figures.turns?.toFixed(2)} (n = ${n}, temperature 1)`,
    };
  },
};
