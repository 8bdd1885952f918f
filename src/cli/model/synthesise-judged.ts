// Runs that a judge paid, as tables: each arm's true score at its end, what judge and rubric were worth by the program, the gap of
// judged and true score over the steps, and the verdicts of C6 (docs/lab-book/cat.md).
import {
  figuresOfRun,
  type JudgedFigures,
  type JudgedRun,
  judgedVerdicts,
  STEPS,
} from '../../experiments/cat/judged.ts';
import type { Spread } from '../../experiments/judge/estimates.ts';
import { figureOf } from '../../experiments/records/figures.ts';
import { mean, pairedT } from '../../stats/index.ts';
import { renderTable } from '../table.ts';

const three = (value: number): string => value.toFixed(3).replace(/^(-?)0\./, '$1.');
const two = (value: number | null): string => (value === null ? '–' : value.toFixed(2).replace(/^(-?)0\./, '$1.'));

/** `mean [95 %] (each seed)` */
export const overSeeds = ({ name, mean, interval, values }: Spread): string =>
  `${name} ${three(mean)}${interval ? ` [${three(interval.low)} ${three(interval.high)}]` : ''} (${values.map(three).join(', ')})`;

export function judgedTables(runs: readonly JudgedRun[]): string {
  const arms = [...new Set(runs.map(({ spec }) => spec.arm))].map(
    (arm) => [arm, runs.filter(({ spec }) => spec.arm === arm).map(figuresOfRun)] as const,
  );
  const verdicts = judgedVerdicts(runs).map(
    ({ question, verdict, figures }) =>
      `${question}, n = ${Math.min(...figures.map(({ values }) => values.length))}: ${verdict}. ${figures.map(overSeeds).join('; ')}`,
  );
  return [
    'True score of final evaluations, means over seeds [95 %, Student]',
    table(
      ['seeds', 'true score', 'templates', 'params', 'plain', 'edge', 'flattery', 'contradictions'],
      arms,
      (own) => [
        String(own.length),
        ...[
          ({ score }: JudgedFigures) => score,
          ({ splits }: JudgedFigures) => splits.templates ?? null,
          ({ splits }: JudgedFigures) => splits.params ?? null,
          ({ plain }: JudgedFigures) => plain,
          ({ edge }: JudgedFigures) => edge,
          ({ stamped }: JudgedFigures) => stamped,
          ({ contradicts }: JudgedFigures) => contradicts,
        ].map((of, i) => spread(own.map(of), i < 1)),
      ],
    ),
    `Of training, first ${STEPS} steps → last ${STEPS}, means over seeds`,
    table(
      [
        'judged',
        'true',
        'gap',
        'the judge’s part',
        'synthesis',
        'flattery',
        'judge agrees',
        'its precision',
        'its recall',
        'rubric’s precision',
        'its recall',
      ],
      arms,
      (own) =>
        [
          ...(['judged', 'score', 'gap', 'gapJudge', 'synthesisScore', 'stamped', 'judgeAgrees'] as const),
          ...(['judgePrecision', 'judgeRecall', 'rubricPrecision', 'rubricRecall'] as const),
        ].map((id) => {
          const of = (part: 'first' | 'last') => mean(own.flatMap((run) => run[part][id] ?? []));
          return of('first') === null ? '–' : `${two(of('first'))} → ${two(of('last'))}`;
        }),
    ),
    'Judged − true, by steps, means over seeds',
    gaps(runs),
    `Verdicts (docs/lab-book/cat.md): means over seeds [95 %, Student] (each seed)`,
    ...verdicts,
  ].join('\n');
}

function table(
  titles: readonly string[],
  arms: readonly (readonly [string, JudgedFigures[]])[],
  cells: (own: readonly JudgedFigures[]) => readonly string[],
): string {
  return renderTable(
    ['arm', ...titles].map((title) => ({ title })),
    arms.map(([arm, own]) => [arm, ...cells(own)]),
  );
}

function spread(values: readonly (number | null)[], withInterval: boolean): string {
  const known = values.filter((value) => value !== null);
  const interval = withInterval ? pairedT(known)?.interval : null;
  return `${two(mean(known))}${interval ? ` [${two(interval.low)} ${two(interval.high)}]` : ''}`;
}

/** In parts of five steps. */
function gaps(runs: readonly JudgedRun[]): string {
  const part = 5;
  const longest = Math.max(...runs.map(({ rows }) => rows.length));
  const from = Array.from({ length: Math.ceil(longest / part) }, (_, i) => i * part);
  const paid = [...new Set(runs.filter(({ spec }) => spec.grading !== 'program').map(({ spec }) => spec.arm))];
  return renderTable(
    [{ title: 'arm' }, ...from.map((at) => ({ title: `${at + 1}–${Math.min(at + part, longest)}` }))],
    paid.map((arm) => [
      arm,
      ...from.map((at) =>
        two(
          mean(
            runs
              .filter(({ spec }) => spec.arm === arm)
              .flatMap(({ rows }) => rows.slice(at, at + part))
              .flatMap(({ student }) => figureOf(student, 'gap') ?? []),
          ),
        ),
      ),
    ]),
  );
}
