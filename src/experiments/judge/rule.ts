// A preregistered rule as data. The judge (`judge`) and the words that the page, the docs and the command line show (`ruleWords`) follow from it, so
// that each threshold is stated once. A criterion that data cannot express (“beyond half of the gain”) is first computed as an estimate, and the
// rule tests on which side of 0 it lies.

import { inWords } from '../../lib/numbers.ts';
import type { Status } from './estimate.ts';

/** The fields of an estimate that a rule reads. */
export interface Judgeable {
  n: number;
  asked?: number;
  mean: number | null;
  interval: { low: number; high: number } | null;
  each: readonly { value: number }[];
  /** Direction of a paired comparison's effect, by its tests with Holm's correction within the table; null if there is none. */
  effect?: 'less' | 'more' | null;
}
type Judgeables<Key extends string> = { readonly [K in Key]?: Judgeable };

/** A condition on one estimate, by key. A missing estimate meets only `unknown`; one without an interval meets no condition on its interval. */
type Leaf<Key extends string = string> =
  /** The whole 95% interval is above a bound (default 0), or below it. */
  | { readonly above: Key; readonly bound?: number }
  | { readonly below: Key; readonly bound?: number }
  /** The whole interval is within ± the margin. */
  | { readonly within: Key; readonly margin: number }
  /** The lower end is at most the margin below 0: not inferior. */
  | { readonly notBelow: Key; readonly margin: number }
  /** A paired comparison has a negative effect, or a positive one. */
  | { readonly falls: Key }
  | { readonly rises: Key }
  /** The mean alone reaches a bound. */
  | { readonly mean: Key; readonly atLeast: number }
  /** The mean alone exceeds a bound. */
  | { readonly mean: Key; readonly moreThan: number }
  /** The mean is below a bound, or absent. */
  | { readonly mean: Key; readonly lessThan: number }
  | { readonly unknown: Key }
  /** Every unit meets a bound. */
  | { readonly every: Key; readonly atLeast: number }
  | { readonly every: Key; readonly moreThan: number }
  | { readonly every: Key; readonly atMost: number };

export type Condition<Key extends string = string> =
  | Leaf<Key>
  /** Met if at least this many of several conditions are. */
  | { readonly least: number; readonly among: readonly Condition<Key>[] }
  | { readonly all: readonly Condition<Key>[] }
  | { readonly any: readonly Condition<Key>[] }
  | { readonly not: Condition<Key> }
  /** Open unless the `given` condition is met. */
  | { readonly given: Condition<Key>; readonly is: Condition<Key> };

/** A condition is met (true), missed (false) or open (null). */
export type Truth = boolean | null;

export interface Case<Key extends string = string> {
  readonly status: Status;
  /** Reason given with the status: `in part: K = 0 pays`. */
  readonly because?: string;
  /** Absent in the last case, which is the default. */
  readonly when?: Condition<Key>;
  /** Words that replace the condition's. */
  readonly words?: string;
}

export interface Rule<Key extends string = string> {
  /** Fewest units of an estimate, below which the question is open: `open: 5 of 8 characters …; 6 are wanted`. */
  readonly needs?: readonly { readonly of: readonly Key[]; readonly least: number; readonly what: string }[];
  /** Estimates that may be absent, in which case a condition on them is met. */
  readonly optional?: readonly Key[];
  /** The first case whose condition is met gives the verdict. The last has no condition. */
  readonly cases: readonly Case<Key>[];
  /** Text before and after the cases, for example whose rule it is and how an effect is counted. */
  readonly before?: string;
  readonly after?: string;
  /** Name of one unit, if shorter than the question's: `seed`. */
  readonly unit?: string;
}

/** A rule, and the names of its estimates. */
export interface Ruled<Key extends string = string> {
  names: Readonly<Record<Key, string>>;
  rule: Rule<Key>;
}

export interface Verdict {
  status: Status;
  because: string | null;
}

/** `in part: K = 0 pays` */
export const verdictText = ({ status, because }: Verdict): string =>
  because === null ? status : `${status}: ${because}`;

/** Throws RangeError if no case applies, because the last one has a condition too. */
export function judge<Key extends string>(rule: Rule<Key>, estimates: Judgeables<Key>): Verdict {
  const { needs = [], optional = [], cases } = rule;
  for (const { of, least, what } of needs) {
    const fewest = of.map((key) => estimates[key]).sort((a, b) => (a?.n ?? 0) - (b?.n ?? 0));
    const [few] = fewest.some((one) => !one) ? [undefined] : fewest;
    const n = few?.n ?? 0;
    if (n < least) {
      const attempted = few?.asked ?? of.map((key) => estimates[key]?.asked).find((one) => one !== undefined) ?? n;
      return { status: 'open', because: `${n} of ${attempted} ${what}; ${least} are wanted` };
    }
  }
  const found = cases.find(({ when }) => !when || isMet(when, estimates, optional));
  if (!found) throw new RangeError('A rule ends with a case that has no condition: none of its cases is met.');
  return { status: found.status, because: found.because ?? null };
}

/** An open condition is not met. @param optional keys whose conditions are met if the estimate is absent */
export function isMet<Key extends string>(
  condition: Condition<Key>,
  estimates: Judgeables<Key>,
  optional: readonly Key[] = [],
): boolean {
  return truthOf(condition, (leaf) => isLeafMet(leaf, estimates[keyOf(leaf)], optional)) === true;
}

/** Kleene's three-valued logic: a compound is open if its open parts would decide it. */
export function truthOf<Key extends string>(condition: Condition<Key>, leaf: (leaf: Leaf<Key>) => boolean): Truth {
  const of = (one: Condition<Key>) => truthOf(one, leaf);
  const nay = (truth: Truth): Truth => (truth === null ? null : !truth);
  if ('given' in condition) return of(condition.given) === true ? of(condition.is) : null;
  if ('not' in condition) return nay(of(condition.not));
  if ('all' in condition) return nay(of({ any: condition.all.map((not) => ({ not })) }));
  if ('any' in condition) return of({ least: 1, among: condition.any });
  if (!('among' in condition)) return leaf(condition);
  const truths = condition.among.map(of);
  if (truths.filter((truth) => truth === true).length >= condition.least) return true;
  return truths.filter((truth) => truth !== false).length < condition.least ? false : null;
}

/** @param one the estimate that the condition reads */
export function isLeafMet<Key extends string>(
  condition: Leaf<Key>,
  one: Judgeable | undefined,
  optional: readonly Key[] = [],
): boolean {
  if ('unknown' in condition) return !one || one.mean === null;
  if (!one) return optional.includes(keyOf(condition));
  if ('every' in condition) {
    const values = one.each.map(({ value }) => value);
    const is = (value: number) =>
      'atLeast' in condition
        ? value >= condition.atLeast
        : 'atMost' in condition
          ? value <= condition.atMost
          : value > condition.moreThan;
    return values.length > 0 && values.every(is);
  }
  if ('mean' in condition) {
    if (one.mean === null) return false;
    if ('lessThan' in condition) return one.mean < condition.lessThan;
    return 'atLeast' in condition ? one.mean >= condition.atLeast : one.mean > condition.moreThan;
  }
  if ('falls' in condition) return one.effect === 'less';
  if ('rises' in condition) return one.effect === 'more';
  if (!one.interval) return false;
  const { low, high } = one.interval;
  if ('above' in condition) return low > (condition.bound ?? 0);
  if ('below' in condition) return high < (condition.bound ?? 0);
  if ('notBelow' in condition) return low >= -condition.margin;
  return low >= -condition.margin && high <= condition.margin;
}

/** The key of a leaf, which is the value of its first field. */
export const keyOf = <Key extends string>(leaf: Leaf<Key>): Key => Object.values(leaf)[0] as Key;

// ---- words ---------------------------------------------------------------------------------------------------------

/** Names of estimates, and of a unit: `training seed`. */
export interface Naming<Key extends string> {
  names: Readonly<Record<Key, string>>;
  /** Null if an estimate is a single value. */
  unit: string | null;
}

/** `Holds: … In part (K = 0 pays): … Fails: else.` */
export function ruleWords<Key extends string>(rule: Rule<Key>, { names, unit }: Naming<Key>): string {
  const { needs = [], cases, before, after } = rule;
  const naming = { names, unit: rule.unit ?? unit };
  return [
    ...(before ? [before] : []),
    ...needs.map(({ least, what }) => `Open where there are fewer than ${least} ${what}.`),
    ...cases.map(({ status, because, when, words }) => {
      const head = `${status[0].toUpperCase()}${status.slice(1)}${because === undefined ? '' : ` (${because})`}`;
      return `${head}: ${words ?? (when ? conditionWords(when, naming) : 'else')}.`;
    }),
    ...(after ? [after] : []),
  ].join(' ');
}

export function conditionWords<Key extends string>(condition: Condition<Key>, naming: Naming<Key>): string {
  if ('all' in condition) return joinedClauses(condition.all, 'and', naming);
  if ('any' in condition) return joinedClauses(condition.any, 'or', naming);
  if ('not' in condition) return `it is not the case that ${conditionWords(condition.not, naming)}`;
  if ('given' in condition)
    return `${conditionWords(condition.is, naming)} (open unless ${conditionWords(condition.given, naming)})`;
  if ('among' in condition) {
    const { least, among } = condition;
    if (among.every((one) => isLeaf(one))) return leafWords(among, naming, `${least} or more of `);
    return `${least} or more of these: ${among.map((one) => conditionWords(one, naming)).join('; ')}`;
  }
  return leafWords([condition], naming);
}

/** Adjacent conditions with the same predicate become one clause: `the intervals of “a” and “b” lie below 0`. */
function joinedClauses<Key extends string>(
  parts: readonly Condition<Key>[],
  word: 'and' | 'or',
  naming: Naming<Key>,
): string {
  const clauses: string[] = [];
  for (let i = 0; i < parts.length; ) {
    const first = parts[i];
    let end = i + 1;
    if (isLeaf(first)) {
      const same = (one: Condition<Key>) => word === 'and' && isLeaf(one) && predicate(one) === predicate(first);
      while (end < parts.length && same(parts[end])) end++;
      clauses.push(leafWords(parts.slice(i, end) as Leaf<Key>[], naming));
    } else {
      const words = conditionWords(first, naming);
      clauses.push('all' in first || 'any' in first ? `(${words})` : words);
    }
    i = end;
  }
  return clauses.join(`, ${word} `);
}

const isLeaf = <Key extends string>(condition: Condition<Key>): condition is Leaf<Key> =>
  !['all', 'any', 'not', 'among', 'given'].some((kind) => kind in condition);

/** The condition without its key. */
const predicate = <Key extends string>(leaf: Leaf<Key>): string => JSON.stringify({ ...leaf, [kindOf(leaf)]: '' });

const kindOf = <Key extends string>(leaf: Leaf<Key>): string => Object.keys(leaf)[0];

/** Words for leaves with the same predicate.
 *  @param count how many of them must be met, where not all: `3 or more of ` */
function leafWords<Key extends string>(leaves: readonly Leaf<Key>[], { names, unit }: Naming<Key>, count = ''): string {
  const [leaf] = leaves;
  const quoted = leaves.map((one) => `“${names[keyOf(one)]}”`);
  const one = leaves.length === 1;
  const who = count + (one ? quoted[0] : `${quoted.slice(0, -1).join(', ')} and ${quoted[quoted.length - 1]}`);
  if ('unknown' in leaf) return `${who} ${one ? 'is' : 'are'} not known`;
  if ('every' in leaf || 'mean' in leaf) {
    const bound =
      'atLeast' in leaf
        ? `${inWords(leaf.atLeast)} or more`
        : 'atMost' in leaf
          ? `${inWords(leaf.atMost)} or less`
          : 'lessThan' in leaf
            ? `below ${inWords(leaf.lessThan)}`
            : `above ${inWords(leaf.moreThan)}`;
    const of = unit === null ? '' : 'mean' in leaf ? ' on average' : ` in every ${unit}`;
    return `${who} ${one ? 'is' : 'are'} ${bound}${of}`;
  }
  if ('falls' in leaf || 'rises' in leaf)
    return `${who} ${one ? 'is an effect' : 'are effects'} ${'falls' in leaf ? 'downwards' : 'upwards'}`;
  const [interval, lie, begin] = one
    ? [`the interval of ${who}`, 'lies', 'begins']
    : [`the intervals of ${who}`, 'lie', 'begin'];
  if ('above' in leaf) return `${interval} ${lie} above ${inWords(leaf.bound ?? 0)}`;
  if ('below' in leaf) return `${interval} ${lie} below ${inWords(leaf.bound ?? 0)}`;
  if ('notBelow' in leaf) return `${interval} ${begin} at ${inWords(-leaf.margin)} or above`;
  return `${interval} ${lie} within ± ${inWords(leaf.margin)}`;
}

/** Conditions that many rules share: superiority, and equivalence missed on either side. */
export const above = <Key extends string>(key: Key, bound = 0): Condition<Key> => ({ above: key, bound });
export const below = <Key extends string>(key: Key, bound = 0): Condition<Key> => ({ below: key, bound });
export const beyond = <Key extends string>(key: Key, margin: number): Condition<Key> => ({
  any: [above(key, margin), below(key, -margin)],
});
/** Met if `is` is met, open if neither condition is. */
export const either = <Key extends string>(is: Condition<Key>, other: Condition<Key>): Condition<Key> => ({
  given: { any: [is, other] },
  is,
});

/** The keys that a rule reads, in order. */
export function keysOf<Key extends string>({ needs, cases }: Rule<Key>): Key[] {
  const inside = (condition: Condition<Key>): Key[] => {
    if ('all' in condition) return condition.all.flatMap(inside);
    if ('any' in condition) return condition.any.flatMap(inside);
    if ('not' in condition) return inside(condition.not);
    if ('among' in condition) return condition.among.flatMap(inside);
    if ('given' in condition) return [condition.given, condition.is].flatMap(inside);
    return [keyOf(condition)];
  };
  return [
    ...new Set([...(needs ?? []).flatMap(({ of }) => of), ...cases.flatMap(({ when }) => (when ? inside(when) : []))]),
  ];
}
