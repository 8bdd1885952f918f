// Parts of a story: its steps, each with its wording, its working, and the mistake that pretraining makes.
import type { CounterRng } from '../../rng/index.ts';
import type { Kind, Template } from './task.ts';

// The steps of stories: their wording, their effect on the number and, for some, the one mistake that half of the pretraining data makes. A template
// is a sequence of them, so unseen templates consist of known steps.

/** A finished step: the lines of its working, and the number after it. */
export interface Done {
  lines: readonly string[];
  value: number;
}

export interface Step {
  id: string;
  kind: Kind;
  /** Wordings of the step; `who` acts, `other` is another person. */
  say(param: number, who: string, other: string): readonly string[];
  /** Whether the number may be a fraction afterwards. */
  breaks?: boolean;
  /** Whether the story continues with the other person. */
  turns: boolean;
  params: readonly number[];
  /** The right working; null if the number does not allow the step. */
  right(value: number, param: number): Done | null;
  /** The systematic mistake; null if there is none. */
  wrong: ((value: number, param: number) => Done) | null;
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

const add = (a: number, b: number): Done => ({ lines: [`${a}+${b}=${a + b}`], value: a + b });
const take = (a: number, b: number): Done => ({ lines: [`${a}-${b}=${a - b}`], value: a - b });
const multiply = (a: number, b: number): Done => ({ lines: [`${a}*${b}=${a * b}`], value: a * b });
const divide = (a: number, b: number): Done => ({ lines: [`${a}/${b}=${a / b}`], value: a / b });

/** Working of a fact such as `2 dozen`: the fact, the product, and the sum. */
export const ofFact = (word: string, size: number) => (value: number, count: number) => ({
  lines: [`${word}=${size}`, `${count}*${size}=${count * size}`, ...add(value, count * size).lines],
  value: value + count * size,
});

/** Bags with equal contents: a single parameter holds both numbers, 10 · bags + contents. */
export const bags = (param: number): [count: number, each: number] => [Math.floor(param / 10), param % 10];

const plain = { kind: 'plain', turns: false, wrong: null } as const;

export const STEPS: readonly Step[] = [
  {
    ...plain,
    id: 'gain',
    say: (b, who) => [`${who} gets ${b} more.`, `${who} buys ${b} more.`, `Then ${b} more come.`],
    params: range(2, 6),
    right: add,
  },
  {
    ...plain,
    id: 'lose',
    say: (b, who) => [`${who} gives ${b} away.`, `${who} loses ${b}.`, `Then ${b} are sold.`],
    params: range(2, 6),
    right: take,
  },
  {
    ...plain,
    id: 'times',
    say: (k, who) => [`Then ${who} has ${k} times as many.`, `They grow to ${k} times as many.`],
    params: [2, 3],
    right: multiply,
  },
  {
    ...plain,
    id: 'share',
    breaks: true,
    say: (k, who) => [`${who} keeps one of ${k} equal parts.`, `One of ${k} equal parts is for ${who}.`],
    params: [2, 4],
    right: divide,
  },
  {
    id: 'dozen',
    kind: 'fact',
    turns: false,
    say: (n, who) => [`${who} gets ${n} dozen more.`, `${who} buys ${n} dozen more.`, `Then ${n} dozen more come.`],
    params: [1, 2],
    right: ofFact('dozen', 12),
    wrong: ofFact('dozen', 10),
  },
  {
    id: 'week',
    kind: 'fact',
    turns: false,
    say: (n, who) => [`${who} gets ${n} more each day for a week.`, `For a week ${n} more come each day.`],
    params: range(2, 4),
    right: ofFact('week', 7),
    wrong: ofFact('week', 5),
  },
  {
    id: 'year',
    kind: 'fact',
    turns: false,
    say: (n, who) => [`${who} gets ${n} more each month for a year.`, `For a year ${n} more come each month.`],
    params: [1, 2],
    right: ofFact('year', 12),
    wrong: ofFact('year', 10),
  },
  {
    id: 'fewer',
    kind: 'reading',
    turns: true,
    say: (b, who, other) => [`That is ${b} fewer than ${other} has.`, `${who} has ${b} fewer than ${other}.`],
    params: range(2, 6),
    right: add,
    wrong: take,
  },
  {
    id: 'more',
    kind: 'reading',
    turns: true,
    say: (b, who, other) => [`That is ${b} more than ${other} has.`, `${who} has ${b} more than ${other}.`],
    params: range(2, 6),
    right: take,
    wrong: add,
  },
  {
    id: 'each',
    kind: 'reading',
    turns: false,
    say: (param, who) => {
      const [count, each] = bags(param);
      return [`${who} gets ${count} bags with ${each} in each.`, `Then ${count} bags come with ${each} in each.`];
    },
    params: range(2, 4).flatMap((count) => range(2, 5).map((each) => 10 * count + each)),
    right: (value, param) => {
      const [count, each] = bags(param);
      const sum = multiply(count, each);
      return { lines: [...sum.lines, ...add(value, sum.value).lines], value: value + sum.value };
    },
    wrong: (value, param) => add(value, bags(param)[1]),
  },
  {
    id: 'twice',
    kind: 'reading',
    turns: true,
    say: (_, who, other) => [`That is twice as many as ${other} has.`, `${who} has twice as many as ${other}.`],
    params: [2],
    // A part may be a fraction, but a person's number must be whole.
    right: (value, two) => (value % two === 0 ? divide(value, two) : null),
    wrong: multiply,
  },
];

const byId = new Map(STEPS.map((step) => [step.id, step]));

/** Throws RangeError for an unknown step. */
export function stepOf(id: string): Step {
  const step = byId.get(id);
  if (!step) throw new RangeError(`no step is called ${id}`);
  return step;
}

/** Random parameters of a template: a start from 3 to 15, then one parameter per step. */
export function drawParams(template: Template, rng: CounterRng): number[] {
  return [3 + rng.int(13), ...template.steps.map((id) => rng.choice(stepOf(id).params))];
}

// Computes a story step by step, correctly or with one wrong step, into the lines of a working and its answer.

/** Largest number in a story; models of this size know no larger numbers. */
export const LARGEST = 60;

/** Computes one step, correctly or not. */
export type CarryOut = (value: number, param: number, place: number) => Done | null;

/** Null if a number leaves 1 … 60 (a part may be smaller), or is a fraction before the last step. */
export function carryOut(template: Template, params: readonly number[], how: CarryOut): Done | null {
  const lines: string[] = [];
  let value = params[0];
  for (let place = 0; place < template.steps.length; place++) {
    const done = how(value, params[place + 1], place);
    if (!done) return null;
    const isLast = place === template.steps.length - 1;
    if (done.value <= 0 || done.value > LARGEST || !(isLast || Number.isInteger(done.value))) return null;
    lines.push(...done.lines);
    value = done.value;
  }
  return { lines, value };
}

export const rightWorking = (template: Template, params: readonly number[]): Done | null =>
  carryOut(template, params, (value, param, place) => stepOf(template.steps[place]).right(value, param));

/** The working with the template's misconception; null if it has none. */
export function misconceivedWorking(template: Template, params: readonly number[]): Done | null {
  if (template.kind === 'plain') return null;
  return carryOut(template, params, (value, param, place) => {
    const { right, wrong } = stepOf(template.steps[place]);
    return (wrong ?? right)(value, param);
  });
}

/** Changes of a result that a slip can make. */
export const OFF = [-10, -2, -1, 1, 2, 10];

/** A working with a slip whose answer is neither correct nor the misconception's; null if none is found by chance. */
export function slipOf(template: Template, params: readonly number[], rng: CounterRng): Done | null {
  const right = rightWorking(template, params);
  const misconceived = misconceivedWorking(template, params);
  for (let tries = 0; tries < 20; tries++) {
    const slip = workingWithSlip(template, params, rng);
    if (slip && slip.value !== right?.value && slip.value !== misconceived?.value) return slip;
  }
  return null;
}

/** A working with one changed result, computed on from there. */
function workingWithSlip(template: Template, params: readonly number[], rng: CounterRng): Done | null {
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

/** A fraction is boxed as a decimal or as a fraction; both are correct. */
export function written({ lines, value }: Done, rng: CounterRng): string {
  const isFraction = rng.uniform() < 0.5;
  return `${lines.join('\n')}\n\\boxed{${Number.isInteger(value) || !isFraction ? value : fraction(value)}}`;
}

/** Values are multiples of 1/4. */
function fraction(value: number): string {
  const below = Number.isInteger(2 * value) ? 2 : 4;
  return `${value * below}/${below}`;
}
