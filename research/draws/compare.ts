// Old → new: each headline's figures, and the verdict of the question beside it, as published with one draw of the evaluation's random numbers
// and as they are with several. Rows of one draw take the place of the published ones, and headline and question are computed from them as
// ever; what differs between draws then widens the interval (crossedMean).

import { renderTable } from '@projected-grpo-lab/base/commands/table.ts';
import type { Estimate, Estimates } from '../../src/experiments/judge/estimate.ts';
import { intervalText } from '../../src/experiments/judge/estimate.ts';
import { judge, verdictText } from '../../src/experiments/judge/rule.ts';
import type { EvalRow, RunRecord } from '../../src/experiments/records/events.ts';
import { overDraws } from '../../src/experiments/records/metrics.ts';
import { runKey } from '../../src/experiments/runs/key.ts';
import type { MeanEstimate } from '../../src/findings/headline.ts';
import { percent, points, three } from '../../src/lib/numbers.ts';
import { crossedMean, mean, pairedT, shareInterval, withinDifferences } from '../../src/stats/index.ts';
import { CLAIMS } from '../headlines/claims.ts';
import type { UnitValues } from '../headlines/headline-of.ts';
import type { Question } from '../judge/question.ts';
import type { HeadlineRows } from '../judge/types.ts';
import { ENVIRONMENT_QUESTIONS } from '../series/questions.ts';
import { repeatSpec } from './again.ts';
import { publishedDraws } from './published.ts';

interface Compared {
  figures: { name: string; n: number; before: string; after: string }[];
  /** Null where the study judges: its comparisons are Holm's within a table. */
  verdict: { before: string; after: string } | null;
}

/** A figure of a claim. A difference can be negative. */
const FIGURES: readonly { name: string; isDifference: boolean; of(values: UnitValues): number | undefined }[] = [
  { name: 'baseline', isDifference: false, of: ({ from }) => from },
  { name: 'then', isDifference: false, of: ({ to }) => to },
  { name: 'difference', isDifference: true, of: ({ from, to }) => to - from },
  { name: 'second measure, difference', isDifference: true, of: ({ second }) => second && second.to - second.from },
];

/** Runs by the key that they have with one draw. */
const byPlainKey = (runs: Iterable<RunRecord>): ReadonlyMap<string, RunRecord> =>
  new Map([...runs].map((record) => [runKey(repeatSpec(record.spec, 1)), record] as const));

/** A run with the evaluations of one draw; null for the mean of all. */
function withDraw(published: RunRecord, again: RunRecord | undefined, draw: number | null): RunRecord {
  const evals = published.evals.map((row): EvalRow => {
    const own = again?.evals.find(({ kind, model }) => row.kind === 'final' && kind === 'final' && model === row.model);
    if (!own) return row;
    if (draw === null) return overDraws(own);
    if (draw === 0) return row;
    const { all, splits } = own.draws![draw - 1];
    // Measures that do not depend on the evaluation's random numbers are equal in every draw, so only the first draw keeps them.
    return { ...row, all: { ...all, figures: { ...row.all.figures, ...all.figures } }, splits };
  });
  return { ...published, evals };
}

/** The published rows with the evaluations of one draw, or their mean, in the runs that were evaluated again. */
export function rowsOfDraw(
  rows: HeadlineRows,
  again: ReadonlyMap<string, RunRecord>,
  draw: number | null,
): HeadlineRows {
  const of = (record: RunRecord) => withDraw(record, again.get(runKey(repeatSpec(record.spec, 1))), draw);
  return {
    has: rows.has,
    lines: rows.lines,
    runs: (file) => rows.runs(file).map(of),
    study: (file) => new Map([...rows.study(file)].map(([key, record]) => [key, of(record)] as const)),
  };
}

/** Over seeds and draws. @param values [seeds, draws] */
function estimateOf(values: readonly (readonly number[])[], isDifference: boolean): MeanEstimate {
  const crossed = crossedMean(values);
  const centre = mean(values.map((row) => mean(row) as number)) as number;
  if (!crossed || crossed.sem === 0) return { mean: centre, interval: null };
  return { mean: centre, interval: isDifference ? withinDifferences(crossed.interval) : shareInterval(crossed) };
}

/** The estimate with its interval over seeds and draws; unchanged where it is no Student's interval over its units. */
function overSeedsAndDraws(whole: Estimate, byDraw: readonly (Estimate | undefined)[]): Estimate {
  const plain = pairedT(whole.each.map(({ value }) => value))?.interval;
  const isStudent = plain && whole.interval && Math.abs(plain.low - whole.interval.low) < 1e-9;
  if (!isStudent || byDraw.some((one) => one?.each.length !== whole.each.length)) return whole;
  const values = whole.each.map((_, i) => byDraw.map((one) => one!.each[i].value));
  return { ...whole, interval: crossedMean(values)!.interval };
}

function judgedEstimates(question: Question, all: readonly HeadlineRows[], whole: HeadlineRows) {
  const own = question.estimates(question.read(whole));
  if (!own) return null;
  const byDraw = all.map((rows) => question.estimates(question.read(rows)));
  const estimates: Estimates = Object.fromEntries(
    Object.entries(own).flatMap(([key, one]) =>
      one
        ? [
            [
              key,
              overSeedsAndDraws(
                one,
                byDraw.map((draw) => draw?.[key]),
              ),
            ] as const,
          ]
        : [],
    ),
  );
  return { estimates, verdict: verdictText(judge(question.rule, estimates)) };
}

/** Null where no run of the headline was evaluated again. Seeds whose runs were not are left out on both sides. */
export function comparedOf(
  id: string,
  rows: HeadlineRows,
  draws: ReadonlyMap<string, RunRecord>,
): (Compared & { draws: number }) | null {
  const claim = CLAIMS.find(({ asked }) => asked?.question === id);
  if (!claim || draws.size === 0) return null;
  const again = byPlainKey(draws.values());
  const many = Math.min(...[...draws.values()].map(({ spec }) => spec.evaluationSeeds));
  const all = Array.from({ length: many }, (_, draw) => rowsOfDraw(rows, again, draw));
  const isDone = doneSeeds(claim.read, rows, again);
  const units = all.map((own) => claim.read(own).filter(({ of }) => isDone.has(of)));
  const [published] = units;
  if (published.length < 2) return null;
  const others = Object.entries(claim.others ?? {}).map(([key, name]) => ({
    name,
    isDifference: false,
    of: (values: UnitValues) => values.others?.[key],
  }));
  const figures = [...FIGURES, ...others].flatMap(({ name, isDifference, of }) => {
    if (of(published[0]) === undefined) return [];
    const values = published.map((_, i) => units.map((one) => of(one[i])!));
    const text = ({ mean: centre, interval }: MeanEstimate) => {
      const show = isDifference ? points : (value: number) => percent(value);
      return show(centre) + (interval ? ` [${show(interval.low)} ${show(interval.high)}]` : '');
    };
    const [before, after] = [values.map((row) => row.slice(0, 1)), values].map((own) => estimateOf(own, isDifference));
    return [{ name, n: published.length, before: text(before), after: text(after) }];
  });
  const question = ENVIRONMENT_QUESTIONS[claim.asked!.series as keyof typeof ENVIRONMENT_QUESTIONS]?.find(
    (one) => one.id === id,
  );
  const isWhole = isDone.size === claim.read(rows).length;
  const [old, now] =
    question && isWhole
      ? [judgedEstimates(question, [rows], rows), judgedEstimates(question, all, rowsOfDraw(rows, again, null))]
      : [];
  const words = Object.keys(question?.names ?? {}).flatMap((key) => {
    const [before, after] = [old?.estimates[key], now?.estimates[key]];
    if (!before || !after) return [];
    const show = question?.show ?? three;
    return [
      {
        name: `${id}: ${before.name}`,
        n: after.n,
        before: intervalText(before, show),
        after: intervalText(after, show),
      },
    ];
  });
  return {
    draws: many,
    figures: [...figures, ...words],
    verdict: old && now ? { before: old.verdict, after: now.verdict } : null,
  };
}

/** Units all of whose runs were evaluated again, by their names. */
function doneSeeds(
  read: (rows: HeadlineRows) => UnitValues[],
  rows: HeadlineRows,
  again: ReadonlyMap<string, RunRecord>,
): ReadonlySet<string> {
  const isAgain = (record: RunRecord) => again.has(runKey(repeatSpec(record.spec, 1)));
  const only: HeadlineRows = {
    has: rows.has,
    lines: rows.lines,
    runs: (file) => rows.runs(file).filter(isAgain),
    study: (file) => new Map([...rows.study(file)].filter(([, record]) => isAgain(record))),
  };
  return new Set(read(only).map(({ of }) => of));
}

/** A table for every headline that was evaluated again; empty where none was. */
export function comparisonText(rows: HeadlineRows, root: string): string {
  return CLAIMS.flatMap(({ asked, environment }) => {
    const found = asked && comparedOf(asked.question, rows, publishedDraws(root, asked.question));
    if (!found) return [];
    const { figures, verdict, draws } = found;
    const table = renderTable(
      [`${environment} (${asked.question})`, 'n', 'one draw', `${draws} draws`],
      figures.map(({ name, n, before, after }) => [name, String(n), before, after]),
      () => false,
    );
    const text =
      verdict === null
        ? ''
        : verdict.before === verdict.after
          ? `Verdict, as before: ${verdict.after}`
          : `Verdict: ${verdict.before} → ${verdict.after}`;
    return [`${table}\n${text}`.trimEnd()];
  }).join('\n\n');
}
