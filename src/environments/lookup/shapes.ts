// The shapes of questions: one name, two operands, or three numbers, with an operator between each two. Of the longer ones a sixth of
// each kind (rounded up) is held out, from pretraining and from training: its parts are in others.
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { type Kind, OPERATORS, type Operator, type Shape } from './types.ts';

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
    // A product is one of two, and one of them is said.
    .filter(({ operands, operators }) => !operators.includes('*') || (length === 2 && operands.includes('number')))
    .map(({ operands, operators }) => shapeOf(operands, operators));

/** Of a kind, in an order of chance. */
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
