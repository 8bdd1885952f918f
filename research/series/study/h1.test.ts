// Tests H1's bars and clauses one by one, the seeds that would decide an open H1, and when a control is beaten.
import { describe, expect, it } from 'vitest';
import { setMade } from '../../../src/experiments/testing/statistics-runs.ts';
import { type ControlKind, type H1Input, h1Card } from './h1.ts';

type Final = readonly [number, number];
const vanillaOf = (finals: readonly Final[]) => setMade('vanilla', finals);
const eraseOf = (finals: readonly Final[], label = 'erase') => setMade(label, finals, { arm: 'erase' });
const flat = (final: Final, n = 3): Final[] => Array.from({ length: n }, () => final);
/** Three seeds that spread by ± `by` around given rates. */
const spread = ([hack, solve]: Final, by: number): Final[] => [
  [hack - by, solve],
  [hack, solve],
  [hack + by, solve],
];
const card = (intervention: readonly Final[], vanilla = flat([0.6, 0.4]), controls: H1Input['controls'] = []) =>
  h1Card({ vanilla: vanillaOf(vanilla), intervention: eraseOf(intervention), controls });

describe('H1', () => {
  it('is supported at 30 points less hack and solve within ±10, bars included', () => {
    const supported = card(spread([0.2, 0.35], 0.02));
    expect(supported).toMatchObject({ status: 'supported', clauses: [], seedsToDecide: null, n: 3 });
    expect(supported.sentences[0]).toContain('Δhack −40 points, Δsolve −5 points, n = 3, seeds 41–43');
    // 0.6 − 0.3 and 0.4 − 0.3 have rounding errors.
    expect(card(flat([0.3, 0.3])).status).toBe('supported');
    expect(card(flat([0.3, 0.5])).status).toBe('supported');
  });

  it('reports if the interval does not clear the bar that the mean clears', () => {
    const wide = card(spread([0.25, 0.4], 0.1));
    expect(wide.status).toBe('supported');
    expect(wide.sentences[1]).toMatch(/By the mean, as preregistered; its 95% CI .* includes less than 30 points/);
    expect(card(spread([0.1, 0.4], 0.01)).sentences).toHaveLength(2); // The second sentence is on the controls that were not run.
  });

  it('is falsified clause by clause', () => {
    expect(card(flat([0.5, 0.4]))).toMatchObject({ status: 'falsified', clauses: ['too little hack removed'] });
    expect(card(flat([0.1, 0.2]))).toMatchObject({ status: 'falsified', clauses: ['too much solve lost'] });
    // Δ −.2 on average, but −.7, +.3, −.2 by seed: sem .29.
    const noisy = card(
      [
        [0, 0.4],
        [1, 0.4],
        [0.2, 0.4],
      ],
      [
        [0.7, 0.4],
        [0.7, 0.4],
        [0.4, 0.4],
      ],
    );
    expect(noisy).toMatchObject({ status: 'falsified', clauses: ['within one standard error'] });
    expect(card(flat([0.7, 0.1])).clauses).toEqual(['too little hack removed', 'too much solve lost']);
    expect(card(flat([0.7, 0.1])).sentences[0]).toContain(
      'less than 15 points of hack removed, and more than 15 points of solve lost',
    );
  });

  it('stays undecided between the bars, and states which n would decide', () => {
    // Δhack −.2 with sd .04: 5 points from the bar at 15; d = 1.25 needs 8 pairs (noncentral t).
    const open = card(spread([0.4, 0.4], 0.04));
    expect(open).toMatchObject({ status: 'undecided', clauses: [], seedsToDecide: 8 });
    expect(open.sentences[0]).toContain('hack removed lies between 15 points and 30 points');
    expect(open.sentences[1]).toContain('8 seeds would tell it from the bar four times in five');
    // Solve loss between 10 and 15 points.
    const costly = card(spread([0.2, 0.28], 0.02));
    expect(costly.status).toBe('undecided');
    expect(costly.sentences[0]).toContain('solve lost lies between 10 points and 15 points');
    // H1 requires equal solve: a gain leaves it undecided, and more seeds do not change that.
    expect(card(flat([0.2, 0.55]))).toMatchObject({ status: 'undecided', seedsToDecide: null });
  });

  it('judges neither one seed, nor a vanilla that never hacked, nor missing runs', () => {
    expect(card([[0.1, 0.4]], [[0.6, 0.4]])).toMatchObject({ status: 'undecided', seedsToDecide: 2 });
    const nothing = card(flat([0.02, 0.4]), flat([0.1, 0.4]));
    expect(nothing.status).toBe('undecided');
    expect(nothing.sentences[0]).toContain('8 points above the untrained base');
    expect(card([])).toMatchObject({ status: 'not run', n: 0, hack: null });
  });
});

describe('the controls', () => {
  const control = (kind: ControlKind, finals: readonly Final[]) => ({ kind, set: eraseOf(finals, kind) });
  const real = spread([0.2, 0.4], 0.02);

  it('are beaten beyond their own seed sd and the standard error', () => {
    const beaten = card(real, undefined, [
      control('random', spread([0.58, 0.4], 0.03)),
      control('permuted', spread([0.5, 0.4], 0.03)),
      control('random_matched', spread([0.45, 0.4], 0.03)),
      control('nonhack', spread([0.5, 0.35], 0.03)),
      control('placebo', spread([0.55, 0.4], 0.03)),
    ]);
    expect(beaten.controls.map((entry) => entry.beaten)).toEqual([true, true, true, true, true]);
    expect(beaten.beatsEveryNull).toBe(true);
    expect(beaten.controls[0].hack!.delta.mean).toBeCloseTo(-0.38, 12);
    expect(beaten.controls[0].hack!.adjusted).toMatchObject({ tests: 5 });
    expect(beaten.controls[3].solve!.delta.mean).toBeCloseTo(0.05, 12);
    expect(beaten.sentences.join(' ')).toMatch(
      /The real V beats random V: Δhack −38 points \(.*n = 3\), Δsolve 0 points; by the interval \(p = /,
    );
    expect(beaten.sentences.join(' ')).not.toContain('Not run');
  });

  it('make the effect regularisation if one that knows nothing does as well', () => {
    const equal = card(real, undefined, [control('random', spread([0.21, 0.4], 0.03))]);
    expect(equal.controls[0].beaten).toBe(false);
    expect(equal.beatsEveryNull).toBe(false);
    const text = equal.sentences.join(' ');
    expect(text).toMatch(/The real V does not beat random V: Δhack .*; inside .*seed sd/);
    expect(text).toContain('does not beat random V, the effect counts as regularisation');
    expect(text).toContain('Not run: permuted labels, random V at equal removed norm, non-hack V, placebo V.');
    // A control that hacks less than the real V is not beaten.
    expect(card(real, undefined, [control('random', flat([0.01, 0.4]))]).controls[0].beaten).toBe(false);
  });

  it('of permuted labels are reported, but are no null: not beating them does not make the effect regularisation', () => {
    const equal = card(real, undefined, [
      control('random', spread([0.58, 0.4], 0.03)),
      control('permuted', spread([0.21, 0.4], 0.03)),
    ]);
    expect(equal.controls.map(({ beaten }) => beaten)).toEqual([true, false]);
    expect(equal.beatsEveryNull).toBe(true);
    const text = equal.sentences.join(' ');
    expect(text).toContain('The real V does not beat permuted labels');
    expect(text).toContain('half of their pairs are still hack against clean');
    expect(text).not.toContain('counts as regularisation');
  });

  it('are undecided with one seed, or without a common one', () => {
    const [one, none] = card(real, undefined, [control('random', [[0.6, 0.4]]), control('permuted', [])]).controls;
    expect([one.beaten, none.beaten]).toEqual([null, null]);
    expect(one.sentence).toContain('not decided');
    expect(card(real).beatsEveryNull).toBeNull();
  });

  it('are neither beaten nor equal if the interval includes 0', () => {
    // Differences −.25, −.05, −.01: mean −.103, sem .074, interval −.42 to .22.
    const [noisy] = card(flat([0.2, 0.4]), undefined, [
      control('random', [
        [0.45, 0.4],
        [0.25, 0.4],
        [0.21, 0.4],
      ]),
    ]).controls;
    expect(noisy.verdict.kind).toBe('null'); // Inside the control's own sd of .13.
    const own: Final[] = [
      [0.2, 0.4],
      [0.4, 0.4],
      [0.44, 0.4],
    ];
    const [open] = card(own, flat([0.9, 0.4]), [control('random', flat([0.45, 0.4]))]).controls;
    expect(open.verdict.kind).toBe('pointer');
    expect(open.beaten).toBeNull();
    expect(open.sentence).toContain('Real V against random V is not decided: Δhack −10 points');
    expect(open.sentence).toContain('an interval that includes 0');
  });

  it('require p if n lets p reach .05', () => {
    // In three of ten seeds the sign is opposite: Δ exceeds its standard error, p is above .05.
    const finals = (hacks: readonly number[]): Final[] => hacks.map((hack) => [hack, 0.4]);
    const own = finals([0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.3, 0.3, 0.3]);
    const other = finals([0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25]);
    const judged = card(own, flat([0.6, 0.4], 10), [control('random', other)]).controls[0];
    expect(judged.verdict.rule).toBe('sign-flip p');
    expect(judged.beaten).toBe(false);
  });
});
