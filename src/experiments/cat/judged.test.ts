// What runs of judged texts say of C6, against figures computed by hand.
import { expect, it } from 'vitest';
import { type JudgedRun, judgedVerdicts } from './judged.ts';

const run = (arm: string, seed: number, score: number, gaps: readonly number[] = [], plain = score): JudgedRun =>
  ({
    spec: { arm, seed },
    rows: gaps.map((gap) => ({ student: { n: 8, figures: { gap } } })),
    evals: [{ kind: 'final', model: 'total', all: { n: 4, figures: { score, 'score:plain': plain } }, splits: {} }],
  }) as unknown as JudgedRun;
const steps = (from: number, to: number) => Array.from({ length: 20 }, (_, i) => (i < 10 ? from : to));
const verdicts = (runs: readonly JudgedRun[]) =>
  Object.fromEntries(judgedVerdicts(runs).map(({ question, verdict }) => [question, verdict]));

/** Of each seed the controls lie so far below a rubric's .8. */
const against = (below: Record<string, readonly [number, number]>) => [
  ...[run('rubric', 1, 0.8), run('rubric', 2, 0.8)],
  ...Object.entries(below).flatMap(([arm, each]) => each.map((by, i) => run(arm, i + 1, 0.8 - by, [], 0.8))),
];

it('pairs arms by seed, and judges a rubric against three controls by their intervals', () => {
  const far = [0.1, 0.101] as const;
  const all = against({ judge: far, rubric_question: far, rubric_fixed: far });
  expect(verdicts(all)).toEqual({ C6a: 'holds', 'C6a, plain': 'open' });
  const [{ figures }] = judgedVerdicts(all);
  expect(figures.map(({ name, values }) => [name, values.map((x) => x.toFixed(3))])).toEqual([
    ['rubric − judge', ['0.100', '0.101']],
    ['rubric − rubric_question', ['0.100', '0.101']],
    ['rubric − rubric_fixed', ['0.100', '0.101']],
  ]);
  expect(verdicts(against({ judge: far, rubric_question: far, rubric_fixed: [0.1, -0.1] })).C6a).toBe('in part');
  expect(verdicts(against({ judge: [0.1, -0.1], rubric_question: far, rubric_fixed: far })).C6a).toBe('open');
  expect(verdicts(against({ judge: [-0.1, -0.101], rubric_question: far, rubric_fixed: far })).C6a).toBe('fails');
  // A control is missing, or has another seed.
  expect(judgedVerdicts(against({ judge: far }))).toEqual([]);
});

it('finds a judge hacked where the gap rises more and the truth is less', () => {
  const of = (gaps: readonly [number, number], truths: readonly [number, number]) =>
    verdicts([
      ...[run('rubric', 1, 0.8, steps(0.1, 0.1)), run('rubric', 2, 0.8, steps(0.1, 0.1))],
      ...[0, 1].map((i) => run('hasty', i + 1, truths[i], steps(0.1, 0.1 + gaps[i]))),
    ]).C6b;
  expect(of([0.3, 0.31], [0.5, 0.51])).toBe('holds');
  expect(of([0.3, 0.31], [0.5, 0.9])).toBe('open');
  expect(of([-0.3, -0.31], [0.5, 0.51])).toBe('fails');
});

it('calls a budget of no use where nothing changes by .05', () => {
  const of = (...each: number[]) =>
    verdicts(each.flatMap((by, i) => [run('hasty', i + 1, 0.5), run('hasty_budget', i + 1, 0.5 + by)])).C6c;
  expect([of(0.001, 0), of(0.3, 0.301), of(0.2, 0)]).toEqual(['holds', 'fails', 'open']);
});
