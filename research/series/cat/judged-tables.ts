// Runs with a judge's reward, as tables: each arm's final true score, the accuracy of judge and rubric against the program, the gap of
// judged and true score over the steps, and the verdicts of C6 (docs/lab-book/cat.md).

import { textTable } from '../../../src/cli/table.ts';
import type { Column } from '../../../src/experiments/judge/table.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { metricValue } from '../../../src/experiments/records/metrics.ts';
import { two } from '../../../src/lib/numbers.ts';
import { mean } from '../../../src/stats/index.ts';
import { answersText } from '../../judge/answer-text.ts';
import { meanAndInterval } from '../../judge/estimates.ts';
import { JUDGED } from './judged.ts';
import { type JudgedMetrics, metricChange, metricsOfRun, STEPS } from './runs.ts';

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
  return [
    'True score of final evaluations, means over seeds [95 %, Student]',
    table([
      ['seeds', ({ own }) => String(own.length)],
      ['true score', ({ own }) => meanAndInterval(own.flatMap(({ score }) => score ?? []))],
      ['templates', final(({ splits }) => splits.templates ?? null)],
      ['params', final(({ splits }) => splits.params ?? null)],
      ['plain', final(({ plain }) => plain)],
      ['edge', final(({ edge }) => edge)],
      ['flattery', final(({ stamped }) => stamped)],
      ['contradictions', final(({ contradicts }) => contradicts)],
    ]),
    `Of training, first ${STEPS} steps → last ${STEPS}, means over seeds`,
    table([
      ['judged', ({ own }) => metricChange(own, 'judged')],
      ['true', ({ own }) => metricChange(own, 'score')],
      ['gap', ({ own }) => metricChange(own, 'gap')],
      ['the judge’s part', ({ own }) => metricChange(own, 'gapJudge')],
      ['synthesis', ({ own }) => metricChange(own, 'synthesisScore')],
      ['flattery', ({ own }) => metricChange(own, 'stamped')],
      ['judge agrees', ({ own }) => metricChange(own, 'judgeAgrees')],
      ['its precision', ({ own }) => metricChange(own, 'judgePrecision')],
      ['its recall', ({ own }) => metricChange(own, 'judgeRecall')],
      ['rubric’s precision', ({ own }) => metricChange(own, 'rubricPrecision')],
      ['its recall', ({ own }) => metricChange(own, 'rubricRecall')],
    ]),
    'Judged − true, by steps, means over seeds',
    gaps(runs),
    'Verdicts (docs/lab-book/cat.md), by seed',
    ...answersText(JUDGED, { rows: [], first: [], runs }),
  ].join('\n');
}

/** Averages over parts of five steps. */
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
