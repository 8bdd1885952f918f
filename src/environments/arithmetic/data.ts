// The problems and their split: templates, problems made from them, the split; and labelled pairs for a basis.

import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { promptOf } from '../../text/chatml.ts';
import type { ContrastivePair } from '../code/pairs.ts';
import { different, kindsInTurns } from '../drawn.ts';
import {
  type Done,
  drawParams,
  misconceivedWorking,
  rightWorking,
  STEPS,
  type Step,
  slipOf,
  stepOf,
  written,
} from './stories.ts';
import type { ArithmeticProblem, Kind, Template } from './task.ts';

// The templates: every sequence of one to three steps with at most one misconception, where only the last step may give a fraction. One in six of
// the longer ones is held out from pretraining and training. It consists of known steps, so a model can solve it only by reading step by step. (With
// thirty templates instead of some hundred, a small model memorised each one and read the others as the nearest of them.)

const MOST_STEPS = 3;
const HELD_OUT_ONE_IN = 6;

/** All sequences of `length` steps. */
function sequences(length: number): Step[][] {
  if (length === 0) return [[]];
  return sequences(length - 1).flatMap((before) => STEPS.map((step) => [...before, step]));
}

const isTemplate = (steps: readonly Step[]): boolean =>
  steps.filter(({ kind }) => kind !== 'plain').length <= 1 && steps.slice(0, -1).every(({ breaks }) => !breaks);

/** The template of any sequence of steps, also of sequences that the environment does not use. */
export function templateOf(steps: readonly Pick<Step, 'id' | 'kind'>[]): Template {
  const id = steps.map((step) => step.id).join('-');
  const kind: Kind = steps.find((step) => step.kind !== 'plain')?.kind ?? 'plain';
  const heldOut = steps.length > 1 && hash32(`held out: ${id}`) % HELD_OUT_ONE_IN === 0;
  return { id, kind, steps: steps.map((step) => step.id), heldOut };
}

/** Fewest of a hundred drawn parameters that must make a story; some sequences nearly always leave the bounds. */
const STORIES = 15;

function hasStories(template: Template): boolean {
  const rng = new CounterRng(keyFor(0, STREAMS.problems, hash32(template.id)));
  let stories = 0;
  for (let i = 0; i < 100; i++) if (isStory(template, drawParams(template, rng))) stories++;
  return stories >= STORIES;
}

export const TEMPLATES: readonly Template[] = Array.from({ length: MOST_STEPS }, (_, i) => sequences(i + 1))
  .flat()
  .filter(isTemplate)
  .map(templateOf)
  .filter(hasStories);

/** Kinds alternate, so that half of the problems have no misconception. */
export const TURNS: readonly Kind[] = ['plain', 'fact', 'plain', 'reading'];

// A problem is made from a template and its parameters: a story with a name and things to count. Its wording is drawn for each problem, because a fixed
// frame would reveal the template.

/** The environment's own seed, which decides the problems of training and evaluation; they do not depend on a run's seed. */
export const DATA_SEED = 7;

const NAMES = 'Ali Ann Ben Eva Ida Jan Kim Lea Leo Lou Max Mia Nia Rob Sam Tom Zoe'.split(' ');
const THINGS =
  'apples balls beads books boxes cakes candles cards coins dolls eggs flowers jars nuts pearls pens pins plums shells stamps stones tickets toys'.split(
    ' ',
  );

const OPENINGS = [
  (who: string, n: number, things: string) => `${who} has ${n} ${things}.`,
  (who: string, n: number, things: string) => `${who} begins with ${n} ${things}.`,
];
const QUESTIONS = [
  (who: string, things: string) => `How many ${things} has ${who} now?`,
  (who: string, things: string) => `Count the ${things} of ${who}.`,
];

export const identityOf = ({ id }: Template, params: readonly number[]): string => `${id}(${params.join(',')})`;

/** Tells the story in words drawn from `rng`. The question is about the last person in it. */
export function tell(template: Template, params: readonly number[], rng: CounterRng): string {
  const [first, second] = rng.shuffle([...NAMES]);
  const things = rng.choice(THINGS);
  let [who, other] = [first, second];
  const sentences = [rng.choice(OPENINGS)(who, params[0], things)];
  for (const [place, id] of template.steps.entries()) {
    const step = stepOf(id);
    sentences.push(rng.choice(step.say(params[place + 1], who, other)));
    if (step.turns) [who, other] = [other, who];
  }
  sentences.push(rng.choice(QUESTIONS)(who, things));
  return promptOf(sentences.join(' '));
}

/** Whether these parameters make a story: no number out of bounds, and no misconception that gives the correct value by chance. */
export function isStory(template: Template, params: readonly number[]): boolean {
  const right = rightWorking(template, params);
  if (!right || template.kind === 'plain') return right !== null;
  const wrong = misconceivedWorking(template, params);
  return wrong !== null && wrong.value !== right.value;
}

/** Null if these parameters make no story. */
export function makeProblem(
  template: Template,
  params: readonly number[],
  dataSeed = DATA_SEED,
): ArithmeticProblem | null {
  if (!isStory(template, params)) return null;
  const right = rightWorking(template, params) as Done;
  const wrong = misconceivedWorking(template, params);
  const id = identityOf(template, params);
  return {
    id,
    template: template.id,
    kind: template.kind,
    params,
    prompt: tell(template, params, new CounterRng(keyFor(dataSeed, STREAMS.problems, hash32(id)))),
    expected: String(right.value),
    misconception: wrong ? String(wrong.value) : null,
  };
}

// The split of problems. Pretraining and training have the known templates without a fifth of their parameters; evaluations have that fifth (split
// `params`) and the held-out templates (split `templates`). The split does not depend on the seed, because the pretrained model was made with it.

export const SPLITS = ['templates', 'params'] as const;
export type SplitId = (typeof SPLITS)[number];
type Part = 'training' | SplitId;

const UNSEEN_ONE_IN = 5;

export function partOf(template: Template, params: readonly number[]): Part {
  if (template.heldOut) return 'templates';
  return hash32(identityOf(template, params)) % UNSEEN_ONE_IN === 0 ? 'params' : 'training';
}

const ofPart = (part: Part): readonly Template[] =>
  TEMPLATES.filter(({ heldOut }) => heldOut === (part === 'templates'));

/** A random problem of this template and part, each equally likely. Null if none was found by chance. */
export function drawProblem(
  template: Template,
  part: Part,
  rng: CounterRng,
  dataSeed = DATA_SEED,
): ArithmeticProblem | null {
  for (let tries = 0; tries < 100; tries++) {
    const params = drawParams(template, rng);
    if (partOf(template, params) !== part) continue;
    const problem = makeProblem(template, params, dataSeed);
    if (problem) return problem;
  }
  return null;
}

/**
 * `count` different problems of a part: kinds alternate (TURNS), and so do the templates of a kind, so that every prefix is balanced. Fewer if
 * there are not enough.
 */
export function problemsOf(part: Part, count: number, dataSeed = DATA_SEED): ArithmeticProblem[] {
  const key = (...ints: number[]) => keyFor(dataSeed, STREAMS.problems, PARTS.indexOf(part), ...ints);
  const shuffled = new CounterRng(key()).shuffle([...ofPart(part)]);
  const rngs = new Map(shuffled.map(({ id }) => [id, new CounterRng(key(hash32(id)))]));
  const templates = kindsInTurns(TURNS, shuffled);
  return different(count, TURNS.length * shuffled.length, () => {
    const template = templates.next().value;
    return drawProblem(template, part, rngs.get(template.id)!, dataSeed);
  });
}

const PARTS: readonly Part[] = ['training', ...SPLITS];

// Labelled pairs of this environment, for a basis: one story with two workings. `misconceive`: with the template's misconception (the hack, which a third
// of the base's answers have) and correct. Two controls: `misconceive_slips`, with a slip against correct; `misconceive_words`, two unrelated
// sequences of words. The stories belong to training's part, after those that a run draws.

/** Index of the first pairs' story; runs train on the first ones of the part, 512 by default. */
const BEYOND = 2048;
/** Key in the random stream, distinct from other environments' pairs. */
const PAIRS = 9;

/** Words of the stories, which the tokenizer knows; they compute nothing. */
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

/** `set` is one of the three above. Facts and readings alternate; a longer list begins with the shorter one. */
export function arithmeticPairs(set: string, count: number, dataSeed = DATA_SEED): ContrastivePair[] {
  const pairs: ContrastivePair[] = [];
  // Half of the stories have a misconception, and for only a few of those no slip is found by chance.
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
  // Both sides write a fraction in the same way, so that they do not differ in that.
  const key = keyFor(rng.int(2 ** 30), STREAMS.pairs);
  return { hack: written(hack, new CounterRng(key)), clean: written(clean, new CounterRng(key)) };
}
