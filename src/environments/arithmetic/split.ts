// Who sees which problems. Pretraining and training have the known templates without a fifth of their parameters; evaluations have
// that fifth (split `params`) and the templates that are held out (split `templates`). The split is the same for every seed: the
// pretrained model has kept to it.

import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { DATA_SEED, identityOf, makeProblem } from './problem.ts';
import { drawParams } from './steps.ts';
import { TEMPLATES, TURNS } from './templates.ts';
import { type ArithmeticProblem, KINDS, type Template } from './types.ts';

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

/** A problem of this template in this part; every problem of it is as likely. Null where chance found none. */
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
 * `count` different problems of a part: kinds in turns (TURNS), and the templates of a kind in turns, so that every prefix is
 * balanced. Fewer where there are not as many.
 */
export function problemsOf(part: Part, count: number, dataSeed = DATA_SEED): ArithmeticProblem[] {
  const key = (...ints: number[]) => keyFor(dataSeed, STREAMS.problems, PARTS.indexOf(part), ...ints);
  const shuffled = new CounterRng(key()).shuffle([...ofPart(part)]);
  const queues = new Map(KINDS.map((kind) => [kind, shuffled.filter((template) => template.kind === kind)]));
  const rngs = new Map(shuffled.map(({ id }) => [id, new CounterRng(key(hash32(id)))]));
  const made = new Map<string, ArithmeticProblem>();
  // So many turns in a row without a new problem: there are no more.
  for (let turn = 0, vain = 0; made.size < count && vain < TURNS.length * shuffled.length; turn++, vain++) {
    const queue = queues.get(TURNS[turn % TURNS.length])!;
    const template = queue.shift()!;
    queue.push(template);
    const problem = drawProblem(template, part, rngs.get(template.id)!, dataSeed);
    if (!problem || made.has(problem.id)) continue;
    made.set(problem.id, problem);
    vain = 0;
  }
  return [...made.values()];
}

const PARTS: readonly Part[] = ['training', ...SPLITS];
