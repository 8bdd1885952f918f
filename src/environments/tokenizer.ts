// Learns the tokenizer of a small model. It is apart from the model's description (pretraining.ts), which the page's worker has: only a
// training learns one.
import { tokenizerTexts } from '../text/bpe-train.ts';
import { END_OF_TURN } from '../text/chatml.ts';
import type { TokenizerTexts, Transcript } from './pretraining.ts';

/** A tokenizer that learns from every turn of so many samples. */
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
