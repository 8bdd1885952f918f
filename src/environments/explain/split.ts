// Who sees which functions. Pretraining and training have the known templates without a fifth of their functions; evaluations have
// that fifth (split `params`) and the templates that are held out (split `templates`). The split is the same for every seed.

import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { applied, codeOf, DATA_SEED, TEMPLATES, type Template, templateOf } from './functions.ts';
import { answerPrompt } from './prompts.ts';
import type { Effect, ExplainTask, Fn, Operation } from './types.ts';

export const SPLITS = ['templates', 'params'] as const;
export type SplitId = (typeof SPLITS)[number];
export type Part = 'training' | SplitId;
const PARTS: readonly Part[] = ['training', ...SPLITS];

const UNSEEN_ONE_IN = 5;

export function partOf(fn: Fn): Part {
  if (templateOf(fn).heldOut) return 'templates';
  return hash32(codeOf(fn)) % UNSEEN_ONE_IN === 0 ? 'params' : 'training';
}

const effect = (operation: Operation, rng: CounterRng): Effect => ({
  operation,
  by: operation === 'twice' ? 0 : 1 + rng.int(4),
});

/** The two branches differ at the edge and beside it: which of them is taken there can be seen. */
function drawFn({ comparison, inCase, otherwise }: Template, rng: CounterRng): Fn {
  for (;;) {
    const fn = { comparison, at: 2 + rng.int(6), inCase: effect(inCase, rng), otherwise: effect(otherwise, rng) };
    if ([fn.at, fn.at + 1].every((x) => applied(fn.inCase, x) !== applied(fn.otherwise, x))) return fn;
  }
}

const ofPart = (part: Part): readonly Template[] =>
  TEMPLATES.filter(({ heldOut }) => heldOut === (part === 'templates'));

/** Every template of the part is as likely. */
export function drawOf(part: Part, rng: CounterRng): Fn {
  for (;;) {
    const fn = drawFn(rng.choice(ofPart(part)), rng);
    if (partOf(fn) === part) return fn;
  }
}

export function taskOf(fn: Fn): ExplainTask {
  const { id: template, kind } = templateOf(fn);
  return { id: codeOf(fn), template, kind, fn, prompt: answerPrompt(fn) };
}

/** `count` different functions of a part; a longer list begins with a shorter one. Fewer where there are not as many. */
export function problemsOf(part: Part, count: number, dataSeed = DATA_SEED): ExplainTask[] {
  const rng = new CounterRng(keyFor(dataSeed, STREAMS.problems, 8, PARTS.indexOf(part)));
  const made = new Map<string, ExplainTask>();
  // So many draws in a row without a new function: there are no more.
  for (let vain = 0; made.size < count && vain < 1000; vain++) {
    const task = taskOf(drawOf(part, rng));
    if (made.has(task.id)) continue;
    made.set(task.id, task);
    vain = 0;
  }
  return [...made.values()];
}
