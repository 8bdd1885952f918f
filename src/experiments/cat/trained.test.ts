// What runs by reference say of C2 and C7, against figures computed by hand.
import { expect, it } from 'vitest';
import type { RunRecord } from '../records/events.ts';
import type { InferenceRow } from './infer.ts';
import { againstTeacher, rewardAgainstTruth } from './trained.ts';

type Run = Pick<RunRecord, 'spec' | 'rows' | 'evals'>;
const run = (arm: string, solve: number, fact: number, rewards: readonly number[]): Run =>
  ({
    spec: { arm, reference: arm === 'cat' ? 'synthesis' : 'majority' },
    rows: rewards.map((reward) => ({ reward })),
    evals: [
      { kind: 'final', model: 'base', all: { n: 4, figures: { solve: 0.4, 'solve:fact': 0.4 } } },
      { kind: 'final', model: 'total', all: { n: 4, figures: { solve, 'solve:fact': fact } } },
    ],
  }) as unknown as Run;
const teacher = (right: boolean, id: string): InferenceRow => ({
  ...{ seed: 1, id, split: 'templates', kind: 'plain', truth: '7', answers: [], tokens: [] },
  references: { '8': { synthesis: [right ? '7' : '8', 8, 0, 0] } },
});
const steps = (from: number, to: number) => Array.from({ length: 20 }, (_, i) => (i < 10 ? from : to));

it('compares every seed with the first teacher, and judges by the interval over seeds', () => {
  const rows = [teacher(true, 'a'), teacher(false, 'b')];
  const of = (...solves: number[]) =>
    againstTeacher(
      solves.map((solve) => run('cat', solve, 0, [])),
      rows,
    );
  const [{ verdict, figures }] = of(0.6, 0.7);
  expect(figures[1].values.map((x) => x.toFixed(2))).toEqual(['0.10', '0.20']);
  // t(.975, 1) = 12.706, the error of the mean .05.
  expect(figures[1].interval!.high - figures[1].mean).toBeCloseTo(12.706 * 0.05, 3);
  expect(verdict).toBe('open');
  expect(of(0.6, 0.6001, 0.6)[0].verdict).toBe('holds');
  expect(of(0.4, 0.4001, 0.4)[0].verdict).toBe('fails');
  expect(of(0.6)[0].verdict).toBe('open');
  // Of its teacher nothing is known.
  expect(againstTeacher([run('ttrl', 0.6, 0, [])], rows)).toEqual([]);
});

it('holds a wrong teacher where the reward rises and the truth falls', () => {
  const of = (runs: readonly Run[]) => rewardAgainstTruth(runs).map(({ arm, verdict }) => [arm, verdict]);
  const fell = [run('ttrl', 0, 0.3, steps(0.5, 0.7)), run('ttrl', 0, 0.31, steps(0.5, 0.71))];
  expect(of(fell)).toEqual([['ttrl', 'holds']]);
  expect(rewardAgainstTruth(fell)[0].figures[1].values.map((x) => x.toFixed(2))).toEqual(['-0.10', '-0.09']);
  expect(of([run('cat', 0, 0.7, steps(0.5, 0.7)), run('cat', 0, 0.7, steps(0.5, 0.7))])).toEqual([['cat', 'fails']]);
  expect(of([run('ttrl', 0, 0.1, steps(0.5, 0.7)), run('ttrl', 0, 0.7, steps(0.5, 0.7))])).toEqual([['ttrl', 'open']]);
});
