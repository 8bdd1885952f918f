// From axes to configurations: the values of an axis, the points of a grid, random draws, and the constraints that filter them.
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { FIELDS, type SettingName } from '../config/settings.ts';
import {
  type Axis,
  type AxisOption,
  type AxisValue,
  type Constraint,
  LIMITS,
  SweepError,
  type SweepSpec,
} from './spec.ts';

/** Values by option, in the axes' order. */
export type Values = Readonly<Partial<Record<AxisOption, AxisValue>>>;

/** Draws per wanted configuration before the search gives up. */
const TRIES = 1000;

const kindOf = (option: AxisOption) => (option === 'arm' ? null : FIELDS[option as SettingName].kind);

function checkRange({ option, from, to, scale }: Extract<Axis, { from: number }>): void {
  const type = kindOf(option)?.type;
  if (type !== 'integer' && type !== 'number')
    throw new SweepError(`${option} is not a number, and its axis is a range.`, 'List its values instead.');
  if (!(from < to))
    throw new SweepError(`The axis ${option} goes from ${from} to ${to}.`, 'Let it begin below its end.');
  if (scale === 'log' && !(from > 0))
    throw new SweepError(`The axis ${option} is logarithmic and begins at ${from}.`, 'Let it begin above 0.');
}

/** `share` runs from 0 to 1; rounding to twelve digits keeps the ends as written. */
function valueAt({ option, from, to, scale }: Extract<Axis, { from: number }>, share: number): number {
  const raw = scale === 'log' ? from * (to / from) ** share : from + (to - from) * share;
  return kindOf(option)?.type === 'integer' ? Math.round(raw) : Number(raw.toPrecision(12));
}

/** Null for a range without a count, which has infinitely many values. */
function valuesOf(axis: Axis): AxisValue[] | null {
  if ('values' in axis) return distinct(axis.values);
  checkRange(axis);
  const { count } = axis;
  if (count === undefined) return null;
  return distinct(Array.from({ length: count }, (_, i) => valueAt(axis, i / (count - 1))));
}

function distinct(values: readonly AxisValue[]): AxisValue[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

const COMPARE: Readonly<Record<Constraint['is'], (a: number | string, b: number | string) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '>=': (a, b) => a >= b,
  '>': (a, b) => a > b,
};

/** `defaultOf`: the value of an option that no axis varies. */
function meets(values: Values, { left, is, right }: Constraint, defaultOf: (option: AxisOption) => unknown): boolean {
  const of = (option: AxisOption) => (Object.hasOwn(values, option) ? values[option] : defaultOf(option));
  const [a, b] = [of(left), typeof right === 'object' ? of(right.option) : right];
  if (typeof a === 'number' && typeof b === 'number') return COMPARE[is](a, b);
  if (is === '=' || is === '!=') return COMPARE[is](JSON.stringify(a), JSON.stringify(b));
  throw new SweepError(
    `The constraint ${left} ${is} ${JSON.stringify(right)} compares something that is not a number.`,
    'Use = or != there.',
  );
}

type Chooser = Pick<SweepSpec, 'axes' | 'constraints' | 'search'>;

/** All configurations, in an order that depends only on the spec. Throws SweepError. */
export function configurationsOf(
  { axes, constraints, search }: Chooser,
  defaultOf: (option: AxisOption) => unknown,
): Values[] {
  const isAllowed = (values: Values) => constraints.every((constraint) => meets(values, constraint, defaultOf));
  const isDrawn = search.kind !== 'grid' && search.count !== undefined;
  const found = isDrawn
    ? drawConfigurations(axes, search.count as number, search.seed, isAllowed)
    : grid(axes).filter(isAllowed);
  if (found.length === 0)
    throw new SweepError('The constraints leave no configuration.', 'Loosen one of them, or widen an axis.');
  return found;
}

function grid(axes: readonly Axis[]): Values[] {
  const lists = axes.map((axis) => {
    const values = valuesOf(axis);
    if (values) return values;
    throw new SweepError(
      `The axis ${axis.option} is a range without a count, which has no grid.`,
      'Give it a count, or draw configurations (search.kind "random").',
    );
  });
  const points = lists.reduce((product, values) => product * values.length, 1);
  if (points > LIMITS.points)
    throw new SweepError(
      `The grid has ${points} points (${lists.map((values) => values.length).join(' × ')}); ${LIMITS.points} are allowed.`,
      'Draw some of them (search.kind "random", with a count), or give an axis fewer values.',
    );
  let found: Values[] = [{}];
  for (const [i, { option }] of axes.entries())
    found = found.flatMap((values) => lists[i].map((value) => ({ ...values, [option]: value })));
  return found;
}

function drawConfigurations(
  axes: readonly Axis[],
  count: number,
  seed: number,
  isAllowed: (values: Values) => boolean,
): Values[] {
  const lists = axes.map(valuesOf);
  const found = new Map<string, Values>();
  for (let draw = 0; found.size < count && draw < count * TRIES; draw++) {
    const rng = CounterRng.of(seed, STREAMS.sweep, draw);
    const values: Partial<Record<AxisOption, AxisValue>> = {};
    for (const [i, axis] of axes.entries()) {
      const list = lists[i];
      values[axis.option] = list ? rng.choice(list) : valueAt(axis as Extract<Axis, { from: number }>, rng.uniform());
    }
    const key = JSON.stringify(values);
    if (!found.has(key) && isAllowed(values)) found.set(key, values);
  }
  if (found.size < count)
    throw new SweepError(
      `${count} configurations are wanted, and ${count * TRIES} draws found ${found.size} that differ and meet the constraints.`,
      `Ask for ${found.size} or fewer, or widen an axis.`,
    );
  return [...found.values()];
}
