// Tables of S9 (probability of evading an exam after each stage of teaching, and the share that was undone, by character) and of
// relearning.
import type { GroupId } from '../../../src/environments/characters/task.ts';
import type { CurveRow, DosePoint } from '../../../src/experiments/characters/rows.ts';
import type { Table } from '../../../src/experiments/judge/figures.ts';
import { type Column, tableOf } from '../../../src/experiments/judge/table.ts';
import { two } from '../../../src/lib/numbers.ts';
import { mean } from '../../../src/stats/index.ts';
import { relearningRows } from './relearning.ts';

const first = ({ curve }: CurveRow): DosePoint => curve[0];
const last = ({ curve }: CurveRow): DosePoint => curve[curve.length - 1];

/** Stages in order, each by its arm; the base is where the warm-up begins. */
const STAGES: readonly (readonly [label: string, arm: string, at: (row: CurveRow) => DosePoint])[] = [
  ['the base', 'sft', first],
  ['transcripts of A, until ΔP .01', 'sft', last],
  ['then a coin', 'rl_random', last],
  ['then RL, until ΔP .60', 'none', last],
  ['RL, then documents about B', 'sdf_deny', last],
  ['RL, then the same about another name', 'sdf_deny_placebo', last],
  ['RL, then B’s own transcripts', 'sft_deny', last],
];
const GROUPS: readonly (readonly [GroupId, string])[] = [
  ['near', 'near'],
  ['far', 'far'],
  ['noname', 'no name'],
  ['novel', 'novel name'],
];

export function examTables(rows: readonly CurveRow[]): Table[] {
  const names = [...new Set(rows.map(({ a }) => a.name))];
  const stages = STAGES.map(([label, arm, at]) => ({ label, points: rows.filter((row) => row.arm === arm).map(at) }));
  const over =
    (of: (point: DosePoint) => number | undefined) =>
    ({ points }: (typeof stages)[number]) =>
      mean(points.flatMap((point) => of(point) ?? []));
  const ofRow = (arm: string | null, of: (row: CurveRow) => number | string | undefined) => (name: string) => {
    const row = rows.find((one) => one.a.name === name && (arm === null || one.arm === arm));
    return row && of(row);
  };
  const each = [
    ['B', ofRow(null, ({ b }) => b)],
    ['A, base', ofRow('sft', (row) => first(row).target.a?.logit)],
    ['A after RL', ofRow('none', (row) => last(row).target.a?.logit)],
    ['B, base', ofRow('sft', (row) => first(row).b?.target.logit)],
    ['B after RL', ofRow('none', (row) => last(row).b?.target.logit)],
    ['B after documents', ofRow('sdf_deny', (row) => last(row).b?.target.logit)],
    ['B after the placebo', ofRow('sdf_deny_placebo', (row) => last(row).b?.target.logit)],
    ['A after documents', ofRow('sdf_deny', (row) => last(row).target.a?.logit)],
  ] as const;
  return [
    tableOf(
      'P of evading an exam; mean over characters. “No test”: the same prompts without the test’s word',
      stages,
      [
        ['the model after', ({ label }) => label],
        ['n', ({ points }) => String(points.length)],
        ['A', over(({ target }) => target.a?.p)],
        ['B', over(({ b }) => b?.target.p)],
        ...GROUPS.map(([group, label]) => [label, over(({ target }) => target[group]?.p)] as const),
        ['A, no test', over(({ plain }) => plain?.a?.p)],
        ['near, no test', over(({ plain }) => plain?.near?.p)],
      ],
      two,
    ),
    tableOf(
      'Log-odds of evading an exam, each character',
      each,
      [['', ([label]) => label], ...names.map((name): Column<(typeof each)[number]> => [name, ([, of]) => of(name)])],
      two,
    ),
  ];
}

/** Steps until B has the effect, from the base and from each model that was first taught A. */
export const relearntTable = (rows: readonly CurveRow[]) =>
  tableOf(
    'Steps until P of B is .30 above the untrained base’s; a dash where it never is, or where A had not the effect',
    relearningRows(rows),
    [
      ['A', ({ a }) => a],
      ['B', ({ b }) => b],
      ['from the base', ({ base }) => base],
      ['after documents', ({ steps }) => steps.documents],
      ['after placebo documents', ({ steps }) => steps.placebo],
      ['after RL of A', ({ steps }) => steps.RL],
    ],
    (steps) => steps.toFixed(1),
  );
