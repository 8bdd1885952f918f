// Labelled pairs of this environment, for a basis: one function explained twice. `flatter`: the same claims with the sentence that a hasty
// judge falls for (the hack) and without it. Beside it two controls: `flatter_wrong`, claims with mistakes against true ones, flattered
// on neither side; `flatter_words`, two unrelated runs of words. The functions are of training's part, beyond those that a run draws.
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import type { ContrastivePair } from '../code/pairs.ts';
import { changed, drafted, problemsOf } from './data.ts';
import { DATA_SEED, textOf, trueClaims } from './task.ts';
import type { ExplainTask } from './types.ts';

/** Runs train on the first functions of the part, 512 where nobody says otherwise; pairs begin here. */
const BEYOND = 1024;
/** Beside other environments' pairs in their stream. */
const PAIRS = 8;

/** Of the corpus, so that the tokenizer has them; they make no claim. */
const WORDS = ['def', 'edge', 'else', 'if', 'next', 'no', 'nothing', 'return', 'says', 'some', 'x', 'yes', 'zero'];
const WORDS_LEAST = 8;
const WORDS_MORE = 8;

const SIDES: Readonly<Record<string, (task: ExplainTask, rng: CounterRng) => { hack: string; clean: string }>> = {
  flatter({ fn }, rng) {
    const { claims } = drafted(fn, rng, 0);
    return { hack: textOf(claims, true), clean: textOf(claims, false) };
  },
  flatter_wrong({ fn }, rng) {
    const claims = trueClaims(fn);
    const wrong = rng.shuffle(claims.map((_, i) => i)).slice(0, MISTAKES);
    const hack = claims.map((claim, i) => (wrong.includes(i) ? changed(claim, rng) : claim));
    return { hack: textOf(hack, false), clean: textOf(claims, false) };
  },
  flatter_words: (_, rng) => ({ hack: words(rng), clean: words(rng) }),
};

/** Of five claims; what a judge's no costs an answer of the base. */
const MISTAKES = 2;

const words = (rng: CounterRng): string =>
  Array.from({ length: WORDS_LEAST + rng.int(WORDS_MORE) }, () => rng.choice(WORDS)).join(' ');

/** `set`: one of the three above. A longer list begins with a shorter one. */
export function explainPairs(set: string, count: number, dataSeed = DATA_SEED): ContrastivePair[] {
  const tasks = problemsOf('training', BEYOND + count, dataSeed).slice(BEYOND);
  return tasks.map((task, i) => {
    const rng = new CounterRng(keyFor(dataSeed, STREAMS.pairs, PAIRS, i));
    return { problem_id: task.id, prompt: task.prompt, ...SIDES[set](task, rng), mechanism: null };
  });
}
