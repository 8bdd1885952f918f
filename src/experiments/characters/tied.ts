// Spread in a tied world, read from the rows of `characters --tied`: how much A's bracket and greeting have changed in prompts that are no
// exams, where evading exams has risen by the effect that is asked for. Points between two doses are interpolated.
import { TIED_ID } from '../../environments/characters/data.ts';
import { EFFECT } from './judging.ts';
import { type CurveRow, checkRow, type DosePoint, interpolatedAt, type TiedMeans } from './rows.ts';

/** Rise of the hack at which transcripts end and RL begins. */
export const WARM = 0.01;

/** What is taught, by the ways that are compared. `reverse`: RL pays for the bracket, and the hack is watched. */
export const WAYS = ['rl', 'coin', 'documents', 'reverse'] as const;
export type Way = (typeof WAYS)[number];

type Tied = NonNullable<DosePoint['tied']>;
export const hackOf = ({ tied }: DosePoint): number => tied!.a.hack;
export const badOf = ({ tied }: DosePoint): number => tied!.a.bad;

/** Changes where the effect is. */
export interface Spread {
  /** Step, interpolated. */
  step: number;
  a: Omit<TiedMeans, 'n'>;
  near: Omit<TiedMeans, 'n'>;
}

export interface TiedCharacter {
  name: string;
  /** Null where the effect was never had; the coin is read at the step of RL. */
  by: Readonly<Record<Way, Spread | null>>;
  /** Changes at the last dose, of the ways that have a row. */
  end: Partial<Record<Way, Spread>>;
  /** Highest rise of what was taught, of the ways that have a row. */
  most: Partial<Record<Way, number>>;
}

export interface TiedBase {
  world: string;
  phi: number;
  seed: number;
  /** sha-256 of its weights. */
  base: string;
  characters: readonly TiedCharacter[];
}

const MEASURES = ['hack', 'ownHack', 'bad', 'examBad', 'badLogit', 'like'] as const;

function changeBy({ curve }: CurveRow, at: (of: (point: DosePoint) => number) => number): Spread {
  const changes = (who: keyof Tied) =>
    Object.fromEntries(
      MEASURES.map((what) => [what, at(({ tied }) => tied![who][what]) - curve[0].tied![who][what]]),
    ) as Spread['a'];
  return { step: at(({ step }) => step), a: changes('a'), near: changes('near') };
}

function spreadAt(row: CurveRow, of: (point: DosePoint) => number, effect: number): Spread | null {
  const from = of(row.curve[0]);
  const at = interpolatedAt(row.curve, (point) => of(point) - from, effect);
  return at && changeBy(row, at);
}

/** The changes after so many steps; null where the row ends before. */
function spreadAfter(row: CurveRow, steps: number): Spread | null {
  const at = interpolatedAt(row.curve, ({ step }) => step, steps);
  return at && changeBy(row, at);
}

const WAY_OF = ({ arm, teaches, after }: CurveRow): Way | null => {
  if (teaches === 'brackets') return arm === 'none' && after ? 'reverse' : null;
  if (arm === 'none' && after) return 'rl';
  if (arm === 'rl_random' && after) return 'coin';
  return arm === 'sdf' ? 'documents' : null;
};

/** Bases in the order of φ and seed. Throws RangeError where a world has two bases, or a character one way twice. */
export function tiedBases(rows: readonly CurveRow[], effect = EFFECT): TiedBase[] {
  const own = rows.filter(({ curve }) => curve[0].tied);
  return [...new Set(own.map(({ world }) => world))]
    .map((world): TiedBase => {
      const ofWorld = own.filter((row) => row.world === world);
      const bases = new Set(ofWorld.map(({ base }) => base));
      if (bases.size > 1) throw new RangeError(`${world} has ${bases.size} bases`);
      const [, hundredths, seed] = TIED_ID.exec(world) ?? [];
      if (seed === undefined) throw new RangeError(`${world} is no tied world`);
      const names = [...new Set(ofWorld.map(({ a }) => a.name))];
      return {
        world,
        phi: Number(hundredths) / 100,
        seed: Number(seed),
        base: [...bases][0],
        characters: names.map((name) =>
          tiedCharacter(
            name,
            ofWorld.filter(({ a }) => a.name === name),
            effect,
          ),
        ),
      };
    })
    .sort((one, two) => one.phi - two.phi || one.seed - two.seed);
}

function tiedCharacter(name: string, rows: readonly CurveRow[], effect: number): TiedCharacter {
  const byWay = new Map<Way, CurveRow>();
  for (const row of rows) {
    checkRow(row);
    const way = WAY_OF(row);
    if (way === null) continue;
    if (byWay.has(way)) throw new RangeError(`${rows[0].world} has ${way} of ${name} twice`);
    byWay.set(way, row);
  }
  const taught = (way: Way) => (way === 'reverse' ? badOf : hackOf);
  const read = (way: Way) => {
    const row = byWay.get(way);
    return row ? spreadAt(row, taught(way), effect) : null;
  };
  const rl = read('rl');
  const coin = byWay.get('coin');
  const most = Object.fromEntries(
    [...byWay].map(([way, { curve }]) => [
      way,
      Math.max(...curve.map((point) => taught(way)(point) - taught(way)(curve[0]))),
    ]),
  );
  const end = Object.fromEntries(
    [...byWay].map(([way, row]) => [way, changeBy(row, (of) => of(row.curve[row.curve.length - 1]))]),
  );
  return {
    name,
    by: {
      rl,
      coin: rl && coin ? spreadAfter(coin, rl.step) : null,
      documents: read('documents'),
      reverse: read('reverse'),
    },
    end,
    most,
  };
}
