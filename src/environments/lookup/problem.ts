// From a shape to a question: names, their facts and numbers are drawn, and told in words. Facts are made for each question, so that
// the tool alone knows them.

import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import type { LookupProblem, Operand, Operator, Shape } from './types.ts';

/** The environment's own seed: which questions are trained on and asked. A run's seed does not touch them. */
export const DATA_SEED = 7;
/** Numbers and facts are digits, since a model of this size copies no more; values stay in 1 … 81. */
const SMALLEST = 2;
const DIGITS = 8;

export const END_OF_TURN = '<|im_end|>';
/** What a user says, and the answer begun. */
export const said = (text: string): string => `<|im_start|>user\n${text}${END_OF_TURN}\n<|im_start|>assistant\n`;

const THINGS = 'beads books cards coins eggs nuts pens shells stamps stones'.split(' ');

const WORDS: Readonly<Record<Operator, readonly string[]>> = {
  '+': ['plus', 'and'],
  '-': ['minus', 'less'],
  '*': ['times'],
};

/** From left to right; of a product there are two operands. */
export function resultOf(operands: readonly Pick<Operand, 'value'>[], operators: readonly Operator[]): number {
  return operands.slice(1).reduce((sum, { value }, i) => {
    if (operators[i] === '*') return sum * value;
    return operators[i] === '+' ? sum + value : sum - value;
  }, operands[0].value);
}

/** Names from `names`, no one twice; nothing that comes to less than 1. */
export function drawOperands({ operands, operators }: Shape, names: readonly string[], rng: CounterRng): Operand[] {
  for (;;) {
    const shuffled = rng.shuffle([...names]);
    const drawn = operands.map((place, i) => ({
      name: place === 'name' ? shuffled[i] : null,
      value: SMALLEST + rng.int(DIGITS),
    }));
    if (resultOf(drawn, operators) > 0) return drawn;
  }
}

/** In words drawn from `rng`. */
export function tell(operands: readonly Operand[], operators: readonly Operator[], rng: CounterRng): string {
  const things = rng.choice(THINGS);
  const whole = operands
    .map(({ name, value }, i) => `${i === 0 ? '' : `${rng.choice(WORDS[operators[i - 1]])} `}${name ?? value}`)
    .join(' ');
  if (operators.length === 0)
    return rng.choice([`How many ${things} has ${whole}?`, `Count the ${things} of ${whole}.`]);
  if (operands.every(({ name }) => name === null)) return rng.choice([`How much is ${whole}?`, `Reckon ${whole}.`]);
  return rng.choice([`How many ${things} are ${whole}?`, `Count the ${things} of ${whole}.`]);
}

export const identityOf = ({ id }: Pick<Shape, 'id'>, operands: readonly Operand[]): string =>
  `${id}(${operands.map(({ name, value }) => (name === null ? value : `${name}=${value}`)).join(',')})`;

export function makeProblem(shape: Shape, operands: readonly Operand[], dataSeed = DATA_SEED): LookupProblem {
  const id = identityOf(shape, operands);
  const { kind, operators } = shape;
  return {
    ...{ id, shape: shape.id, kind, operands, operators },
    facts: operands.flatMap(({ name, value }) => (name === null ? [] : [{ name, value }])),
    prompt: said(tell(operands, operators, new CounterRng(keyFor(dataSeed, STREAMS.problems, 3, hash32(id))))),
    expected: String(resultOf(operands, operators)),
  };
}
