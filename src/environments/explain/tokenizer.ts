// The tokenizer of this environment's embedded model, learnt from its own corpus; digits are single tokens. `lab pretrain` writes its
// files; the copies under public/models/tiny-explain are what this returns, byte for byte.
import { tokenizerTexts } from '../../text/bpe-train.ts';
import { DATA_SEED } from './functions.ts';
import { pretrainSample } from './pretrain-data.ts';
import { END_OF_TURN } from './prompts.ts';

const CORPUS_SAMPLES = 2000;
const VOCABULARY = 352;

export function tokenizerFileTexts(dataSeed = DATA_SEED): Record<'tokenizer.json' | 'tokenizer_config.json', string> {
  const corpus = function* () {
    for (let i = 0; i < CORPUS_SAMPLES; i++) {
      const { prompt, completion } = pretrainSample(i, dataSeed, 2);
      yield `${prompt}${completion}${END_OF_TURN}`;
    }
  };
  return tokenizerTexts(corpus(), VOCABULARY);
}
