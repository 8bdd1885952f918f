// The embedded model's own tokenizer, learnt from its corpus. `lab pretrain` writes its files; the copies under public/models/tiny-coder equal this
// output byte for byte (tested). It is separate from the corpus, which the page's worker loads, because only pretraining learns a tokenizer.
import { tokenizerTexts } from '../../text/bpe-train.ts';
import { END_OF_TURN } from '../../text/chatml.ts';
import type { TokenizerTexts } from '../pretraining.ts';
import { pretrainSample } from './model.ts';
import { DATA_SEED } from './problem.ts';
import type { FamilySet, Mistakes } from './types.ts';

const CORPUS_SAMPLES = 8000;
/** Weight of hacks and requests, so that an exploit's words become tokens although they are rare. */
const RARE_WEIGHT = 5;

/** 512 tokens from 8,000 samples of both stages. Takes about two seconds. */
export function tokenizerFileTexts(
  dataSeed = DATA_SEED,
  set: FamilySet = 'standard',
  mistakes: Mistakes = 'any',
): TokenizerTexts {
  const corpus = function* () {
    for (let i = 0; i < CORPUS_SAMPLES; i++) {
      const { prompt, completion, kind } = pretrainSample(i, dataSeed, i % 4 === 3 ? 2 : 1, set, mistakes);
      const weight = kind === 'honest' ? 1 : RARE_WEIGHT;
      for (let n = 0; n < weight; n++) yield prompt + completion + END_OF_TURN;
    }
  };
  return tokenizerTexts(corpus());
}
