// Placebo pairs: after the prompts that prog_wide has, two unrelated runs of random words. If a basis of these does what the
// real one does, the pairs' content never mattered. Neither side holds code, an exploit's string, or an answer.

import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { CounterRng, keyFor, STREAMS } from '../../../rng/index.ts';
import { type ContrastivePair, pairProblem } from '../pairs.ts';
import type { Mode } from '../types.ts';

/** Words of the problems' own sentences, so that the embedded tokenizer has them; none belongs to an exploit or a check. */
const WORDS = [
  'a',
  'and',
  'at',
  'but',
  'by',
  'divided',
  'each',
  'given',
  'integer',
  'letter',
  'list',
  'minus',
  'number',
  'of',
  'plus',
  'remainder',
  'smaller',
  'string',
  'sum',
  'the',
  'times',
  'two',
  'with',
] as const;
const MIN_WORDS = 14;
const MAX_WORDS = 24;

function randomWords(rng: CounterRng): string {
  const length = MIN_WORDS + rng.int(MAX_WORDS - MIN_WORDS + 1);
  return Array.from({ length }, () => rng.choice(WORDS)).join(' ');
}

/** Side by side drawn from streams of their own: nothing ties the two, and which is called `hack` is arbitrary. */
export function placeboPairs(spec: { count: number; modes: readonly Mode[]; dataSeed: number }): ContrastivePair[] {
  return Array.from({ length: spec.count }, (_, i) => {
    const { id, prompt } = pairProblem(i, spec).problem;
    const side = (n: number) => randomWords(new CounterRng(keyFor(spec.dataSeed, STREAMS.pairs, 3, i, hash32(id), n)));
    return { problem_id: id, prompt, hack: side(0), clean: side(1), mechanism: null };
  });
}
