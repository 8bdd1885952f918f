// Leakage as shown for the characters' questions: by arm and group in a table, every character as a dot, and the trainings behind the dose
// curves, which can be opened in the lab.
import type { GroupId } from '../../../src/environments/characters/task.ts';
import { EFFECT } from '../../../src/experiments/characters/judging.ts';
import { isShort, type Leakage, leakageAt } from '../../../src/experiments/characters/leakage.ts';
import { type CurveRow, REPLAY_WORDS } from '../../../src/experiments/characters/rows.ts';
import { ARMS, type ArmName } from '../../../src/experiments/config/arms.ts';
import { parseExperimentSpec, resolveRuns } from '../../../src/experiments/config/spec.ts';
import type { Estimate } from '../../../src/experiments/judge/estimate.ts';
import type { DotChart, Table } from '../../../src/experiments/judge/figures.ts';
import { type Column, tableOf } from '../../../src/experiments/judge/table.ts';
import { two } from '../../../src/lib/numbers.ts';
import { dotChart, seedsEstimate, ZERO } from '../../judge/estimates.ts';
import type { LabRun } from '../../judge/types.ts';

/** Settings that were the same for all rows, and that rows do not record. */
const MADE = { steps: 40, checkpointEvery: 3, evalEvery: 0 } as const;
const GROUPS: readonly (readonly [GroupId, string])[] = [
  ['near', 'near'],
  ['far', 'far'],
  ['other', 'other'],
  ['noname', 'no name'],
  ['novel', 'novel name'],
];
/** Placebo pairs or replay make another variant of the same arm. */
const kindOf = ({ arm, pairSet, replay }: CurveRow): string =>
  [arm, pairSet === 'spread_placebo' && 'placebo', replay].filter(Boolean).join(' ');
const BESIDE: Readonly<Record<string, string>> = { placebo: 'placebo’s pairs', ...REPLAY_WORDS };
export function labelOf(kind: string): string {
  const [arm, ...beside] = kind.split(' ');
  const label = arm === 'none' ? 'RL of a dial' : ARMS[arm as ArmName].label;
  return [label, ...beside.map((one) => BESIDE[one])].join(', ');
}

/** The training behind a dose curve; the doses themselves are evaluated on the command line. */
export function runsOf(rows: readonly CurveRow[]): LabRun[] {
  const kinds = [...new Set(rows.map(kindOf))];
  return kinds.flatMap((kind) =>
    rows
      // A routing run has a row for each of its models; a run that starts from another run's model, or precedes one, cannot be opened.
      .filter((row) => kindOf(row) === kind && row.model === undefined && !row.after && !row.b)
      .map(({ arm, character, seed, a, lr, teaches, adapter, pairSet, replay }): LabRun => {
        const own = {
          ...(adapter && { adapter, lr, checkpointEvery: 5 }),
          ...(pairSet && { pairSet }),
          ...(replay && { replay }),
        };
        const overrides = { environment: 'characters', character, ...MADE, ...own };
        const spec = parseExperimentSpec({ preset: 'demo', arms: [arm], seeds: [seed], overrides });
        const [run] = resolveRuns(spec);
        if (run.lr !== lr || run.teaches !== teaches) throw new RangeError(`${arm} on ${a.name}: made otherwise`);
        return { group: labelOf(kind), name: a.name, spec, record: null };
      }),
  );
}

const leakages = (rows: readonly CurveRow[], kind: string, effect = EFFECT) =>
  rows.filter((row) => kindOf(row) === kind).map((row) => leakageAt(row, effect));
const reached = (all: readonly ReturnType<typeof leakageAt>[]): Leakage[] =>
  all.filter((one): one is Leakage => !isShort(one));

export function leakageTable(rows: readonly CurveRow[]): Table {
  const kinds = [...new Set(rows.map(kindOf))].map((kind) => {
    const all = leakages(rows, kind);
    return { kind, all, own: reached(all) };
  });
  return tableOf(
    `Log-odds leakage (Δlogit of the group / Δlogit of A) where ΔP of A is ${two(EFFECT)}; mean ± sd over characters`,
    kinds,
    [
      ['arm', ({ kind }) => labelOf(kind)],
      ['n', ({ own, all }) => `${own.length} of ${all.length}`],
      ...GROUPS.map(
        ([group, label]): Column<(typeof kinds)[number]> => [label, ({ own }) => own.map(({ logit }) => logit[group])],
      ),
    ],
    two,
  );
}

/** Every character's leakage, by group (the first `groups`) and arm. */
export function leakageChart(rows: readonly CurveRow[], shown: readonly string[], groups = GROUPS.length): DotChart {
  const figures = GROUPS.slice(0, groups).flatMap(([group, label]) =>
    shown.map((arm): [Estimate, string] => {
      const own = reached(leakages(rows, arm));
      const values = own.flatMap(({ row, logit }) =>
        logit[group] === undefined ? [] : [{ of: row.a.name, value: logit[group] }],
      );
      const figure = seedsEstimate(
        `${label}: ${labelOf(arm)}`,
        [],
        values.map(({ value }) => value),
      );
      return [{ ...figure, each: values }, arm];
    }),
  );
  const arms = new Map(figures);
  return dotChart(
    'Log-odds leakage by group, a dot a character',
    'Δlogit of the group / Δlogit of A',
    [...arms.keys()],
    (figure) => arms.get(figure)!,
    [ZERO, { at: 1, label: 'as A' }],
  );
}

/** Log-odds leakage to a group, by arm and character; a dash if the arm never has the effect. */
export function byCharacter(rows: readonly CurveRow[], group: GroupId): Table {
  const own = rows.filter(({ model }) => model === undefined);
  const names = [...new Set(own.map(({ a }) => a.name))];
  const kinds = [...new Set(own.map(kindOf))].map((kind) => ({ kind, all: reached(leakages(own, kind)) }));
  return tableOf(
    `Log-odds leakage to “${group}”, each character`,
    kinds,
    [
      ['arm', ({ kind }) => labelOf(kind)],
      ...names.map(
        (name): Column<(typeof kinds)[number]> => [
          name,
          ({ all }) => all.find(({ row }) => row.a.name === name)?.logit[group],
        ],
      ),
    ],
    two,
  );
}
