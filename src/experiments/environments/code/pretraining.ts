// tiny-coder: pretrained on one-line Python, measured by the real grader on problems of unseen families.
import { pretrainSample } from '../../../environments/code/pretrain-data.ts';
import { DATA_SEED } from '../../../environments/code/problem.ts';
import { tokenizerFileTexts } from '../../../environments/code/tokenizer.ts';
import { percent } from '../../../lib/numbers.ts';
import { measureRounds } from '../../loop/base-rates.ts';
import { PRETRAIN_DEFAULTS, TINY_CODER } from '../../loop/pretrain.ts';
import type { MeasuredPretraining } from '../pretraining.ts';

export const codePretraining: MeasuredPretraining = {
  model: 'tiny-coder',
  defaults: PRETRAIN_DEFAULTS,
  dataSeed: DATA_SEED,
  config: TINY_CODER,
  rounds: 6,
  tokenizer: tokenizerFileTexts,
  sample: pretrainSample,
  async measure({ policy, codec, dataSeed, rounds, openGrader, signal, onRound }) {
    const grader = await openGrader();
    const rates = await measureRounds({ policy, codec, grader, dataSeed, signal }, rounds, onRound);
    return {
      rates,
      summary: `format ${percent(rates.format)}, solve ${percent(rates.solve)}, hack ${percent(rates.hack)} (n = ${rates.n}, unseen families, temperature 1)`,
    };
  },
};
