// Trains the tokenizer of a small model. It is separate from the model's description (pretraining.ts), which the page's worker has, since
// only pretraining needs it.
import { tokenizerTexts } from '../text/bpe-train.ts';
import { END_OF_TURN } from '../text/chatml.ts';
import type { TokenizerTexts, Transcript } from './pretraining.ts';

/** A tokenizer trained on every turn of `samples` samples. */
export function tokenizerOf(
  samples: number,
  sample: (index: number) => Transcript,
  vocabulary?: number,
): TokenizerTexts {
  const corpus = function* () {
    for (let i = 0; i < samples; i++) {
      const { prompt, completion, further = [] } = sample(i);
      for (const turn of [{ prompt, completion }, ...further]) yield `${turn.prompt}${turn.completion}${END_OF_TURN}`;
    }
  };
  return tokenizerTexts(corpus(), vocabulary);
}
