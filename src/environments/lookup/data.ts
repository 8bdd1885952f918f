import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { promptOf } from '../../text/chatml.ts';
import { different, kindsInTurns } from '../drawn.ts';
import { type Kind, type LookupProblem, OPERATORS, type Operand, type Operator, type Shape } from './task.ts';

// Double names, so that an unseen name consists of two seen parts. A fifth of them is held out of pretraining and training.

const FIRST = 'Ann Bea Gus Ida Kai Leo Max Tom'.split(' ');
const SECOND = 'Ben Eve Fay Jo Lee Lou Mae Ray'.split(' ');

/** One in this number is unseen, of the names and of the numbers in sums without a name. */
const UNSEEN_ONE_IN = 5;

export const NAMES: readonly string[] = FIRST.flatMap((first) => SECOND.map((second) => `${first}-${second}`));
const shuffled = new CounterRng(keyFor(0, STREAMS.problems, 5)).shuffle([...NAMES]);
export const UNSEEN_NAMES: readonly string[] = shuffled.slice(0, Math.floor(NAMES.length / UNSEEN_ONE_IN));
export const KNOWN_NAMES: readonly string[] = shuffled.slice(UNSEEN_NAMES.length);

const unseen = new Set(UNSEEN_NAMES);
export const isUnseenName = (name: string): boolean => unseen.has(name);

// The shapes of questions: a name, two operands, or three numbers, with an operator between neighbours. A sixth of the longer ones of each
// kind (rounded up) is held out of pretraining and training; other shapes have its parts.

const HELD_OUT_ONE_IN = 6;
type Place = Shape['operands'][number];

/** Every sequence of this length. */
function sequences<T>(of: readonly T[], length: number): T[][] {
  if (length === 0) return [[]];
  return sequences(of, length - 1).flatMap((before) => of.map((one) => [...before, one]));
}

function shapeOf(operands: readonly Place[], operators: readonly Operator[]): Omit<Shape, 'heldOut'> {
  const id = operands.map((place, i) => `${operators[i - 1] ?? ''}${place}`).join('');
  const kind: Kind = operators.length === 0 ? 'look' : operands.includes('name') ? 'both' : 'calc';
  return { id, kind, operands, operators };
}

const ofLength = (length: number) =>
  sequences<Place>(['name', 'number'], length)
    // Each name takes a call and the sum another one, so three operands are numbers only.
    .filter((operands) => length === 2 || !operands.includes('name'))
    .flatMap((operands) => sequences(OPERATORS, length - 1).map((operators) => ({ operands, operators })))
    // A product has two operands, and at least one is a number in the question.
    .filter(({ operands, operators }) => !operators.includes('*') || (length === 2 && operands.includes('number')))
    .map(({ operands, operators }) => shapeOf(operands, operators));

/** The held-out shapes of a kind, in random order. */
function heldOutOf(kind: Kind, shapes: readonly Omit<Shape, 'heldOut'>[]): string[] {
  const own = shapes.filter((shape) => shape.kind === kind).map(({ id }) => id);
  const shuffled = new CounterRng(keyFor(0, STREAMS.problems, 7, own.length)).shuffle(own);
  return shuffled.slice(0, Math.ceil(own.length / HELD_OUT_ONE_IN));
}

const longer = [...ofLength(2), ...ofLength(3)];
const heldOut = new Set([...heldOutOf('calc', longer), ...heldOutOf('both', longer)]);

export const SHAPES: readonly Shape[] = [shapeOf(['name'], []), ...longer].map((shape) => ({
  ...shape,
  heldOut: heldOut.has(shape.id),
}));

/** Kinds alternate in this order; half of the questions need both tools. */
export const TURNS: readonly Kind[] = ['look', 'both', 'calc', 'both'];

// A question is made from a shape: names, their facts and numbers are drawn and put into words. Facts are drawn for each question, so
// that only the tool knows them.

/** The environment's own seed decides the questions for training and evaluation; a run's seed does not change them. */
export const DATA_SEED = 7;
/** Numbers and facts are single digits, since a model of this size copies no longer ones; results are in 1 … 81. */
const SMALLEST = 2;
const DIGITS = 8;

const THINGS = 'beads books cards coins eggs nuts pens shells stamps stones'.split(' ');

const WORDS: Readonly<Record<Operator, readonly string[]>> = {
  '+': ['plus', 'and'],
  '-': ['minus', 'less'],
  '*': ['times'],
};

/** Operators apply from left to right; a product has two operands. */
export function resultOf(operands: readonly Pick<Operand, 'value'>[], operators: readonly Operator[]): number {
  return operands.slice(1).reduce((sum, { value }, i) => {
    if (operators[i] === '*') return sum * value;
    return operators[i] === '+' ? sum + value : sum - value;
  }, operands[0].value);
}

/** Draws different names from `names`; no result is less than 1. */
function drawOperands({ operands, operators }: Shape, names: readonly string[], rng: CounterRng): Operand[] {
  for (;;) {
    const shuffled = rng.shuffle([...names]);
    const drawn = operands.map((place, i) => ({
      name: place === 'name' ? shuffled[i] : null,
      value: SMALLEST + rng.int(DIGITS),
    }));
    if (resultOf(drawn, operators) > 0) return drawn;
  }
}

/** Writes a question in words drawn from `rng`. */
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
    id,
    shape: shape.id,
    kind,
    operands,
    operators,
    facts: operands.flatMap(({ name, value }) => (name === null ? [] : [{ name, value }])),
    prompt: promptOf(tell(operands, operators, new CounterRng(keyFor(dataSeed, STREAMS.problems, 3, hash32(id))))),
    expected: String(resultOf(operands, operators)),
  };
}

// The split of questions. Pretraining and training have the known shapes with known names, and four fifths of the sums without a name;
// evaluations have the held-out shapes (split `shapes`), and known shapes with unseen names or, in sums without a name, unseen numbers
// (split `params`). The split is the same for every seed, since the pretrained model depends on it.

export const SPLITS = ['shapes', 'params'] as const;
export type SplitId = (typeof SPLITS)[number];
export type Part = 'training' | SplitId;
const PARTS: readonly Part[] = ['training', ...SPLITS];

/** Null if known and unseen names are mixed, which no part allows. */
export function partOf(shape: Shape, operands: readonly Operand[]): Part | null {
  const names = operands.flatMap(({ name }) => name ?? []);
  const unseen = names.filter(isUnseenName).length;
  if (unseen !== 0 && unseen !== names.length) return null;
  if (shape.heldOut) return unseen === 0 ? 'shapes' : null;
  if (names.length > 0) return unseen === 0 ? 'training' : 'params';
  return hash32(identityOf(shape, operands)) % UNSEEN_ONE_IN === 0 ? 'params' : 'training';
}

/** Draws the operands of a question of this shape in this part; all are equally likely. */
export function drawOf(shape: Shape, part: Part, rng: CounterRng): Operand[] {
  const names = part === 'params' ? UNSEEN_NAMES : KNOWN_NAMES;
  for (;;) {
    const operands = drawOperands(shape, names, rng);
    if (partOf(shape, operands) === part) return operands;
  }
}

export const shapesOf = (part: Part): readonly Shape[] =>
  SHAPES.filter(({ heldOut }) => heldOut === (part === 'shapes'));

/**
 * Returns `count` different questions of a part. Kinds alternate (TURNS; `look` has no held-out shape), and so do the shapes of a
 * kind, so that every prefix is balanced. Returns fewer questions if the part has no more.
 */
export function problemsOf(part: Part, count: number, dataSeed = DATA_SEED): LookupProblem[] {
  const key = (...ints: number[]) => keyFor(dataSeed, STREAMS.problems, 4, PARTS.indexOf(part), ...ints);
  const shuffled = new CounterRng(key()).shuffle([...shapesOf(part)]);
  const rngs = new Map(shuffled.map(({ id }) => [id, new CounterRng(key(hash32(id)))]));
  const shapes = kindsInTurns(TURNS, shuffled);
  return different(count, 100 * shuffled.length, () => {
    const shape = shapes.next().value;
    return makeProblem(shape, drawOf(shape, part, rngs.get(shape.id)!), dataSeed);
  });
}
