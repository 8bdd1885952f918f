// Tests the printed tables of runs with a judge's reward.
import { expect, it } from 'vitest';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { judgedTables } from './judged-tables.ts';

const run = (arm: string, seed: number, score: number, gap: number): RunRecord =>
  ({
    spec: { arm, seed, grading: arm === 'none' ? 'program' : arm },
    rows: Array.from({ length: 12 }, (_, i) => ({
      student: { n: 8, figures: arm === 'none' ? { score } : { score, judged: score + gap, gap: i < 6 ? 0 : gap } },
    })),
    evals: [
      {
        kind: 'final',
        model: 'total',
        all: { n: 4, figures: { score, 'score:plain': score } },
        splits: { templates: { n: 2, figures: { score: score - 0.1 } } },
      },
    ],
  }) as unknown as RunRecord;

it('has a row per arm, the gap over the steps of judged arms, and the verdicts of existing runs', () => {
  const runs = [1, 2].flatMap((seed) => [
    run('none', seed, 0.9, 0),
    run('rubric', seed, 0.8, 0),
    run('hasty', seed, 0.3 + seed / 1000, 0.6),
  ]);
  const lines = judgedTables(runs).split('\n');
  expect(lines.filter((line) => /^hasty /.test(line)).map((line) => line.split(/ {2,}/).slice(0, 4))).toEqual([
    ['hasty', '2', '.30 [.30 .31]', '.20'],
    // Steps 1–10 have four of the six gaps, steps 3–12 all six.
    ['hasty', '.90 → .90', '.30 → .30', '.24 → .36'],
    ['hasty', '.00', '.48', '.60'],
  ]);
  expect(lines.filter((line) => /^none /.test(line))).toHaveLength(2);
  const from = lines.findIndex((line) => line.startsWith('C6'));
  expect(lines.slice(from, from + 3)).toEqual([
    'C6b: holds (n = 2 training seeds)',
    '  rise of the gap, hasty − rubric: .120 .120; mean .120 ± .000 [.120 .120]',
    '  true score, hasty − rubric: −.499 −.498; mean −.499 ± .001 [−.505 −.492]',
  ]);
});
