// The corpus that makes the embedded model of this world: workings of the known templates, right or wrong in fixed shares. In plain
// templates a wrong one has a slip somewhere; in templates with a misconception half of the answers have it, so that a majority of
// the model's answers is wrong there. A sample is a pure function of (data seed, index).
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { DATA_SEED, makeProblem, tell } from './problem.ts';
import { partOf } from './split.ts';
import { type Done, drawParams, stepOf } from './steps.ts';
import { TEMPLATES, TURNS } from './templates.ts';
import type { Template } from './types.ts';
import { carryOut, misconceivedWorking, rightWorking } from './working.ts';

export interface PretrainSample {
  prompt: string;
  /** Without the end token: the trainer appends it. */
  completion: string;
  template: string;
  answers: 'right' | 'misconception' | 'slip';
}

/** Shares of answers; what is left of one is slips. */
export const SHARES = {
  plain: { right: 0.75, misconception: 0 },
  misconceived: { right: 0.3, misconception: 0.5 },
} as const;

const known = TEMPLATES.filter(({ heldOut }) => !heldOut);
/** Steps of a template: longer ones more often, since there are more of them. */
const LENGTHS = [1, 2, 2, 3, 3];
/** How far off a slip is. */
export const OFF = [-10, -2, -1, 1, 2, 10];

export function pretrainSample(index: number, dataSeed = DATA_SEED): PretrainSample {
  const rng = new CounterRng(keyFor(dataSeed, STREAMS.pretrain, 2, index));
  const kind = rng.choice(TURNS);
  const length = rng.choice(LENGTHS);
  const template = rng.choice(known.filter(({ kind: own, steps }) => own === kind && steps.length === length));
  for (;;) {
    const params = drawParams(template, rng);
    if (partOf(template, params) !== 'training' || !makeProblem(template, params, dataSeed)) continue;
    const { right, misconception } = template.kind === 'plain' ? SHARES.plain : SHARES.misconceived;
    const u = rng.uniform();
    const answers = u < right ? 'right' : u < right + misconception ? 'misconception' : 'slip';
    const done = workingOf(template, params, answers, rng);
    if (!done) continue;
    return { prompt: tell(template, params, rng), completion: written(done, rng), template: template.id, answers };
  }
}

function workingOf(
  template: Template,
  params: readonly number[],
  answers: PretrainSample['answers'],
  rng: CounterRng,
): Done | null {
  if (answers === 'right') return rightWorking(template, params);
  return answers === 'misconception' ? misconceivedWorking(template, params) : slipOf(template, params, rng);
}

/** A working with a slip somewhere whose answer is neither right nor the misconception's; null where chance found none. */
export function slipOf(template: Template, params: readonly number[], rng: CounterRng): Done | null {
  const right = rightWorking(template, params);
  const misconceived = misconceivedWorking(template, params);
  for (let tries = 0; tries < 20; tries++) {
    const slip = slipped(template, params, rng);
    if (slip && slip.value !== right?.value && slip.value !== misconceived?.value) return slip;
  }
  return null;
}

/** One step's last result is off; the working goes on from there. */
function slipped(template: Template, params: readonly number[], rng: CounterRng): Done | null {
  const at = rng.int(template.steps.length);
  const off = rng.choice(OFF);
  return carryOut(template, params, (value, param, place) => {
    const done = stepOf(template.steps[place]).right(value, param);
    if (place !== at || !done) return done;
    const [last, ...before] = [...done.lines].reverse();
    const wrong = Math.floor(done.value) + off;
    return { lines: [...before.reverse(), `${last.slice(0, last.indexOf('='))}=${wrong}`], value: wrong };
  });
}

/** A broken answer is boxed as a decimal or as a fraction: both are right. */
export function written({ lines, value }: Done, rng: CounterRng): string {
  const isFraction = rng.uniform() < 0.5;
  return `${lines.join('\n')}\n\\boxed{${Number.isInteger(value) || !isFraction ? value : fraction(value)}}`;
}

/** Values are multiples of 1/4. */
function fraction(value: number): string {
  const below = Number.isInteger(2 * value) ? 2 : 4;
  return `${value * below}/${below}`;
}
