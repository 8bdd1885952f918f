// Compositional families: a chain of two parts over one signature, `max(x + 3, 7)`. A few dozen parts make some hundreds of families, so
// that a tenth of the problems shows only some of the parts. A mistake is one part's own: each part has its share of them (model.ts).
import { CounterRng, STREAMS } from '../../../rng/index.ts';
import type { ArgumentKind, Json } from '../types.ts';
import { ARGUMENTS } from '../types.ts';
import { between, type Family, LETTERS, type Params, plainZero, pyDiv, pyMod, range, sum } from './family.ts';

type Letter = (typeof LETTERS)[number];
type Parameter = number | string;

/** One step of a chain: a value in, a value out. */
export interface Part {
  readonly id: string;
  readonly from: ArgumentKind;
  readonly to: ArgumentKind;
  /** What its constant may be; [null] for a part that has none. */
  readonly constants: readonly (Parameter | null)[];
  /** Follows the words of what comes before: `plus 3`. */
  describe(k: Parameter): string;
  /** `e` is an argument, or an expression in brackets or a call. */
  python(e: string, k: Parameter): string;
  /** Whether its expression has an operator outermost, so that it stands in brackets beside another one … */
  readonly isOpen: boolean;
  /** … but not where brackets of its own enclose what it is of. */
  readonly encloses: boolean;
  value(v: Json, k: Parameter): Json;
}

interface Row<V, K> {
  id: string;
  constants: readonly (K & Parameter)[] | null;
  say(k: K): string;
  python(e: string, k: K): string;
  value(v: V, k: K): Json;
  isOpen?: boolean;
  encloses?: boolean;
}

/** One place where constants and values meet their types: `from` says what the value is, the row what its constant is. */
const partMaker =
  <V extends Json | readonly Json[]>(from: ArgumentKind, to: ArgumentKind) =>
  <K extends Parameter>({ id, constants, say, python, value, isOpen = false, encloses = false }: Row<V, K>): Part => ({
    ...{ id, from, to, isOpen, encloses },
    constants: constants ?? [null],
    describe: (k) => say(k as K),
    python: (e, k) => python(e, k as K),
    value: (v, k) => plainZero(value(v as unknown as V, k as K)),
  });

const K12 = range(2, 13);
const K6 = range(2, 7);

const number = partMaker<number>('number', 'number');
const open = { isOpen: true } as const;
const closed = { encloses: true } as const;
const NUMBER_PARTS: readonly Part[] = [
  number<number>({
    id: 'plus',
    constants: K12,
    say: (k) => `plus ${k}`,
    python: (e, k) => `${e} + ${k}`,
    value: (v, k) => v + k,
    ...open,
  }),
  number<number>({
    id: 'from',
    constants: K12,
    say: (k) => `taken from ${k}`,
    python: (e, k) => `${k} - ${e}`,
    value: (v, k) => k - v,
    ...open,
  }),
  number<number>({
    id: 'times',
    constants: K6,
    say: (k) => `times ${k}`,
    python: (e, k) => `${e} * ${k}`,
    value: (v, k) => v * k,
    ...open,
  }),
  number<number>({
    id: 'remainder',
    constants: range(3, 9),
    say: (k) => `modulo ${k}`,
    python: (e, k) => `${e} % ${k}`,
    value: (v, k) => pyMod(v, k),
    ...open,
  }),
  number<number>({
    id: 'quotient',
    constants: range(2, 5),
    say: (k) => `divided by ${k} and rounded down`,
    python: (e, k) => `${e} // ${k}`,
    value: (v, k) => pyDiv(v, k),
    ...open,
  }),
  number<number>({
    id: 'at_least',
    constants: K12,
    say: (k) => `raised to at least ${k}`,
    python: (e, k) => `max(${e}, ${k})`,
    value: (v, k) => Math.max(v, k),
    ...closed,
  }),
  number<number>({
    id: 'at_most',
    constants: K12,
    say: (k) => `cut to at most ${k}`,
    python: (e, k) => `min(${e}, ${k})`,
    value: (v, k) => Math.min(v, k),
    ...closed,
  }),
  number<number>({
    id: 'gap',
    constants: K12,
    say: (k) => `as its distance from ${k}`,
    python: (e, k) => `abs(${e} - ${k})`,
    value: (v, k) => Math.abs(v - k),
  }),
  number<number>({
    id: 'squared',
    constants: null,
    say: () => 'squared',
    python: (e) => `${e} ** 2`,
    value: (v) => v * v,
    ...open,
  }),
];

const pair = partMaker<readonly [number, number]>('pair', 'number');
const PAIR_PARTS: readonly Part[] = [
  pair({ id: 'sum', constants: null, say: () => 'a plus b', python: () => 'a + b', value: ([a, b]) => a + b, ...open }),
  pair({
    id: 'difference',
    constants: null,
    say: () => 'a minus b',
    python: () => 'a - b',
    value: ([a, b]) => a - b,
    ...open,
  }),
  pair({
    id: 'product',
    constants: null,
    say: () => 'a times b',
    python: () => 'a * b',
    value: ([a, b]) => a * b,
    ...open,
  }),
  pair({
    id: 'larger',
    constants: null,
    say: () => 'the larger of a and b',
    python: () => 'max(a, b)',
    value: ([a, b]) => Math.max(a, b),
  }),
  pair({
    id: 'smaller',
    constants: null,
    say: () => 'the smaller of a and b',
    python: () => 'min(a, b)',
    value: ([a, b]) => Math.min(a, b),
  }),
  pair({
    id: 'gap_of',
    constants: null,
    say: () => 'the distance between a and b',
    python: () => 'abs(a - b)',
    value: ([a, b]) => Math.abs(a - b),
  }),
  pair<number>({
    id: 'ahead',
    constants: K6,
    say: (k) => `${k} times a minus b`,
    python: (_, k) => `${k} * a - b`,
    value: ([a, b], k) => k * a - b,
    ...open,
  }),
  pair<number>({
    id: 'scaled',
    constants: K6,
    say: (k) => `a plus ${k} times b`,
    python: (_, k) => `a + ${k} * b`,
    value: ([a, b], k) => a + k * b,
    ...open,
  }),
];

const list = partMaker<readonly number[]>('list', 'list');
const told = partMaker<readonly number[]>('list', 'number');
const ascending = (a: number, b: number) => a - b;
const LIST_PARTS: readonly Part[] = [
  list<number>({
    id: 'each_plus',
    constants: K12,
    say: (k) => `with ${k} added to each`,
    python: (e, k) => `[n + ${k} for n in ${e}]`,
    value: (v, k) => v.map((n) => n + k),
    ...closed,
  }),
  list<number>({
    id: 'each_times',
    constants: K6,
    say: (k) => `with each times ${k}`,
    python: (e, k) => `[n * ${k} for n in ${e}]`,
    value: (v, k) => v.map((n) => n * k),
    ...closed,
  }),
  list<number>({
    id: 'each_remainder',
    constants: range(3, 9),
    say: (k) => `with each modulo ${k}`,
    python: (e, k) => `[n % ${k} for n in ${e}]`,
    value: (v, k) => v.map((n) => pyMod(n, k)),
    ...closed,
  }),
  list<number>({
    id: 'above',
    constants: K12,
    say: (k) => `without those of ${k} or less`,
    python: (e, k) => `[n for n in ${e} if n > ${k}]`,
    value: (v, k) => v.filter((n) => n > k),
    ...closed,
  }),
  list<number>({
    id: 'below',
    constants: K12,
    say: (k) => `without those of ${k} or more`,
    python: (e, k) => `[n for n in ${e} if n < ${k}]`,
    value: (v, k) => v.filter((n) => n < k),
    ...closed,
  }),
  list<number>({
    id: 'other_than',
    constants: K12,
    say: (k) => `without those that are ${k}`,
    python: (e, k) => `[n for n in ${e} if n != ${k}]`,
    value: (v, k) => v.filter((n) => n !== k),
    ...closed,
  }),
  list<number>({
    id: 'floor',
    constants: K12,
    say: (k) => `with each raised to at least ${k}`,
    python: (e, k) => `[max(n, ${k}) for n in ${e}]`,
    value: (v, k) => v.map((n) => Math.max(n, k)),
    ...closed,
  }),
  list<number>({
    id: 'append',
    constants: K12,
    say: (k) => `with ${k} after them`,
    python: (e, k) => `${e} + [${k}]`,
    value: (v, k) => [...v, k],
    ...open,
  }),
  list<number>({
    id: 'prepend',
    constants: K12,
    say: (k) => `with ${k} before them`,
    python: (e, k) => `[${k}] + ${e}`,
    value: (v, k) => [k, ...v],
    ...open,
  }),
  list({
    id: 'sorted',
    constants: null,
    say: () => 'sorted',
    python: (e) => `sorted(${e})`,
    value: (v) => [...v].sort(ascending),
    ...closed,
  }),
  list({
    id: 'reversed',
    constants: null,
    say: () => 'reversed',
    python: (e) => `${e}[::-1]`,
    value: (v) => [...v].reverse(),
  }),
  list({
    id: 'rest',
    constants: null,
    say: () => 'without the first',
    python: (e) => `${e}[1:]`,
    value: (v) => v.slice(1),
  }),
  told({
    id: 'total',
    constants: null,
    say: () => 'as their sum',
    python: (e) => `sum(${e})`,
    value: (v) => sum(v),
    ...closed,
  }),
  told({
    id: 'length',
    constants: null,
    say: () => 'as their number',
    python: (e) => `len(${e})`,
    value: (v) => v.length,
    ...closed,
  }),
  told<number>({
    id: 'count',
    constants: K12,
    say: (k) => `as how many of them are ${k}`,
    python: (e, k) => `${e}.count(${k})`,
    value: (v, k) => v.filter((n) => n === k).length,
  }),
];

const string = partMaker<string>('string', 'string');
const read = partMaker<string>('string', 'number');
const STRING_PARTS: readonly Part[] = [
  string<Letter>({
    id: 'suffix',
    constants: LETTERS,
    say: (c) => `with ${c} after it`,
    python: (e, c) => `${e} + '${c}'`,
    value: (v, c) => v + c,
    ...open,
  }),
  string<Letter>({
    id: 'prefix',
    constants: LETTERS,
    say: (c) => `with ${c} before it`,
    python: (e, c) => `'${c}' + ${e}`,
    value: (v, c) => c + v,
    ...open,
  }),
  string<Letter>({
    id: 'drop',
    constants: LETTERS,
    say: (c) => `with every ${c} removed`,
    python: (e, c) => `${e}.replace('${c}', '')`,
    value: (v, c) => v.replaceAll(c, ''),
  }),
  string<Letter>({
    id: 'double',
    constants: LETTERS,
    say: (c) => `with each ${c} doubled`,
    python: (e, c) => `${e}.replace('${c}', '${c}${c}')`,
    value: (v, c) => v.replaceAll(c, c + c),
  }),
  string<Letter>({
    id: 'join',
    constants: LETTERS,
    say: (c) => `joined by ${c}`,
    python: (e, c) => `'${c}'.join(${e})`,
    value: (v, c) => [...v].join(c),
    ...closed,
  }),
  string<number>({
    id: 'repeat',
    constants: [2, 3],
    say: (k) => `repeated ${k} times`,
    python: (e, k) => `${e} * ${k}`,
    value: (v, k) => v.repeat(k),
    ...open,
  }),
  string({
    id: 'capitals',
    constants: null,
    say: () => 'in capitals',
    python: (e) => `${e}.upper()`,
    value: (v) => v.toUpperCase(),
  }),
  string({
    id: 'tail',
    constants: null,
    say: () => 'without its first letter',
    python: (e) => `${e}[1:]`,
    value: (v) => v.slice(1),
  }),
  string({
    id: 'head',
    constants: null,
    say: () => 'without its last letter',
    python: (e) => `${e}[:-1]`,
    value: (v) => v.slice(0, -1),
  }),
  read({
    id: 'size',
    constants: null,
    say: () => 'as its length',
    python: (e) => `len(${e})`,
    value: (v) => v.length,
    ...closed,
  }),
  read<Letter>({
    id: 'count_of',
    constants: LETTERS,
    say: (c) => `as how many ${c} it has`,
    python: (e, c) => `${e}.count('${c}')`,
    value: (v, c) => v.split(c).length - 1,
  }),
  read<Letter>({
    id: 'find',
    constants: LETTERS,
    say: (c) => `as the place of its first ${c}`,
    python: (e, c) => `${e}.find('${c}')`,
    value: (v, c) => v.indexOf(c),
  }),
];

export const PARTS: readonly Part[] = [...NUMBER_PARTS, ...PAIR_PARTS, ...LIST_PARTS, ...STRING_PARTS];

/** What a part of a chain is in one problem: the part with its constant. */
export interface Link {
  readonly part: Part;
  readonly constant: Parameter | null;
}

/** A family of chains of the same two parts. */
export interface Chain extends Family {
  readonly parts: readonly [Part, Part];
  /** The same, link by link. */
  links(params: Params): readonly Link[];
}

const START: Readonly<Record<ArgumentKind, string>> = { number: 'x', pair: '', list: 'nums', string: 's' };

/** Of the parameters those without a constant have none. */
const constantsOf = (parts: readonly Part[], params: Params): (Parameter | null)[] => {
  let next = 0;
  return parts.map(({ constants }) => (constants[0] === null ? null : params[next++]));
};

/** What the method's arguments are to the first part: one value. */
const startOf = (kind: ArgumentKind, args: readonly Json[]): Json => (kind === 'pair' ? [...args] : args[0]);

// What a chain says, writes and returns follows from its links alone, also where they are no family's (a mistake).

export const describeChain = (links: readonly Link[]): string =>
  links
    .map(({ part, constant }) => part.describe(constant ?? 0))
    .join(', then ')
    .replace(/^/, START[links[0].part.from] === '' ? '' : `${START[links[0].part.from]} `);

export function pythonOfChain(links: readonly Link[]): string {
  let text = START[links[0].part.from];
  let isOpen = false;
  for (const { part, constant } of links) {
    text = part.python(isOpen && !part.encloses ? `(${text})` : text, constant ?? 0);
    isOpen = part.isOpen;
  }
  return text;
}

export const valueOfChain = (links: readonly Link[], args: readonly Json[]): Json =>
  links.reduce<Json>(
    (value, { part, constant }) => part.value(value, constant ?? 0),
    startOf(links[0].part.from, args),
  );

const isLetter = (constant: Parameter): constant is Letter => typeof constant === 'string';

/** Inputs near the constants, where a threshold or a letter is met. */
function inputsOf(kind: ArgumentKind, params: Params, rng: CounterRng, size: 'small' | 'wide'): Json[] {
  const isSmall = size === 'small';
  const numbers = params.filter((k) => typeof k === 'number');
  if (kind === 'number') return [isSmall ? between(rng, 1, 9) : between(rng, -9, 24)];
  if (kind === 'pair')
    return isSmall ? [between(rng, 1, 7), between(rng, 1, 7)] : [between(rng, -9, 15), between(rng, -9, 15)];
  if (kind === 'list') {
    const length = isSmall ? 1 + rng.int(2) : between(rng, 3, 6);
    const one = () => {
      if (numbers.length > 0 && rng.int(3) === 0) return Math.max(0, rng.choice(numbers) - rng.int(2));
      return isSmall ? between(rng, 1, 9) : between(rng, -5, 16);
    };
    return [Array.from({ length }, one)];
  }
  const letters = params.filter(isLetter);
  const length = isSmall ? between(rng, 2, 3) : between(rng, 4, 7);
  return [
    Array.from({ length }, () =>
      letters.length > 0 && rng.uniform() < 0.4 ? rng.choice(letters) : rng.choice(LETTERS),
    ).join(''),
  ];
}

/** Of all pairs of constants so many, evenly. */
const MOST_PARAMS = 24;
/** A family has a dozen at least, as the single expressions have. */
const FEWEST_PARAMS = 12;
/** Inputs on which two problems must differ. */
const PROBES = 60;

const probes = new Map<ArgumentKind, readonly Json[][]>();

/** The same for every chain of a kind, so that equal problems are seen. */
function probesOf(kind: ArgumentKind): readonly Json[][] {
  let made = probes.get(kind);
  if (!made) {
    const rng = CounterRng.of(0, STREAMS.problems, kind.length);
    made = Array.from({ length: PROBES }, (_, i) => inputsOf(kind, range(2, 13), rng, i % 3 ? 'wide' : 'small'));
    probes.set(kind, made);
  }
  return made;
}

const behaviourOf = (links: readonly Link[]): string =>
  JSON.stringify(probesOf(links[0].part.from).map((args) => valueOfChain(links, args)));

const linksOf = (parts: readonly Part[], params: Params): Link[] => {
  const constants = constantsOf(parts, params);
  return parts.map((part, i) => ({ part, constant: constants[i] }));
};

/** Every pair of constants. */
const allParams = ([first, second]: readonly [Part, Part]): Params[] =>
  first.constants.flatMap((a) => second.constants.map((b) => [a, b].filter((k) => k !== null)));

const familyOfParts = (parts: readonly [Part, Part], space: readonly Params[]): Chain => {
  const [{ from }] = parts;
  const links = (params: Params) => linksOf(parts, params);
  return {
    id: parts.map(({ id }) => id).join('>'),
    signature: ARGUMENTS[from],
    space,
    parts,
    links,
    describe: (params) => describeChain(links(params)),
    python: (params) => pythonOfChain(links(params)),
    value: (params, args) => valueOfChain(links(params), args),
    inputs: (params, rng, size) => inputsOf(from, params, rng, size),
  };
};

// Which chains there are: all two parts that fit, but for problems that are not worth a name of their own.

/** Draws by which a problem is judged, and what is asked of them. */
const DRAWS = { count: 40, mostCommon: 0.75, distinct: 3, apart: 0.15 } as const;

const valuesOf = (links: readonly Link[], inputs: readonly Json[][]): string[] =>
  inputs.map((args) => JSON.stringify(valueOfChain(links, args)));

/** The wide inputs of a problem; null where its answers hardly vary. */
function telling(links: readonly Link[], params: Params): readonly Json[][] | null {
  const { from } = links[0].part;
  const drawn = (size: 'small' | 'wide') => {
    const rng = CounterRng.of(1, STREAMS.problems, params.length, size.length);
    return Array.from({ length: DRAWS.count }, () => inputsOf(from, params, rng, size));
  };
  const wide = drawn('wide');
  const values = valuesOf(links, wide);
  const counts = [...new Set(values)].map((value) => values.filter((other) => other === value).length);
  if (counts.length < DRAWS.distinct || Math.max(...counts) > DRAWS.mostCommon * DRAWS.count) return null;
  return new Set(valuesOf(links, drawn('small'))).size > 1 ? wide : null;
}

/** Problems next to each other are told apart by tests (problem.ts), so that their answers must differ often. */
function apart(parts: readonly Part[], space: readonly Params[]): Params[] {
  const kept: Params[] = [];
  for (const params of space) {
    const links = linksOf(parts, params);
    const before = kept.at(-1);
    const inputs = telling(links, params)!;
    const own = valuesOf(links, inputs);
    const others = before ? valuesOf(linksOf(parts, before), inputs) : [];
    if (!before || own.filter((value, i) => value !== others[i]).length >= DRAWS.apart * DRAWS.count) kept.push(params);
  }
  return kept;
}

const evenly = <T>(items: readonly T[], most: number): T[] =>
  items.length <= most
    ? [...items]
    : Array.from({ length: most }, (_, i) => items[Math.floor((i * items.length) / most)]);

function composed(): readonly Chain[] {
  // What one part alone does, or nothing, is no chain's problem.
  const seen = new Set(
    PARTS.flatMap((part) => part.constants.map((constant) => `${part.from} ${behaviourOf([{ part, constant }])}`)),
  );
  for (const kind of ['number', 'list', 'string'] as const)
    seen.add(`${kind} ${JSON.stringify(probesOf(kind).map(([first]) => first))}`);
  return PARTS.flatMap((first) =>
    PARTS.filter((second) => second.from === first.to && second !== first).flatMap((second) => {
      const parts = [first, second] as const;
      const space = allParams(parts).filter((params) => {
        const links = linksOf(parts, params);
        const behaviour = `${first.from} ${behaviourOf(links)}`;
        if (seen.has(behaviour) || !telling(links, params)) return false;
        seen.add(behaviour);
        return true;
      });
      const spread = apart(parts, evenly(space, MOST_PARAMS));
      return spread.length >= FEWEST_PARAMS ? [familyOfParts(parts, spread)] : [];
    }),
  );
}

let all: readonly Chain[] | null = null;

/** All of them, in a fixed order. Made when they are first asked for. */
export function composedFamilies(): readonly Chain[] {
  all ??= composed();
  return all;
}

// Mistakes: one part, or both, is another one of the same kinds, or has another constant.

/** Throws no error: every kind of part has several. */
export function mistaken(links: readonly Link[], isWrong: readonly boolean[], rng: CounterRng): Link[] {
  return links.map((link, i) => {
    if (!isWrong[i]) return link;
    const { part, constant } = link;
    if (part.constants.length > 1 && rng.int(2)) return { part, constant: rng.choice(part.constants) };
    const other = rng.choice(PARTS.filter(({ from, to }) => from === part.from && to === part.to));
    const fits = constant !== null && other.constants.includes(constant);
    return { part: other, constant: fits ? constant : rng.choice(other.constants) };
  });
}
