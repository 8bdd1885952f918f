// The steps that stories are made of: what they say, what they do to the number, and, for some, the one way in which the
// pretraining data mostly gets them wrong. A template is a sequence of them, so that templates that were never seen are made of
// steps that were.
import type { CounterRng } from '../../rng/index.ts';
import type { Kind, Template } from './types.ts';

/** One step carried out: the lines of the working, and the number after it. */
export interface Done {
  lines: readonly string[];
  value: number;
}

export interface Step {
  id: string;
  kind: Kind;
  /** Ways to say it; `who` acts, `other` is somebody else. */
  say(param: number, who: string, other: string): readonly string[];
  /** Whether the number may be broken afterwards. */
  breaks?: boolean;
  /** Whether the story goes on with the other one. */
  turns: boolean;
  params: readonly number[];
  /** Null where the number does not allow it. */
  right(value: number, param: number): Done | null;
  /** The systematic mistake; null where there is none. */
  wrong: ((value: number, param: number) => Done) | null;
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

const add = (a: number, b: number): Done => ({ lines: [`${a}+${b}=${a + b}`], value: a + b });
const take = (a: number, b: number): Done => ({ lines: [`${a}-${b}=${a - b}`], value: a - b });
const multiply = (a: number, b: number): Done => ({ lines: [`${a}*${b}=${a * b}`], value: a * b });
const divide = (a: number, b: number): Done => ({ lines: [`${a}/${b}=${a / b}`], value: a / b });

/** `2 dozen`: the fact, how much it makes, and the sum. */
export const ofFact = (word: string, size: number) => (value: number, count: number) => ({
  lines: [`${word}=${size}`, `${count}*${size}=${count * size}`, ...add(value, count * size).lines],
  value: value + count * size,
});

/** Bags of some each: both numbers in one parameter, 10 · bags + in each. */
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
    // Shares may be broken, what somebody has may not.
    right: (value, two) => (value % two === 0 ? divide(value, two) : null),
    wrong: multiply,
  },
];

const byId = new Map(STEPS.map((step) => [step.id, step]));

/** Throws RangeError for a name that no step has. */
export function stepOf(id: string): Step {
  const step = byId.get(id);
  if (!step) throw new RangeError(`no step is called ${id}`);
  return step;
}

/** Parameters of a template, drawn evenly: a beginning from 3 to 15, then one for each step. */
export function drawParams(template: Template, rng: CounterRng): number[] {
  return [3 + rng.int(13), ...template.steps.map((id) => rng.choice(stepOf(id).params))];
}
