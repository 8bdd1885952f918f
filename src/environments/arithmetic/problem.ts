// From a template and its parameters to a problem: a story with somebody's name and something to count, told in words that are
// drawn for each problem, since a template with a fixed frame would be known by its frame.

import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { type Done, stepOf } from './steps.ts';
import type { ArithmeticProblem, Template } from './types.ts';
import { misconceivedWorking, rightWorking } from './working.ts';

/** The environment's own seed: which problems are trained on and asked. A run's seed does not touch them. */
export const DATA_SEED = 7;
const END_OF_TURN = '<|im_end|>';

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

/** The story in words drawn from `rng`; the one it ends with is the one who is asked about. */
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
  return `<|im_start|>user\n${sentences.join(' ')}${END_OF_TURN}\n<|im_start|>assistant\n`;
}

/** Whether these parameters make one: no number out of bounds, no misconception that is right by chance. */
export function isStory(template: Template, params: readonly number[]): boolean {
  const right = rightWorking(template, params);
  if (!right || template.kind === 'plain') return right !== null;
  const wrong = misconceivedWorking(template, params);
  return wrong !== null && wrong.value !== right.value;
}

/** Null where these parameters make no story. */
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
