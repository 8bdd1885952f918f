// Runs by reference or judge as tables that carry more than an arm a line: the models of projecting runs (C8), and the variants of
// CaT's training (C9–C11), each with its verdicts (docs/lab-book/cat.md).
import {
  finalOf,
  ofSubject,
  type ProjectedRun,
  projectedVerdicts,
  SUBJECTS,
  seedsOf,
  WHOLE,
} from '../../experiments/cat/projected.ts';
import { finalBySeed, type VariantRun, variantOf, variantVerdicts } from '../../experiments/cat/variants.ts';
import type { Spread } from '../../experiments/judge/estimates.ts';
import { figureOf } from '../../experiments/records/figures.ts';
import { mean, pairedT } from '../../stats/index.ts';
import { renderTable } from '../table.ts';
import { overSeeds } from './synthesise-judged.ts';

const three = (value: number): string => value.toFixed(3).replace(/^(-?)0\./, '$1.');
const two = (value: number): string => value.toFixed(2).replace(/^(-?)0\./, '$1.');
/** Steps that a beginning and an end are means of. */
const STEPS = 10;

function shown(values: readonly number[]): string {
  if (values.length === 0) return '–';
  const interval = pairedT(values)?.interval;
  return `${three(mean(values)!)}${interval ? ` [${three(interval.low)} ${three(interval.high)}]` : ''}`;
}

const saidOf = (verdicts: readonly { question: string; verdict: string; figures: readonly Spread[] }[]): string[] =>
  verdicts.map(({ question, verdict, figures }) => {
    const n = Math.min(...figures.map(({ values }) => values.length));
    return `${question}, n = ${n}: ${verdict}. ${figures.map(overSeeds).join('; ')}`;
  });

/** Empty where no run projects. */
export function projectedTables(runs: readonly ProjectedRun[]): string {
  const parts = SUBJECTS.flatMap(({ id }) => {
    const { own, hack, gain } = ofSubject(runs, id);
    const models = own
      .filter(({ spec }) => spec.projection !== 'none')
      .flatMap(({ spec, evals }) =>
        evals.filter(({ kind }) => kind === 'final').map(({ model }) => [spec.arm, model] as const),
      );
    const known = [...new Map(models.map((model) => [model.join('/'), model])).entries()];
    if (known.length === 0) return [];
    const seeds = seedsOf(own);
    const of = (model: (typeof models)[number], figure: string) =>
      seeds.flatMap((seed) => finalOf(own, seed, model, figure) ?? []);
    const less = (model: (typeof models)[number], figure: string) =>
      seeds.flatMap((seed) => {
        const [one, whole] = [model, WHOLE].map((each) => finalOf(own, seed, each, figure));
        return one === null || whole === null ? [] : [one - whole];
      });
    return [
      `${id}: final evaluations, means over seeds [95 %, Student]`,
      renderTable(
        ['model', 'seeds', hack, '− whole', gain, '− whole'].map((title) => ({ title })),
        known.map(([name, model]) => [
          name,
          String(of(model, gain).length),
          shown(of(model, hack)),
          shown(less(model, hack)),
          shown(of(model, gain)),
          shown(less(model, gain)),
        ]),
      ),
      '',
    ];
  });
  if (parts.length === 0) return '';
  return [...parts, 'Verdicts: means over seeds [95 %, Student] (each seed)', ...saidOf(projectedVerdicts(runs))].join(
    '\n',
  );
}

const ALONG = ['teacherDelta', 'rewardTrue', 'referenceTokens'] as const;

/** Empty where no two variants are there. */
export function variantTables(runs: readonly VariantRun[]): string {
  const names = [...new Set(runs.map(variantOf))].filter((name) => name !== null).sort(byNumber);
  if (names.length < 2) return '';
  const table = renderTable(
    [
      ...['variant', 'seeds', 'problems × G', 'solve', 'misconception', 'rollout tokens'],
      ...['teacher delta', 'true rewards', 'dead groups', 'reference tokens, a rollout'],
    ].map((title) => ({ title })),
    names.map((name) => {
      const own = runs.filter((run) => variantOf(run) === name);
      const along = (of: (row: VariantRun['rows'][number]) => number | null) => {
        const part = (from: number, to?: number) =>
          mean(own.flatMap(({ rows }) => rows.slice(from, to).flatMap((row) => of(row) ?? [])));
        const [first, last] = [part(0, STEPS), part(-STEPS)];
        return first === null || last === null ? '–' : `${two(first)} → ${two(last)}`;
      };
      const tokens = mean(
        own.map(({ rows }) => rows.reduce((sum, { rolloutTokens }) => sum + (rolloutTokens ?? 0), 0)),
      );
      const [teacherDelta, rewardTrue, referenceTokens] = ALONG.map((id) =>
        along(({ student }) => figureOf(student, id)),
      );
      const { promptsPerStep, groupSize } = own[0].spec;
      return [
        name,
        String(own.length),
        `${promptsPerStep} × ${groupSize}`,
        shown([...finalBySeed(runs, name, 'solve').values()]),
        shown([...finalBySeed(runs, name, 'misconception').values()]),
        tokens === null ? '–' : tokens.toFixed(0),
        ...[teacherDelta, rewardTrue, along(({ fracRewardZeroStd }) => fracRewardZeroStd), referenceTokens],
      ];
    }),
  );
  return [
    'Variants of CaT: final solve, means over seeds [95 %, Student]; of training, first ten steps → last ten',
    table,
    'Verdicts: means over seeds [95 %, Student] (each seed)',
    ...saidOf(variantVerdicts(runs)),
  ].join('\n');
}

/** `G 2` before `G 16`. */
function byNumber(a: string, b: string): number {
  const [[kind, x], [other, y]] = [a.split(' '), b.split(' ')];
  return kind === other ? Number(x) - Number(y) : kind < other ? -1 : 1;
}
