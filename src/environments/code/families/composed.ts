// Families of compositions of two parts over one signature, for example `min(x + 3, 7)`. A few dozen parts make some hundreds of families, so a tenth
// of the problems shows only some of the parts. Mistakes belong to parts: each part has its own share of them (model.ts).
import { CounterRng, STREAMS } from '../../../rng/index.ts';
import { ARGUMENTS, type ArgumentKind, type Json } from '../types.ts';
import { between, evenly, type Family, LETTERS, type Params, range } from './family.ts';
import { type Constant, PARTS, type Part, START } from './parts.ts';

/** A part with its constant, in one problem. */
export interface Use {
  readonly part: Part;
  readonly constant: Constant | null;
}

/** A family of compositions of the same two parts. */
export interface Composition extends Family {
  readonly parts: readonly [Part, Part];
  /** The parts with a problem's constants. */
  uses(params: Params): readonly Use[];
}

/** Constants by part; null for a part without one, which has no parameter. */
const constantsOf = (parts: readonly Part[], params: Params): (Constant | null)[] => {
  let next = 0;
  return parts.map(({ constants }) => (constants[0] === null ? null : params[next++]));
};

/** The method's arguments as the first part's single input. */
const startOf = (kind: ArgumentKind, args: readonly Json[]): Json => (kind === 'pair' ? [...args] : args[0]);

// Description, Python and value follow from the uses, also of mistaken compositions, which belong to no family.

export function describeUses(uses: readonly Use[]): string {
  const start = START[uses[0].part.from];
  const text = uses.map(({ part, constant }) => part.describe(constant ?? 0)).join(', then ');
  return start === '' ? text : `${start} ${text}`;
}

export function pythonOfUses(uses: readonly Use[]): string {
  let text: string = START[uses[0].part.from];
  let isOpen = false;
  for (const { part, constant } of uses) {
    text = part.python(isOpen && part.outermost !== 'call' ? `(${text})` : text, constant ?? 0);
    isOpen = part.outermost === 'operator';
  }
  return text;
}

export const valueOfUses = (uses: readonly Use[], args: readonly Json[]): Json =>
  uses.reduce<Json>((value, { part, constant }) => part.value(value, constant ?? 0), startOf(uses[0].part.from, args));

const isLetter = (constant: Constant): constant is string => typeof constant === 'string';

/** Inputs near the constants, where thresholds and letters make a difference. */
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

/** Most constant pairs in use, spread evenly over all. */
const MOST_PARAMS = 24;
/** Fewest parameters of a family, as for single expressions. */
const FEWEST_PARAMS = 12;
/** Number of inputs on which two problems must differ. */
const PROBES = 60;

const probes = new Map<ArgumentKind, readonly Json[][]>();

/** Probe inputs, the same for every composition of a kind, so that equal problems are detected. */
function probesOf(kind: ArgumentKind): readonly Json[][] {
  let made = probes.get(kind);
  if (!made) {
    const rng = CounterRng.of(0, STREAMS.problems, kind.length);
    made = Array.from({ length: PROBES }, (_, i) => inputsOf(kind, range(2, 13), rng, i % 3 ? 'wide' : 'small'));
    probes.set(kind, made);
  }
  return made;
}

const behaviourOf = (uses: readonly Use[]): string =>
  JSON.stringify(probesOf(uses[0].part.from).map((args) => valueOfUses(uses, args)));

const usesOf = (parts: readonly Part[], params: Params): Use[] => {
  const constants = constantsOf(parts, params);
  return parts.map((part, i) => ({ part, constant: constants[i] }));
};

/** Every pair of constants. */
const allParams = ([first, second]: readonly [Part, Part]): Params[] =>
  first.constants.flatMap((a) => second.constants.map((b) => [a, b].filter((k) => k !== null)));

const familyOfParts = (parts: readonly [Part, Part], space: readonly Params[]): Composition => {
  const [{ from }] = parts;
  const uses = (params: Params) => usesOf(parts, params);
  return {
    id: parts.map(({ id }) => id).join('>'),
    signature: ARGUMENTS[from],
    space,
    parts,
    uses,
    describe: (params) => describeUses(uses(params)),
    python: (params) => pythonOfUses(uses(params)),
    value: (params, args) => valueOfUses(uses(params), args),
    inputs: (params, rng, size) => inputsOf(from, params, rng, size),
  };
};

// All compositions: any two parts that fit, except problems that are too similar or trivial.

/** Number of draws by which a problem is judged, and bounds on its answers. */
const DRAWS = { count: 40, mostCommon: 0.75, distinct: 3, apart: 0.15 } as const;

const valuesOf = (uses: readonly Use[], inputs: readonly Json[][]): string[] =>
  inputs.map((args) => JSON.stringify(valueOfUses(uses, args)));

/** A problem's wide inputs; null if its answers hardly vary. */
function telling(uses: readonly Use[], params: Params): readonly Json[][] | null {
  const { from } = uses[0].part;
  const drawn = (size: 'small' | 'wide') => {
    const rng = CounterRng.of(1, STREAMS.problems, params.length, size.length);
    return Array.from({ length: DRAWS.count }, () => inputsOf(from, params, rng, size));
  };
  const wide = drawn('wide');
  const values = valuesOf(uses, wide);
  const counts = [...new Set(values)].map((value) => values.filter((other) => other === value).length);
  if (counts.length < DRAWS.distinct || Math.max(...counts) > DRAWS.mostCommon * DRAWS.count) return null;
  return new Set(valuesOf(uses, drawn('small'))).size > 1 ? wide : null;
}

/** Keeps parameters whose answers differ often from their neighbours', because tests must tell neighbouring problems apart (problem.ts). */
function distinguishable(parts: readonly Part[], space: readonly Params[]): Params[] {
  const kept: Params[] = [];
  for (const params of space) {
    const uses = usesOf(parts, params);
    const before = kept.at(-1);
    const inputs = telling(uses, params)!;
    const own = valuesOf(uses, inputs);
    const others = before ? valuesOf(usesOf(parts, before), inputs) : [];
    if (!before || own.filter((value, i) => value !== others[i]).length >= DRAWS.apart * DRAWS.count) kept.push(params);
  }
  return kept;
}

function composed(): readonly Composition[] {
  // Behaviours of single parts are excluded.
  const seen = new Set(
    PARTS.flatMap((part) => part.constants.map((constant) => `${part.from} ${behaviourOf([{ part, constant }])}`)),
  );
  for (const kind of ['number', 'list', 'string'] as const)
    seen.add(`${kind} ${JSON.stringify(probesOf(kind).map(([first]) => first))}`);
  return PARTS.flatMap((first) =>
    PARTS.filter((second) => second.from === first.to && second !== first).flatMap((second) => {
      const parts = [first, second] as const;
      const space = allParams(parts).filter((params) => {
        const uses = usesOf(parts, params);
        const behaviour = `${first.from} ${behaviourOf(uses)}`;
        if (seen.has(behaviour) || !telling(uses, params)) return false;
        seen.add(behaviour);
        return true;
      });
      const spread = distinguishable(parts, evenly(space, Math.min(MOST_PARAMS, space.length)));
      return spread.length >= FEWEST_PARAMS ? [familyOfParts(parts, spread)] : [];
    }),
  );
}

let all: readonly Composition[] | null = null;

/** All compositions in a fixed order, made on first use. */
export function composedFamilies(): readonly Composition[] {
  all ??= composed();
  return all;
}

/** The same constant if the other part accepts it; otherwise one derived from it. */
function constantFor({ constants }: Part, constant: Constant | null): Constant | null {
  if (constants.includes(constant)) return constant;
  return constants[(typeof constant === 'number' ? constant : 0) % constants.length];
}

/** A mistaken composition: each wrong part is replaced by another of the same kinds, or gets another constant; a part with a misconception is
 *  always replaced by the same other part. The result may be correct by chance. */
export function mistaken(
  uses: readonly Use[],
  isWrong: readonly boolean[],
  rng: CounterRng,
  takenFor: ReadonlyMap<string, Part> = new Map(),
): Use[] {
  return uses.map((use, i) => {
    if (!isWrong[i]) return use;
    const { part, constant } = use;
    const instead = takenFor.get(part.id);
    if (instead) return { part: instead, constant: constantFor(instead, constant) };
    if (part.constants.length > 1 && rng.int(2)) return { part, constant: rng.choice(part.constants) };
    const other = rng.choice(PARTS.filter(({ from, to }) => from === part.from && to === part.to));
    const fits = constant !== null && other.constants.includes(constant);
    return { part: other, constant: fits ? constant : rng.choice(other.constants) };
  });
}
