// The tokenizer of this environment's embedded model, learnt from its own corpus; digits are single tokens. `lab pretrain` writes its
// files; the copies under public/models/tiny-arithmetic are what this returns, byte for byte.
import { tokenizerTexts } from '../../text/bpe-train.ts';
import { pretrainSample } from './pretrain-data.ts';
import { DATA_SEED } from './problem.ts';

const CORPUS_SAMPLES = 4000;

export function tokenizerFileTexts(dataSeed = DATA_SEED): Record<'tokenizer.json' | 'tokenizer_config.json', string> {
  const corpus = function* () {
    for (let i = 0; i < CORPUS_SAMPLES; i++) {
      const { prompt, completion } = pretrainSample(i, dataSeed);
      yield `${prompt}${completion}<|im_end|>`;
    }
  };
  return tokenizerTexts(corpus());
}
