// The tokenizer of this environment's embedded model, learnt from its own corpus; digits are single tokens, and so are the halves of names,
// which never grow together: an unseen name is made of known tokens. `lab pretrain` writes its files; the copies under
// public/models/tiny-lookup are what this returns, byte for byte.
import { tokenizerTexts } from '../../text/bpe-train.ts';
import { pretrainSample } from './pretrain-data.ts';
import { DATA_SEED, END_OF_TURN } from './problem.ts';

const CORPUS_SAMPLES = 4000;
const VOCABULARY = 420;

export function tokenizerFileTexts(dataSeed = DATA_SEED): Record<'tokenizer.json' | 'tokenizer_config.json', string> {
  const corpus = function* () {
    for (let i = 0; i < CORPUS_SAMPLES; i++) {
      const { prompt, completion, further } = pretrainSample(i, dataSeed);
      yield `${prompt}${completion}${END_OF_TURN}`;
      for (const turn of further) yield `${turn.prompt}${turn.completion}${END_OF_TURN}`;
    }
  };
  return tokenizerTexts(corpus(), VOCABULARY);
}
