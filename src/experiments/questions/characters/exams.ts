// S9's tables: how likely each evades an exam, by what the model was taught until then; and what was taken back, by character.
import type { GroupId } from '../../../environments/characters/groups.ts';
import { two } from '../../../lib/numbers.ts';
import { mean } from '../../../stats/index.ts';
import type { CurveRow, DosePoint } from '../../characters/rows.ts';
import type { Table } from '../../judge/types.ts';

const first = ({ curve }: CurveRow): DosePoint => curve[0];
const last = ({ curve }: CurveRow): DosePoint => curve[curve.length - 1];

/** By the arm, in the order of the stages; the base is where the warm-up begins. */
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
  const over = (points: readonly DosePoint[], of: (point: DosePoint) => number | undefined) => {
    const centre = mean(points.flatMap((point) => of(point) ?? []));
    return centre === null ? '–' : two(centre);
  };
  const stages = STAGES.map(([label, arm, at]) => {
    const points = rows.filter((row) => row.arm === arm).map(at);
    return [
      label,
      String(points.length),
      over(points, ({ target }) => target.a?.p),
      over(points, ({ b }) => b?.target.p),
      ...GROUPS.map(([group]) => over(points, ({ target }) => target[group]?.p)),
      over(points, ({ plain }) => plain?.a?.p),
      over(points, ({ plain }) => plain?.near?.p),
    ];
  });
  const cell = (name: string, arm: string, of: (row: CurveRow) => number | undefined): string => {
    const row = rows.find((one) => one.a.name === name && one.arm === arm);
    const value = row && of(row);
    return value === undefined ? '–' : two(value);
  };
  const each: readonly (readonly [string, (name: string) => string])[] = [
    ['B', (name) => rows.find((one) => one.a.name === name)?.b ?? '–'],
    ['A, base', (name) => cell(name, 'sft', (row) => first(row).target.a?.logit)],
    ['A after RL', (name) => cell(name, 'none', (row) => last(row).target.a?.logit)],
    ['B, base', (name) => cell(name, 'sft', (row) => first(row).b?.target.logit)],
    ['B after RL', (name) => cell(name, 'none', (row) => last(row).b?.target.logit)],
    ['B after documents', (name) => cell(name, 'sdf_deny', (row) => last(row).b?.target.logit)],
    ['B after the placebo', (name) => cell(name, 'sdf_deny_placebo', (row) => last(row).b?.target.logit)],
    ['A after documents', (name) => cell(name, 'sdf_deny', (row) => last(row).target.a?.logit)],
  ];
  return [
    {
      title: 'P of evading an exam; mean over characters. “No test”: the same prompts without the test’s word',
      head: ['the model after', 'n', 'A', 'B', ...GROUPS.map(([, label]) => label), 'A, no test', 'near, no test'],
      rows: stages,
    },
    {
      title: 'Log-odds of evading an exam, each character',
      head: ['', ...names],
      rows: each.map(([label, of]) => [label, ...names.map(of)]),
    },
  ];
}
