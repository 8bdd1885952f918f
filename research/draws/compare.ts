// Old → new: each headline's figures and its question's verdict, as published with one evaluation draw and with several. Headline and
// question are computed from one draw's rows exactly as from the published ones; the spread between draws then widens the interval
// (crossedMean).

import { renderTable } from '@projected-grpo-lab/base/commands/table.ts';
import { shareText } from '../../src/experiments/analysis/arena.ts';
import { intervalText } from '../../src/experiments/judge/estimate.ts';
import { judge, verdictText } from '../../src/experiments/judge/rule.ts';
import type { RunRecord } from '../../src/experiments/records/events.ts';
import { cellsText, pointName } from '../../src/findings/arena/frontier.ts';
import { arenaRunsName, type JudgedRow } from '../../src/findings/arena/sheet.ts';
import { percent, points, three } from '../../src/lib/numbers.ts';
import { CLAIMS } from '../headlines/claims.ts';
import { overBoth, type UnitValues } from '../headlines/headline-of.ts';
import type { HeadlineRows } from '../judge/types.ts';
import { judgedRows } from '../series/prediction/arena/estimates.ts';
import { questionOf } from '../series/questions.ts';
import { judgedAgain } from './judged.ts';
import { ARENA_SOURCE, publishedDraws } from './published.ts';
import { type Again, byPlainKey, drawsOfRuns, rowsAgain } from './rows.ts';

interface Compared {
  figures: { name: string; n: number; before: string; after: string }[];
  /** Null for the study, whose comparisons are adjusted within a table by Holm's method. */
  verdict: { before: string; after: string } | null;
}

/** A figure of a claim. A difference can be negative. */
const FIGURES: readonly { name: string; isDifference: boolean; of(values: UnitValues): number | undefined }[] = [
  { name: 'baseline', isDifference: false, of: ({ from }) => from },
  { name: 'then', isDifference: false, of: ({ to }) => to },
  { name: 'difference', isDifference: true, of: ({ from, to }) => to - from },
  { name: 'second measure, difference', isDifference: true, of: ({ second }) => second && second.to - second.from },
];

/** Null if no run of the headline was repeated. Seeds that were not repeated are left out on both sides. */
export function comparedOf(
  id: string,
  rows: HeadlineRows,
  draws: ReadonlyMap<string, RunRecord>,
): (Compared & { draws: number }) | null {
  const claim = CLAIMS.find(({ asked }) => asked?.question === id);
  if (!claim || draws.size === 0) return null;
  const again = byPlainKey(draws.values());
  const { byDraw } = drawsOfRuns(rows, again);
  const isDone = new Set(claim.read(rowsAgain(rows, again)).map(({ of }) => of));
  const units = byDraw.map((own) => claim.read(own).filter(({ of }) => isDone.has(of)));
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
    const show = isDifference ? points : (value: number) => percent(value);
    const [before, after] = [values.map((row) => row.slice(0, 1)), values].map((own) =>
      intervalText(overBoth(own, isDifference ? 'difference' : 'share'), show),
    );
    return [{ name, n: published.length, before, after }];
  });
  const question = questionOf(claim.asked!);
  const now = question && judgedAgain(question, rows, { again, more: new Map() });
  const old = now && question.estimates(question.read(rows));
  const words = Object.keys(question?.names ?? {}).flatMap((key) => {
    const [before, after] = [old?.[key], now?.estimates[key]];
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
    draws: byDraw.length,
    figures: [...figures, ...words],
    verdict: old && now ? { before: verdictText(judge(question.rule, old)), after: verdictText(now.verdict) } : null,
  };
}

/** A table for every repeated headline, and for the arena; empty without any. */
export function comparisonText(rows: HeadlineRows, root: string): string {
  const again = byPlainKey(publishedDraws(root, ARENA_SOURCE).values());
  return [...headlineTables(rows, root), ...arenaTable(rows.runs(arenaRunsName('judged')), again)].join('\n\n');
}

/** The arena's models whose every cell was repeated; empty without any. */
export function arenaTable(runs: readonly RunRecord[], again: Again): string[] {
  const [once, more] = [judgedRows(runs), judgedRows(runs, again)];
  const rows = more.flatMap((row, i) => {
    if (row.evaluations === undefined) return [];
    const shares = (of: JudgedRow) => [of.removed, of.kept.honest].map((share) => shareText(share) ?? '–');
    const [before, after] = [once[i], row].map(shares);
    const verdict = row.verdict === once[i].verdict ? 'as before' : `${once[i].verdict} → ${row.verdict}`;
    return [[pointName(row), cellsText(row), before[0], after[0], before[1], after[1], verdict]];
  });
  const head = ['arena', 'cells', 'removed, once', 'again', 'kept, honest, once', 'again', 'bar'];
  return rows.length === 0 ? [] : [renderTable(head, rows, () => false)];
}

function headlineTables(rows: HeadlineRows, root: string): string[] {
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
  });
}
