// Tests the rules of self-improvement on rows with given differences.
import { describe, expect, it } from 'vitest';
import type { ImproveRow } from '../../../src/experiments/exit/rows.ts';
import { verdictText } from '../../../src/experiments/judge/rule.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { judgeQuestion, type Question } from '../../judge/question.ts';
import type { ExitData } from './arms.ts';
import { E1_BASES } from './e1.ts';
import { differenceAt, rewardRise } from './estimates.ts';
import { CHAIN_QUESTIONS } from './index.ts';
import { sandbagging } from './sandbagging.ts';

/** One task per model, with quality `first` at K = 0 and `last` from then on. */
const row = (
  arm: string,
  seed: number | null,
  first: number,
  last: number,
  way: ImproveRow['way'] = 'sampled',
): ImproveRow => ({
  arm,
  seed,
  sampling: 1,
  way,
  id: 'x',
  answers: [],
  tokens: [],
  quality: [first, ...Array.from({ length: 16 }, () => last)],
});
const pairedRows = (one: string, other: string, pairs: readonly (readonly [first: number, last: number])[]) =>
  pairs.flatMap(([first, last], seed) => [row(other, seed, 0.5, 0.5), row(one, seed, 0.5 + first, 0.5 + last)]);

const asked = (id: string) => CHAIN_QUESTIONS.find((question) => question.id === id)!;
function verdictOf(question: Question<ExitData>, rows: readonly ImproveRow[], runs: readonly RunRecord[] = []) {
  const answered = judgeQuestion(question, { rows, runs });
  return answered && verdictText(answered.verdict);
}

describe('E1', () => {
  const of = (...pairs: [number, number][]) => verdictOf(asked('E1'), pairedRows('exit', 'none', pairs));
  it('holds if every seed gains the bound and none loses more than allowed', () => {
    expect(of([-0.015, 0.09], [0.01, 0.2], [0, 0.081])).toBe('holds');
    expect(of([-0.03, 0.09], [0, 0.2], [0, 0.1])).toBe('in part: K = 0 pays');
    expect(of([0, 0.07], [0, 0.2], [0, 0.1])).toBe('in part: less than the bound');
    expect(of([0, 0.2], [0, 0.2], [0, -0.01])).toBe('fails');
  });
});

describe('a part of the method', () => {
  const of = (...last: number[]) =>
    verdictOf(
      asked('E4'),
      pairedRows(
        'exit',
        'exit_clipped',
        last.map((x) => [0, x] as const),
      ),
    );
  it('is judged by the interval of the paired differences', () => {
    expect(of(0.05, 0.06, 0.05, 0.06)).toBe('holds');
    expect(of(-0.05, -0.06, -0.05, -0.06)).toBe('fails: costs');
    expect(of(0.004, -0.004, 0.004, -0.004)).toBe('fails: adds nothing');
    expect(of(0.05, -0.04, 0.05, -0.04)).toBe('open');
    expect(of(0.3)).toBe('open');
  });

  it('of several holds if each adds, with a verdict for each', () => {
    const rows = (...by: number[]) => [
      ...[1, 2, 3].map((seed) => row('exit', seed, 0.5, 0.9 + seed / 1000)),
      ...['exit_uniform', 'exit_drafts', 'exit_depth1', 'exit_best'].flatMap((arm, i) =>
        [1, 2, 3].map((seed) => row(arm, seed, 0.5, 0.9 - by[i])),
      ),
    ];
    expect(verdictOf(asked('E2'), rows(0.1, 0.1, 0.1, 0.1))).toBe('holds');
    expect(verdictOf(asked('E2'), rows(0.1, 0.1, 0.1, -0.1))).toBe('in part');
    expect(verdictOf(asked('E2'), rows(0, 0, 0, -0.1))).toBe('fails');
    const { figures } = judgeQuestion(asked('E2'), { rows: rows(0.1, 0.1, 0.1, -0.1), runs: [] })!;
    expect(figures.map(({ word }) => word)).toEqual(['holds', 'holds', 'holds', 'fails: costs']);
  });

  it('is paired by seed, on sampled chains only', () => {
    const rows = [
      ...[row('exit', 1, 0.5, 0.9), row('exit', 2, 0.5, 0.7), row('exit', 3, 0.5, 0.1)],
      ...[row('exit_clipped', 2, 0.5, 0.5), row('exit_clipped', 1, 0.5, 0.6)],
      row('exit', 1, 0.5, 0, 'greedy'),
    ];
    const short = rows.map((row) => ({ ...row, quality: row.quality.slice(0, 5) }));
    expect(verdictOf(asked('E4'), short)).toBeNull();
    const [{ each }] = judgeQuestion(asked('E4'), { rows, runs: [] })!.figures;
    expect(each.map(({ of, value }) => `${of}: ${value.toFixed(3)}`)).toEqual(['seed 1: 0.300', 'seed 2: 0.200']);
  });
});

describe('other bases', () => {
  const of = (...bases: (readonly [base: string | undefined, first: number, last: number])[]) =>
    bases.flatMap(([base, first, last]) =>
      [1, 2].flatMap((seed) => [
        { ...row('none', seed, 0.5, 0.5), base },
        { ...row('exit_best', seed, 0.5 + first, 0.5 + last), base },
      ]),
    );
  it('are each judged by the rule; the environment’s own base is shown beside them', () => {
    const known = [undefined, 0, 0.2] as const;
    const [two, three] = ['tiny-chain-2', 'tiny-chain-3'];
    const rows = of(known, [two, 0.01, 0.1], [three, 0.02, 0.09]);
    const { figures } = judgeQuestion(E1_BASES, { rows, runs: [] })!;
    expect(figures.map(({ name, word }) => [name, word]).slice(0, 4)).toEqual([
      ['tiny-chain, K = 16', null],
      ['tiny-chain, K = 0', null],
      [`${two}, K = 16`, 'holds'],
      [`${two}, K = 0`, null],
    ]);
    expect(verdictOf(E1_BASES, rows)).toBe('holds');
    expect(verdictOf(E1_BASES, of(known, [two, -0.03, 0.1], [three, 0.02, 0.09]))).toBe('in part');
    expect(verdictOf(E1_BASES, of(known, [two, 0, 0.1], [three, 0, -0.01]))).toBe('fails');
    expect(verdictOf(E1_BASES, of([undefined, 0, -0.2], [two, 0, 0.1], [three, 0, 0.1]))).toBe('holds');
    expect(verdictOf(E1_BASES, of(known))).toBeNull();
  });
});

describe('E5', () => {
  /** Two phases of training, whose reward rises by `rise`. */
  const paid = (rise: number, seed: number) =>
    ({
      spec: { arm: 'chain_rise', seed, chainSteps: 3 },
      rows: [...Array(25).fill({ reward: 0.5 }), ...Array(25).fill({ reward: 0.5 + rise })],
    }) as unknown as RunRecord;
  it('judges by the base, by the control and by the rewards', () => {
    const rows = (gains: number[], last: number[], exit = 0.6) => [
      row('base', null, 0.5, 0.5),
      ...gains.map((first, i) => row('chain_rise', i, first, first)),
      ...last.map((first, i) => row('chain_last', i, first, first)),
      ...gains.map((_, i) => row('exit', i, exit, exit)),
    ];
    const of = (...given: Parameters<typeof rows>) =>
      verdictOf(
        sandbagging('chain_rise'),
        rows(...given),
        [0, 1, 2].map((seed) => paid(0.1, seed)),
      );
    expect(of([0.3, 0.31, 0.32], [0.5, 0.52, 0.51])).toBe('holds');
    expect(of([0.3, 0.31, 0.32], [0.3, 0.32, 0.31])).toBe('in part: whole chains do it');
    expect(of([0.46, 0.47, 0.48], [0.6, 0.62, 0.63])).toBe('in part: held back');
    expect(of([0.5, 0.51, 0.49], [0.5, 0.52, 0.49])).toBe('fails');
    expect(of([0.3, 0.31, 0.32], [0.5, 0.52, 0.51], 0.4)).toBe('in part: held back');
    const falls = rows([0.3, 0.31, 0.32], [0.5, 0.52, 0.51]);
    expect(verdictOf(sandbagging('chain_rise'), falls, [paid(-0.1, 0)])).toBe('in part: held back');
    // Without the training's runs the rule does not use them.
    expect(verdictOf(sandbagging('chain_rise'), falls)).toBe('holds');
    const compared = { name: '', one: 'chain_rise', other: 'base', k: 0 };
    expect(differenceAt(rows([0.25], [0.5]), compared)?.each).toEqual([{ of: 'seed 0', value: -0.25 }]);
    expect(rewardRise([...Array(25).fill(0.5), 9, ...Array(25).fill(0.75), null])).toBeCloseTo(0.25, 12);
  });
});
