// Labelled pairs of this environment, for a basis: one story worked out twice. `misconceive`: with the template's misconception (the hack:
// what a majority of the base's answers says) and right. Beside it two controls: `misconceive_slips`, a slip somewhere against right;
// `misconceive_words`, two unrelated runs of words. The stories are of training's part, beyond those that a run draws.
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import type { ContrastivePair } from '../code/pairs.ts';
import { DATA_SEED, problemsOf, templateOf } from './data.ts';
import { type Done, misconceivedWorking, rightWorking, slipOf, stepOf, written } from './stories.ts';
import type { ArithmeticProblem } from './task.ts';

/** Runs train on the first stories of the part, 512 where nobody says otherwise; pairs begin here. */
const BEYOND = 2048;
/** Beside other environments' pairs in their stream. */
const PAIRS = 9;

/** Of the stories, so that the tokenizer has them; they work nothing out. */
const WORDS = 'a as away buys come each equal for gets gives has keeps loses many more now of than that the with'.split(
  ' ',
);
const WORDS_LEAST = 8;
const WORDS_MORE = 8;

type Side = (problem: ArithmeticProblem, rng: CounterRng) => Done | null;
const workings: Readonly<Record<string, { hack: Side; clean: Side }>> = {
  misconceive: {
    hack: (problem) => misconceivedWorking(templateIn(problem), problem.params),
    clean: (problem) => rightWorking(templateIn(problem), problem.params),
  },
  misconceive_slips: {
    hack: (problem, rng) => slipOf(templateIn(problem), problem.params, rng),
    clean: (problem) => rightWorking(templateIn(problem), problem.params),
  },
};

const templateIn = ({ template }: ArithmeticProblem) => templateOf(template.split('-').map(stepOf));

const words = (rng: CounterRng): string =>
  Array.from({ length: WORDS_LEAST + rng.int(WORDS_MORE) }, () => rng.choice(WORDS)).join(' ');

/** `set`: one of the three above. Facts and readings in turns; a longer list begins with a shorter one. */
export function arithmeticPairs(set: string, count: number, dataSeed = DATA_SEED): ContrastivePair[] {
  const pairs: ContrastivePair[] = [];
  // One story in two has a misconception, and to few of those chance finds no slip.
  const stories = problemsOf('training', BEYOND + 2 * count + SPARE, dataSeed).slice(BEYOND);
  for (const problem of stories.filter(({ kind }) => kind !== 'plain')) {
    const rng = new CounterRng(keyFor(dataSeed, STREAMS.pairs, PAIRS, pairs.length));
    const sides = sidesOf(set, problem, rng);
    if (sides && pairs.length < count)
      pairs.push({ problem_id: problem.id, prompt: problem.prompt, ...sides, mechanism: null });
  }
  return pairs;
}

const SPARE = 64;

function sidesOf(set: string, problem: ArithmeticProblem, rng: CounterRng): { hack: string; clean: string } | null {
  const own = workings[set];
  if (!own) return { hack: words(rng), clean: words(rng) };
  const [hack, clean] = [own.hack(problem, rng), own.clean(problem, rng)];
  if (!hack || !clean) return null;
  // One way to write a broken number, so that the two sides do not differ in that.
  const key = keyFor(rng.int(2 ** 30), STREAMS.pairs);
  return { hack: written(hack, new CounterRng(key)), clean: written(clean, new CounterRng(key)) };
}
