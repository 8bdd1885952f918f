// Tests each fixed rule on numbers that only this rule decides.
import { describe, expect, it } from 'vitest';
import {
  percent,
  pointInterval,
  points,
  pValue,
  seedList,
  signedPoints,
} from '../../../src/experiments/analysis/words.ts';
import { type ArmComparison, comparePairs, holmWithin } from './paired.ts';
import { verdictOf } from './verdict.ts';

const HACK = { id: 'final-hack', label: 'hack, final evaluation', measure: 'hack' } as const;
const compare = (reference: readonly number[], other: readonly number[]) =>
  comparePairs(
    HACK,
    reference.map((value, i) => ({ seed: 41 + i, reference: value, other: other[i] })),
  );
/** `count` copies of a comparison as the other comparisons of its question. */
const within = (figure: ReturnType<typeof compare>, count: number) => {
  const arm = { figures: { [HACK.id]: figure } } as unknown as ArmComparison;
  return holmWithin(
    Array.from({ length: count }, () => arm),
    HACK.id,
  )[0].figures[HACK.id];
};

describe('the verdict', () => {
  it('is null within the reference’s seed sd', () => {
    // The reference's sd is .1; Δ is −.06 with hardly any spread of its own.
    const verdict = verdictOf(compare([0.4, 0.5, 0.6], [0.34, 0.44, 0.541]));
    expect(verdict).toMatchObject({ kind: 'null', rule: 'seed sd', direction: 'less' });
    expect(verdict.sentence).toContain('Null: Δhack −6 points');
    expect(verdict.sentence).toContain('vanilla’s seed sd (10 points)');
    expect(verdict.sentence).toContain('3 seeds could have shown');
  });

  it('is null within one standard error of the paired Δ, though the reference’s seeds agree', () => {
    // Differences .3, −.3, .15: mean .05, sem about .18.
    const verdict = verdictOf(compare([0.5, 0.5, 0.5], [0.8, 0.2, 0.65]), 'the plain run');
    expect(verdict).toMatchObject({ kind: 'null', rule: 'standard error', direction: 'more' });
  });

  it('states below six seeds that no p could reach .05', () => {
    const verdict = verdictOf(compare([0.5, 0.5, 0.5, 0.5, 0.5], [0.1, 0.12, 0.1, 0.14, 0.1]));
    expect(verdict).toMatchObject({ kind: 'pointer', rule: 'n too small', direction: 'less' });
    expect(verdict.sentence).toBe(
      'Less hack than vanilla: Δhack −39 points (95% CI −41 to −37, n = 5); p = 0.0625, the least that n can give.',
    );
  });

  it('is decided by p from six seeds on', () => {
    const reference = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5];
    const effect = verdictOf(compare(reference, [0.1, 0.12, 0.1, 0.14, 0.1, 0.2]));
    expect(effect).toMatchObject({ kind: 'effect', rule: 'p reached' });
    expect(effect.sentence).toContain(', p = 0.0313.');
    // Beyond one standard error (Δ −.05, sem .035), but one seed has the opposite sign.
    const mixed = verdictOf(compare(reference, [0.45, 0.4, 0.42, 0.38, 0.43, 0.62]));
    expect(mixed).toMatchObject({ kind: 'null', rule: 'sign-flip p' });
  });

  it('counts the other comparisons of the question', () => {
    const reference = Array.from({ length: 10 }, () => 0.5);
    const one = compare(reference, [0.1, 0.2, 0.1, 0.2, 0.1, 0.2, 0.1, 0.2, 0.1, 0.2]);
    expect(verdictOf(within(one, 3)).sentence).toContain('p = 0.00586 after Holm over 3');
    // 26 tests at n = 10: 26 · 2/1024 = .0508.
    expect(verdictOf(within(one, 25)).kind).toBe('effect');
    const many = verdictOf(within(one, 26));
    expect(many).toMatchObject({ kind: 'pointer', rule: 'n too small' });
    expect(many.sentence).toContain('p = 0.0508 after Holm over 26, the least that n can give');
  });

  it('states what it cannot decide', () => {
    expect(verdictOf(null).kind).toBe('missing');
    expect(verdictOf(compare([0.5], [0.1]))).toMatchObject({ kind: 'single', rule: 'one seed' });
    // A training identical to vanilla has no difference.
    expect(verdictOf(compare([0.5, 0.5], [0.5, 0.5]))).toMatchObject({ kind: 'null', direction: 'equal' });
  });
});

it('words figures', () => {
  expect([points(0.304), points(-0.045), points(-0.0001), points(0.1)]).toEqual([
    '30 points',
    '−4.5 points',
    '0 points',
    '10 points',
  ]);
  expect([signedPoints(0.3), signedPoints(-0.3), signedPoints(0)]).toEqual(['+30 points', '−30 points', '0 points']);
  expect(percent(-0.126)).toBe('−13%');
  expect([pValue(0.00283), pValue(0.00001), pValue(1)]).toEqual(['p = 0.00283', 'p < 0.0001', 'p = 1']);
  expect(pointInterval({ low: -0.41, high: 0.012 })).toBe('−41 to 1.2');
  expect([seedList([43, 41, 42, 47]), seedList([41, 42]), seedList([])]).toEqual(['41–43, 47', '41, 42', '']);
});
