import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { promptOf } from '../../text/chatml.ts';
import { different, kindsInTurns } from '../drawn.ts';
import { type Kind, type LookupProblem, OPERATORS, type Operand, type Operator, type Shape } from './task.ts';

// Double names, so that one which was never seen is made of two that were. A fifth of them is kept from pretraining and training.

const FIRST = 'Ann Bea Gus Ida Kai Leo Max Tom'.split(' ');
const SECOND = 'Ben Eve Fay Jo Lee Lou Mae Ray'.split(' ');

/** One in so many names, and numbers of sums without one, is unseen. */
const UNSEEN_ONE_IN = 5;

export const NAMES: readonly string[] = FIRST.flatMap((first) => SECOND.map((second) => `${first}-${second}`));
const shuffled = new CounterRng(keyFor(0, STREAMS.problems, 5)).shuffle([...NAMES]);
export const UNSEEN_NAMES: readonly string[] = shuffled.slice(0, Math.floor(NAMES.length / UNSEEN_ONE_IN));
export const KNOWN_NAMES: readonly string[] = shuffled.slice(UNSEEN_NAMES.length);

const unseen = new Set(UNSEEN_NAMES);
export const isUnseenName = (name: string): boolean => unseen.has(name);

// The shapes of questions: one name, two operands, or three numbers, with an operator between each two. Of the longer ones a sixth of
// each kind (rounded up) is held out, from pretraining and from training: its parts are in others.

const HELD_OUT_ONE_IN = 6;
type Place = Shape['operands'][number];

/** Every sequence of so many. */
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
    // Each name is a call, and the sum another: of three operands none is a name.
    .filter((operands) => length === 2 || !operands.includes('name'))
    .flatMap((operands) => sequences(OPERATORS, length - 1).map((operators) => ({ operands, operators })))
    // A product has two operands, at least one of them a number in the question.
    .filter(({ operands, operators }) => !operators.includes('*') || (length === 2 && operands.includes('number')))
    .map(({ operands, operators }) => shapeOf(operands, operators));

/** Shapes of a kind that are held out, in an order of chance. */
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

/** Kinds in turns: half of the questions need both tools. */
export const TURNS: readonly Kind[] = ['look', 'both', 'calc', 'both'];

// A question is made from a shape: names, their facts and numbers are drawn, and told in words. Facts are made for each question, so that
// the tool alone knows them.

/** The environment's own seed: which questions are trained on and asked. A run's seed does not touch them. */
export const DATA_SEED = 7;
/** Numbers and facts are digits, since a model of this size copies no more; values stay in 1 … 81. */
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

/** Draws names from `names`, no one twice; no result is less than 1. */
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

/** Tells a question in words drawn from `rng`. */
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

// The split of questions. Pretraining and training have the known shapes with the known names, and sums without a fifth of their
// numbers; evaluations have the shapes that are held out (split `shapes`), and known shapes with unseen names or, in sums without a
// name, unseen numbers (split `params`). The split is the same for every seed: the pretrained model has kept to it.

export const SPLITS = ['shapes', 'params'] as const;
export type SplitId = (typeof SPLITS)[number];
export type Part = 'training' | SplitId;
const PARTS: readonly Part[] = ['training', ...SPLITS];

/** Null where known and unseen names stand together, which is nowhere. */
export function partOf(shape: Shape, operands: readonly Operand[]): Part | null {
  const names = operands.flatMap(({ name }) => name ?? []);
  const unseen = names.filter(isUnseenName).length;
  if (unseen !== 0 && unseen !== names.length) return null;
  if (shape.heldOut) return unseen === 0 ? 'shapes' : null;
  if (names.length > 0) return unseen === 0 ? 'training' : 'params';
  return hash32(identityOf(shape, operands)) % UNSEEN_ONE_IN === 0 ? 'params' : 'training';
}

/** Draws the operands of a question of this shape in this part; all are as likely. */
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
 * `count` different questions of a part: kinds in turns (TURNS; no held-out shape is of one name alone), and the shapes of a kind in
 * turns, so that every prefix is balanced. Fewer where there are not as many.
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
