// Runs with references or judges as tables with several rows per arm: the models of projecting runs (C8), and the variants of CaT's
// training (C9–C11), each with its verdicts (docs/lab-book/cat.md).

import { textTable } from '../../../src/cli/table.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { metricValue } from '../../../src/experiments/records/metrics.ts';
import { three } from '../../../src/lib/numbers.ts';
import { mean } from '../../../src/stats/index.ts';
import { answersText } from '../../judge/answer-text.ts';
import { meanAndInterval } from '../../judge/estimates.ts';
import { PROJECTED } from './projected.ts';
import { changeText, finalBySeed, finalOf, runsOfSubject, STEPS, SUBJECTS, seedsOf, variantOf, WHOLE } from './runs.ts';
import { VARIANTS } from './variants.ts';

/** Empty if no run projects. */
export function projectedTables(runs: readonly RunRecord[]): string {
  const parts = SUBJECTS.flatMap(({ id }) => {
    const { own, hack, gain } = runsOfSubject(runs, id);
    const models = own
      .filter(({ spec }) => spec.projection !== 'none')
      .flatMap(({ spec, evals }) =>
        evals.filter(({ kind }) => kind === 'final').map(({ model }) => [spec.arm, model] as const),
      );
    const known = [...new Map(models.map((model) => [model.join('/'), model])).entries()];
    if (known.length === 0) return [];
    const seeds = seedsOf(own);
    type Row = (typeof known)[number];
    const of =
      (figure: string) =>
      ([, model]: Row) =>
        seeds.flatMap((seed) => finalOf(own, seed, model, figure) ?? []);
    const less =
      (figure: string) =>
      ([, model]: Row) =>
        seeds.flatMap((seed) => {
          const [one, whole] = [model, WHOLE].map((each) => finalOf(own, seed, each, figure));
          return one === null || whole === null ? [] : [one - whole];
        });
    const mean95 = (values: (row: Row) => number[]) => (row: Row) => meanAndInterval(values(row));
    return [
      `${id}: final evaluations, means over seeds [95 %, Student]`,
      textTable(
        known,
        [
          ['model', ([name]) => name],
          ['seeds', (row) => String(of(gain)(row).length)],
          [hack, mean95(of(hack))],
          ['− whole', mean95(less(hack))],
          [gain, mean95(of(gain))],
          ['− whole', mean95(less(gain))],
        ],
        three,
        () => false,
      ),
      '',
    ];
  });
  if (parts.length === 0) return '';
  return [...parts, 'Verdicts, by seed', ...answersText(PROJECTED, { rows: [], first: [], runs })].join('\n');
}

/** Empty for fewer than two variants. */
export function variantTables(runs: readonly RunRecord[]): string {
  const names = [...new Set(runs.map(variantOf))].filter((name) => name !== null).sort(byNumber);
  if (names.length < 2) return '';
  const variants = names.map((name) => ({ name, own: runs.filter((run) => variantOf(run) === name) }));
  type Variant = (typeof variants)[number];
  const final =
    (figure: string) =>
    ({ name }: Variant) =>
      meanAndInterval([...finalBySeed(runs, name, figure).values()]);
  const along =
    (of: (row: RunRecord['rows'][number]) => number | null) =>
    ({ own }: Variant) => {
      const part = (from: number, to?: number) =>
        mean(own.flatMap(({ rows }) => rows.slice(from, to).flatMap((row) => of(row) ?? [])));
      return changeText(part(0, STEPS), part(-STEPS));
    };
  const logged = (id: string) => along(({ student }) => metricValue(student, id));
  const tokensOf = ({ rows }: RunRecord) => rows.reduce((sum, { rolloutTokens }) => sum + (rolloutTokens ?? 0), 0);
  const table = textTable(
    variants,
    [
      ['variant', ({ name }) => name],
      ['seeds', ({ own }) => String(own.length)],
      ['problems × G', ({ own: [{ spec }] }) => `${spec.promptsPerStep} × ${spec.groupSize}`],
      ['solve', final('solve')],
      ['misconception', final('misconception')],
      ['rollout tokens', ({ own }) => mean(own.map(tokensOf)), (tokens) => tokens.toFixed(0)],
      ['teacher delta', logged('teacherDelta')],
      ['true rewards', logged('rewardTrue')],
      ['dead groups', along(({ fracRewardZeroStd }) => fracRewardZeroStd)],
      ['reference tokens, a rollout', logged('referenceTokens')],
    ],
    three,
    () => false,
  );
  return [
    'Variants of CaT: final solve, means over seeds [95 %, Student]; of training, first ten steps → last ten',
    table,
    'Verdicts, by seed',
    ...answersText(VARIANTS, { rows: [], first: [], runs }),
  ].join('\n');
}

/** `G 2` before `G 16`. */
function byNumber(a: string, b: string): number {
  const [[kind, x], [other, y]] = [a.split(' '), b.split(' ')];
  return kind === other ? Number(x) - Number(y) : kind < other ? -1 : 1;
}
