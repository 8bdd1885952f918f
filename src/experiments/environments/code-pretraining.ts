// The bases of one-line Python: pretrained on it, and measured by the real grader on problems of unseen families. Separate from code.ts, which
// every run of this environment loads.

import { pretrainSample } from '../../environments/code/model.ts';
import { DATA_SEED } from '../../environments/code/problem.ts';
import { tokenizerFileTexts } from '../../environments/code/tokenizer.ts';
import { CODE_MODELS, HYBRID } from '../../environments/code/types.ts';
import { PRETRAIN_DEFAULTS, TINY_CODER, TINY_HYBRID } from '../../environments/pretraining.ts';
import { percent } from '../../lib/numbers.ts';
import { measureRounds } from '../loop/base-rates.ts';
import type { MeasuredPretraining } from './pretraining.ts';

export function codePretraining(environment: string): MeasuredPretraining {
  const { model, families, mistakes } = CODE_MODELS[environment];
  return {
    model,
    defaults: PRETRAIN_DEFAULTS,
    dataSeed: DATA_SEED,
    config: environment === HYBRID ? TINY_HYBRID : TINY_CODER,
    rounds: 6,
    tokenizer: (dataSeed) => tokenizerFileTexts(dataSeed, families, mistakes),
    sample: (index, dataSeed, stage) => pretrainSample(index, dataSeed, stage, families, mistakes),
    async measure({ policy, codec, dataSeed, rounds, openGrader, signal, onRound }) {
      const grader = await openGrader();
      const rates = await measureRounds({ policy, codec, grader, dataSeed, families, signal }, rounds, onRound);
      return {
        rates,
        summary: `format ${percent(rates.format)}, solve ${percent(rates.solve)}, hack ${percent(rates.hack)} (n = ${rates.n}, unseen families, temperature 1)`,
      };
    },
  };
}
