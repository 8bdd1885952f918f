// One-line functions: what they return, how they are written, which templates there are and which of them are held out.
import {
  COMPARISONS,
  type Comparison,
  type Effect,
  type Fn,
  type Kind,
  OPERATIONS,
  type Operation,
  type Place,
} from './types.ts';

/** The environment's own seed: which functions are trained on and asked. A run's seed does not touch them. */
export const DATA_SEED = 7;

export interface Template {
  id: string;
  comparison: Comparison;
  inCase: Operation;
  otherwise: Operation;
  kind: Kind;
  /** In no pretraining and no training. */
  heldOut: boolean;
}

const PAIRS = OPERATIONS.flatMap((inCase) =>
  OPERATIONS.filter((one) => one !== inCase).map((one) => [inCase, one] as const),
);

/** Two of the twelve pairs of each comparison are held out, other ones for each, so that every part of a template is practised. */
export const TEMPLATES: readonly Template[] = COMPARISONS.flatMap((comparison, c) =>
  PAIRS.map(([inCase, otherwise], p) => ({
    ...{ id: `${comparison}/${inCase}/${otherwise}`, comparison, inCase, otherwise },
    kind: comparison.endsWith('=') ? ('edge' as const) : ('plain' as const),
    heldOut: (p + 5 * c) % 6 === 0,
  })),
);

export const templateOf = ({ comparison, inCase, otherwise }: Fn): Template =>
  TEMPLATES.find(
    (one) => one.comparison === comparison && one.inCase === inCase.operation && one.otherwise === otherwise.operation,
  )!;

export function compares(x: number, comparison: Comparison, at: number): boolean {
  if (comparison === '>') return x > at;
  if (comparison === '>=') return x >= at;
  return comparison === '<' ? x < at : x <= at;
}

export function applied({ operation, by }: Effect, x: number): number {
  if (operation === 'add') return x + by;
  if (operation === 'take') return x - by;
  return operation === 'twice' ? 2 * x : by;
}

export const valueAt = ({ comparison, at, inCase, otherwise }: Fn, x: number): number =>
  applied(compares(x, comparison, at) ? inCase : otherwise, x);

export function expressionOf({ operation, by }: Effect): string {
  if (operation === 'add') return `x+${by}`;
  if (operation === 'take') return `x-${by}`;
  return operation === 'twice' ? 'x*2' : String(by);
}

/** Also its name: two tasks of equal code are one. */
export const codeOf = ({ comparison, at, inCase, otherwise }: Fn): string =>
  `${expressionOf(inCase)} if x${comparison}${at} else ${expressionOf(otherwise)}`;

/** The input that a place means. */
export const placed = ({ at }: Pick<Fn, 'at'>, place: Place): number => ({ edge: at, zero: 0, next: at + 1 })[place];
