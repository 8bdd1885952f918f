// Runs that a judge paid, as tables: each arm's true score at its end, what judge and rubric were worth by the program, the gap of
// judged and true score over the steps, and the verdicts of C6 (docs/lab-book/cat.md).
import { type JudgedMetrics, metricsOfRun, STEPS } from '../../experiments/cat/runs.ts';
import { within } from '../../experiments/judge/estimates.ts';
import type { Column } from '../../experiments/judge/table.ts';
import { JUDGED } from '../../experiments/questions/cat/judged.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { metricValue } from '../../experiments/records/metrics.ts';
import { two } from '../../lib/numbers.ts';
import { mean } from '../../stats/index.ts';
import { answersText } from '../findings/answer-text.ts';
import { textTable } from '../table.ts';

export function judgedTables(runs: readonly RunRecord[]): string {
  const arms = [...new Set(runs.map(({ spec }) => spec.arm))].map((arm) => {
    return { arm, own: runs.filter(({ spec }) => spec.arm === arm).map(metricsOfRun) };
  });
  const table = (columns: readonly Column<(typeof arms)[number]>[]) =>
    textTable(arms, [['arm', ({ arm }) => arm], ...columns], two, () => false);
  const final =
    (of: (run: JudgedMetrics) => number | null) =>
    ({ own }: (typeof arms)[number]) =>
      mean(own.flatMap((run) => of(run) ?? []));
  const moved =
    (id: string) =>
    ({ own }: (typeof arms)[number]) => {
      const [first, last] = (['first', 'last'] as const).map((part) => mean(own.flatMap((run) => run[part][id] ?? [])));
      return first === null ? null : `${two(first)} → ${two(last)}`;
    };
  return [
    'True score of final evaluations, means over seeds [95 %, Student]',
    table([
      ['seeds', ({ own }) => String(own.length)],
      ['true score', ({ own }) => within(own.flatMap(({ score }) => score ?? []))],
      ['templates', final(({ splits }) => splits.templates ?? null)],
      ['params', final(({ splits }) => splits.params ?? null)],
      ['plain', final(({ plain }) => plain)],
      ['edge', final(({ edge }) => edge)],
      ['flattery', final(({ stamped }) => stamped)],
      ['contradictions', final(({ contradicts }) => contradicts)],
    ]),
    `Of training, first ${STEPS} steps → last ${STEPS}, means over seeds`,
    table([
      ['judged', moved('judged')],
      ['true', moved('score')],
      ['gap', moved('gap')],
      ['the judge’s part', moved('gapJudge')],
      ['synthesis', moved('synthesisScore')],
      ['flattery', moved('stamped')],
      ['judge agrees', moved('judgeAgrees')],
      ['its precision', moved('judgePrecision')],
      ['its recall', moved('judgeRecall')],
      ['rubric’s precision', moved('rubricPrecision')],
      ['its recall', moved('rubricRecall')],
    ]),
    'Judged − true, by steps, means over seeds',
    gaps(runs),
    'Verdicts (docs/lab-book/cat.md), by seed',
    ...answersText(JUDGED, { rows: [], first: [], runs }),
  ].join('\n');
}

/** In parts of five steps. */
function gaps(runs: readonly RunRecord[]): string {
  const part = 5;
  const longest = Math.max(...runs.map(({ rows }) => rows.length));
  const from = Array.from({ length: Math.ceil(longest / part) }, (_, i) => i * part);
  const paid = [...new Set(runs.filter(({ spec }) => spec.grading !== 'program').map(({ spec }) => spec.arm))];
  const gap = (at: number) => (arm: string) =>
    mean(
      runs
        .filter(({ spec }) => spec.arm === arm)
        .flatMap(({ rows }) => rows.slice(at, at + part))
        .flatMap(({ student }) => metricValue(student, 'gap') ?? []),
    );
  return textTable(
    paid,
    [['arm', (arm) => arm], ...from.map((at) => [`${at + 1}–${Math.min(at + part, longest)}`, gap(at)] as const)],
    two,
    () => false,
  );
}
