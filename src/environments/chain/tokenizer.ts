// The tokenizer of this environment's embedded model, learnt from its own corpus: every relation with its mark is one token, and so is every
// digit. `lab pretrain` writes its files; the copies under public/models/tiny-chain are what this returns, byte for byte.
import { tokenizerTexts } from '../../text/bpe-train.ts';
import { pretrainSample } from './pretrain-data.ts';
import { END_OF_TURN } from './prompt.ts';
import { DATA_SEED } from './puzzle.ts';

const CORPUS_SAMPLES = 1000;
const VOCABULARY = 296;

export function tokenizerFileTexts(dataSeed = DATA_SEED): Record<'tokenizer.json' | 'tokenizer_config.json', string> {
  const corpus = function* () {
    for (let i = 0; i < CORPUS_SAMPLES; i++) {
      const { prompt, completion } = pretrainSample(i, dataSeed);
      yield `${prompt}${completion}${END_OF_TURN}`;
    }
  };
  return tokenizerTexts(corpus(), VOCABULARY);
}
