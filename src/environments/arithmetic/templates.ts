// The templates: every sequence of one to three steps, of which at most one has a misconception and only the last may break the
// number. One in six of the longer ones is held out, from pretraining and from training: it is made of the same steps, so that a
// model can solve it if it reads step by step, and only then. (With thirty templates instead of some hundred, a small model knew
// each by heart and read the others as the nearest of them.)

import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { isStory } from './problem.ts';
import { drawParams, STEPS, type Step } from './steps.ts';
import type { Kind, Template } from './types.ts';

const MOST_STEPS = 3;
const HELD_OUT_ONE_IN = 6;

/** Every sequence of so many steps. */
function sequences(length: number): Step[][] {
  if (length === 0) return [[]];
  return sequences(length - 1).flatMap((before) => STEPS.map((step) => [...before, step]));
}

const isTemplate = (steps: readonly Step[]): boolean =>
  steps.filter(({ kind }) => kind !== 'plain').length <= 1 && steps.slice(0, -1).every(({ breaks }) => !breaks);

/** Of any sequence of steps, one that is no template of the environment among them. */
export function templateOf(steps: readonly Pick<Step, 'id' | 'kind'>[]): Template {
  const id = steps.map((step) => step.id).join('-');
  const kind: Kind = steps.find((step) => step.kind !== 'plain')?.kind ?? 'plain';
  const heldOut = steps.length > 1 && hash32(`held out: ${id}`) % HELD_OUT_ONE_IN === 0;
  return { id, kind, steps: steps.map((step) => step.id), heldOut };
}

/** Of a hundred drawn parameters, so many must make a story: some sequences only ever grow out of bounds. */
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

/** Kinds in turns: half of the problems have no misconception. */
export const TURNS: readonly Kind[] = ['plain', 'fact', 'plain', 'reading'];
