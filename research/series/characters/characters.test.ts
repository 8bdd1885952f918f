// Tests the rules of S2 to S12 on invented dose curves: what holds, fails and is open, and what is refused.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { estimateOver, estimateText } from '../../../src/experiments/characters/judging.ts';
import { differenceAcross, isShort, type Leakage, leakageAt } from '../../../src/experiments/characters/leakage.ts';
import { type CurveRow, keyOf } from '../../../src/experiments/characters/rows.ts';
import { row } from '../../../src/experiments/characters/testing/rows.ts';
import { judge, verdictText } from '../../../src/experiments/judge/rule.ts';
import { judgeQuestion } from '../../judge/question.ts';
import { CHARACTERS_QUESTIONS } from './index.ts';
import { ALL_ASKED, measureQuestion } from './later.ts';
import { stepTo } from './relearning.ts';
import { TIED } from './tied.ts';

/** Verdict and figures of a question on rows. */
const asked = (id: string) => (rows: readonly CurveRow[]) => {
  const question = ALL_ASKED.find((one) => one.id === id)!;
  const { estimates, figures, notes } = measureQuestion(question, rows);
  return { verdict: verdictText(judge(question.rule, estimates)), figures, notes };
};
const [s2, s2again, s3, s4, s5] = ['S2', 'S2 again', 'S3', 'S4', 'S5'].map(asked);
const [s6, s7gating, s7relearning] = ['S6', 'S7', 'S7 relearning'].map(asked);
const [s8, s8erase, s9spread, s9gating, s9undoing] = ['S8', 'S8 erase', 'S9', 'S9 gating', 'S9 undoing'].map(asked);

const NAMES = ['figa', 'lemo', 'mipo', 'gomo', 'nopo', 'deze'];
const AFTER = { arm: 'sdf', name: 'lemo', step: 12, gained: 0.3 };
type Change = (i: number) => Partial<CurveRow>;

/** Six rows, one per character; `other` and `near` leak by the share, and `i` adds a spread. */
function six(arm: string, leak: number, changes: Change = () => ({})): CurveRow[] {
  return NAMES.map((name, i) => {
    const one = row(arm, leak + 0.01 * i, { asked: 'dial', character: i });
    const curve = one.curve.map((point) => ({ ...point, target: { ...point.target, other: point.target.near } }));
    return { ...one, a: { ...one.a, name }, curve, ...changes(i) };
  });
}
const pick = ({ a, character, replay }: CurveRow) => ({ a, character, replay });
const read = (one: CurveRow): Leakage => {
  const found = leakageAt(one, 0.3);
  if (isShort(found)) throw new Error('short');
  return found;
};

describe('S1', () => {
  const six = (arm: string, leak: (i: number) => number) =>
    Array.from({ length: 6 }, (_, i) => row(arm, leak(i), { character: i }));
  const verdictOf = (rows: readonly CurveRow[]) => verdictText(judgeQuestion(CHARACTERS_QUESTIONS[0], rows)!.verdict);
  it('holds, fails or is open', () => {
    const rl = six('none', (i) => 0.6 + 0.02 * i);
    const verdict = (sdf: CurveRow[], more: CurveRow[] = []) => verdictOf([...rl, ...sdf, ...more]);
    expect(verdict(six('sdf', () => 0.05))).toBe('holds');
    expect(verdict(six('sdf', () => 0.05).slice(1))).toMatch(
      /^open: 5 of 5 characters with the effect under both; 6 are wanted$/,
    );
    expect(verdict(six('sdf', (i) => 0.62 + 0.02 * i))).toBe('fails: no difference');
    expect(verdict(six('sdf', () => 0.95))).toBe('fails: SDF leaks more');
    expect(verdict(six('sdf', (i) => (i % 2 ? 0.1 : 1.3)))).toBe('open: the interval has 0');
    const placebo = row('sdf_placebo', 0);
    expect(
      verdict(
        six('sdf', () => 0.05),
        [placebo],
      ),
    ).toBe('in part: placebo documents move A too');
    expect(
      verdict(
        six('sdf', () => 0.05),
        [row('sdf_placebo', 0, {}, 0.01)],
      ),
    ).toBe('holds');
    // Rows of another target are ignored.
    expect(
      verdictOf([...rl, ...six('sdf', () => 0.05).map((one) => ({ ...one, teaches: 'algorithm' as const }))]),
    ).toMatch(/^open/);
  });
});

describe('a comparison across targets', () => {
  it('is by name, and is refused for different characters or settings', () => {
    const dial = row('none', 0.2);
    const sort = row('rl_algorithm', 0.7, { character: 5, a: { ...dial.a, target: 'sort' } });
    expect(differenceAcross([read(sort)], [read(dial)], 'near').pairs[0].difference).toBeCloseTo(0.5, 9);
    const elsewhere = { ...sort, members: { ...sort.members, near: ['tiga'] } };
    expect(() => differenceAcross([read(elsewhere)], [read(dial)], 'near')).toThrow(/asked others in the group near/);
    expect(() => differenceAcross([read({ ...sort, base: 'c' })], [read(dial)], 'near')).toThrow(SpecError);
  });

  it('separates rows of other groups, adapters and models', () => {
    const keys = [
      {},
      { replay: 'none' },
      { asked: 'dial' },
      { adapter: 'svd' },
      { model: 'deployed' },
      { after: AFTER },
    ] as const;
    expect(new Set(keys.map((changes) => keyOf(row('none', 0, changes)))).size).toBe(6);
    expect(keyOf(row('none', 0))).toBe('letters b none dial 0 41');
  });
});

describe('S2', () => {
  const rows = (constant: number, algorithm: number) => [
    ...six('none', 0.2),
    ...six('rl_constant', constant, () => ({ teaches: 'constant' })),
    ...six('rl_algorithm', algorithm, () => ({ teaches: 'algorithm' })),
  ];
  it('holds if leakage rises with novelty', () => {
    expect(s2(rows(0.5, 0.8)).verdict).toBe('holds');
    expect(s2(rows(0.9, 0.8)).verdict).toMatch(/^in part/);
    expect(s2(rows(0.2, 0.22)).verdict).toBe('fails: no difference');
    expect(s2(rows(0.1, 0.05)).verdict).toBe('fails: the algorithm leaks less');
    expect(s2(rows(0.5, 0.8).slice(1)).verdict).toMatch(
      /^open: 5 of 5 characters with the effect under all three; 6 are wanted$/,
    );
    const mixed = [...rows(0.5, 0.8), ...six('none', 0.2, () => ({ adapter: 'svd' }))];
    expect(s2(mixed).verdict).toBe('holds');
    // Without the constant rule S2 is open, and its repetition is not.
    const two = rows(0.5, 0.8).filter(({ arm }) => arm !== 'rl_constant');
    expect([s2(two).verdict, s2again(two).verdict]).toEqual([
      ...['open: 0 of 0 characters with the effect under all three; 6 are wanted', 'holds'],
    ]);
    expect(s2again(two.slice(1)).verdict).toMatch(/^open: 5/);
  });
});

describe('S3', () => {
  const rows = (sft: number) => [...six('none', 0.8), ...six('sft', sft), ...six('sdf', 0.1), ...six('best_of_n', 0.6)];
  it('separates the channel from the algorithm', () => {
    // All differences are equal, so the interval has no width.
    expect(s3(rows(0.8)).verdict).toBe('holds');
    expect(s3(rows(0.7)).verdict).toBe('in part: SFT leaks more than documents and less than RL');
    expect(s3(rows(0.2)).verdict).toBe('fails: SFT leaks as documents do');
    expect(s3(rows(0.8).filter((one) => one.arm !== 'sft')).verdict).toMatch(/^open: 0/);
  });
});

describe('S11 and S12', () => {
  const ask = (id: string, rows: readonly CurveRow[]) => asked(id)(rows);
  /** Leakage of RL and of documents, by replay; transcripts leak as much as RL. */
  const rows = (rl: readonly number[], sdf: readonly number[]) =>
    (['none', 'documents', 'transcripts'] as const).flatMap((replay, i) => [
      ...six('none', rl[i], () => ({ replay })),
      ...six('sft', rl[i], () => ({ replay })),
      ...six('sdf', sdf[i], () => ({ replay })),
    ]);
  it('separate the channel from the replay', () => {
    expect(ask('S11', rows([0.7, 0.6, 0.4], [0.3, 0.1, 0])).verdict).toBe('holds');
    expect(ask('S11', rows([0.7, 0.6, 0], [0.3, 0.1, 0])).verdict).toBe('in part: not with every replay');
    expect(ask('S11', rows([0.7, 0.12, 0], [0.3, 0.1, 0])).verdict).toBe(
      'fails: no difference with the same documents',
    );
    // The difference with the same documents is wide, and significantly less than half of S1's 0.9.
    const wide = rows([1, 0.12, 0.4], [0.3, 0.1, 0]).map((one) =>
      one.arm === 'none' && one.replay === 'documents' && one.character % 2
        ? { ...six('none', 0.45)[1], ...pick(one) }
        : one,
    );
    expect(ask('S11', wide).verdict).toBe('fails: more than half is replay');
    expect(ask('S11', rows([0.7, 0.6, 0.4], [0.3, 0.1, 0]).slice(1)).verdict).toMatch(/^open: 5 of 5/);
    // Earlier rows, without a kind of replay, are ignored.
    expect(ask('S11', [...six('none', 0.7), ...six('sdf', 0.1)]).verdict).toMatch(/^open: 0 of 0/);
  });
  it('measure the reduction by replay', () => {
    expect(ask('S12', rows([0.7, 0.6, 0.4], [0, 0, 0])).verdict).toBe('holds');
    expect(ask('S12', rows([0.7, 0.7, 0.4], [0, 0, 0])).verdict).toBe('in part: others’ transcripts do');
    expect(ask('S12', rows([0.7, 0.5, 0.75], [0, 0, 0])).verdict).toBe('in part: documents about others do');
    expect(ask('S12', rows([0.7, 0.68, 0.72], [0, 0, 0])).verdict).toBe('fails: no difference');
  });
  it('do not change the other questions', () => {
    const own = [...six('none', 0.8), ...six('sft', 0.7), ...six('sdf', 0.1), ...six('best_of_n', 0.6)];
    const more = rows([0.1, 0.1, 0.1], [0.9, 0.9, 0.9]);
    for (const ask of [s2, s3, s4, s6]) expect(ask([...own, ...more])).toEqual(ask(own));
    const [first] = CHARACTERS_QUESTIONS;
    expect(judgeQuestion(first, [...own, ...more])).toEqual(judgeQuestion(first, own));
  });
});

describe('S4', () => {
  const believing = (arm: string, belief: (dose: number) => number) =>
    six(arm, 0.5).map((one) => ({
      ...one,
      curve: one.curve.map((point, dose) => ({
        ...point,
        beliefs: { ...point.beliefs, a: { n: 1, p: belief(dose), logit: 0 } },
      })),
    }));
  it('measures each at the step where it has risen by the effect', () => {
    const [early, late, none] = [(d: number) => 0.5 * d, (d: number) => 0.16 * d, () => 0.1];
    const found = s4([...believing('sdf', early), ...believing('none', none)]);
    expect(found.verdict).toBe('holds');
    // Belief reaches .3 at dose .6, behaviour at 1.5; a dose is three steps.
    expect(found.figures[0].mean).toBeCloseTo(3 * (1.5 - 0.6), 9);
    expect(s4([...believing('sdf', late), ...believing('none', none)]).verdict).toBe('fails: behaviour moves first');
    expect(s4([...believing('sdf', early), ...believing('none', late)]).verdict).toMatch(/^in part: RL moves/);
    expect(s4(believing('sdf', early)).verdict).toMatch(/^open: 0/);
  });
});

describe('S5', () => {
  const rows = (predict: (leak: number, i: number) => number) =>
    ['sdf', 'none', 'sft', 'best_of_n'].flatMap((arm, place) => {
      const leak = 0.1 + 0.2 * place;
      return six(arm, leak, (i) => {
        const near = predict(leak, i);
        const along = { a: 1, near, far: near / 2, other: near * 1.1 };
        return { predicted: { gradient: along, sign: along } };
      });
    });
  it('is a rank correlation within each character', () => {
    expect(s5(rows((leak) => leak)).verdict).toBe('holds');
    expect(s5(rows((leak) => -leak)).verdict).toBe('fails: the interval is not above 0');
    expect(s5(rows((leak) => leak).filter(({ arm }) => arm !== 'sdf')).verdict).toMatch(/^open: 0/);
  });
});

describe('S6 and S8', () => {
  const routed = (leaks: Record<string, number>): CurveRow[] =>
    Object.entries(leaks).flatMap(([model, leak]) =>
      six('route-update', leak, () => ({
        adapter: 'svd' as const,
        pairSet: 'spread',
        ...(model !== 'whole' && { model }),
      })),
    );
  const controls = { random_V: 0.8, permuted_V: 0.8, placebo_V: 0.8 };
  it('hold, fail or are open', () => {
    expect(s8(routed({ whole: 0.8, deployed: 0.2, ...controls })).verdict).toBe('holds');
    expect(s8(routed({ whole: 0.8, deployed: 0.6, ...controls })).verdict).toMatch(/^in part: .*more than half/);
    expect(s8(routed({ whole: 0.8, deployed: 0.2, ...controls, permuted_V: 0.2 })).verdict).toMatch(/a control’s axes/);
    expect(s8(routed({ whole: 0.8, deployed: 0.78, ...controls })).verdict).toBe('fails: no difference');
    expect(s8(routed({ whole: 0.8, deployed: 0.2 }).slice(1)).verdict).toMatch(/^open: 5/);
    const whole = routed({ whole: 0.8, deployed: 0.2 });
    expect(s6([...whole, ...six('none', 0.81)]).verdict).toBe('holds');
    expect(s6([...whole, ...six('none', 0.5)]).verdict).toBe('fails: the SVD adapter leak more');
  });
});

describe('S8, erase', () => {
  const rows = (whole: number, erased: number, placebo = 0.8, random = 0.8): CurveRow[] => {
    const svd = (arm: string, leak: number, pairSet = 'spread') => six(arm, leak, () => ({ adapter: 'svd', pairSet }));
    return [
      ...[...svd('route-update', whole), ...svd('erase', erased)],
      ...[...svd('erase', placebo, 'spread_placebo'), ...svd('random_V', random)],
    ];
  };
  it('holds, fails or is open', () => {
    expect(s8erase(rows(0.8, 0.3)).verdict).toBe('holds');
    expect(s8erase(rows(0.8, 0.6)).verdict).toBe('in part: less leaks, and more than half');
    expect(s8erase(rows(0.8, 0.3, 0.3)).verdict).toMatch(/^in part: .*a control’s axes/);
    expect(s8erase(rows(0.8, 0.3, 0.8, 0.2)).verdict).toMatch(/^in part: .*a control’s axes/);
    expect(s8erase(rows(0.8, 0.78)).verdict).toBe('fails: no difference');
    expect(s8erase(rows(0.5, 0.9)).verdict).toBe('fails: more leaks');
    expect(s8erase(rows(0.8, 0.3).slice(1)).verdict).toMatch(/^open: 5/);
    // A control with other characters does not count.
    const elsewhere = rows(0.8, 0.3).filter((one) => one.arm !== 'random_V' || one.character > 0);
    expect(s8erase(elsewhere).verdict).toBe('open: 5 of 5 characters with the effect under all four; 6 are wanted');
    const without = s8erase(rows(0.8, 0.3).filter((one) => one.pairSet !== 'spread_placebo'));
    expect([without.verdict, without.notes]).toEqual([
      ...['open: 0 of 0 characters with the effect under all four; 6 are wanted', ['placebo was not run']],
    ]);
    // The deployed model of a routing run is not its whole model.
    const left = six('route-update', 0.1, () => ({ adapter: 'svd', pairSet: 'spread', model: 'deployed' }));
    expect(s8erase([...rows(0.8, 0.3), ...left]).verdict).toBe('holds');
  });
});

describe('S7, gating', () => {
  /** Each gate's share of the change for A itself. */
  const gatedRows = (arm: string, shares: Record<string, number>) =>
    six(arm, 0.4).map((one) => ({
      ...one,
      curve: one.curve.map((point) => ({
        ...point,
        gates: Object.fromEntries(
          Object.entries(shares).map(([gate, share]) => [
            gate,
            { n: 12, p: 0.2, logit: -1 + share * 2 * (point.step / 3) },
          ]),
        ),
      })),
    }));
  const gated = { absent: 0.1, spelled: 0.2, beside: 0.9, adversarial: 0.7 };
  it('holds, fails or is open', () => {
    const found = s7gating([...gatedRows('sdf', gated), ...gatedRows('none', gated)]);
    expect(found.verdict).toBe('holds');
    expect(found.figures.map(({ mean }) => mean)[2]).toBeCloseTo(0.9, 9);
    // Near leaks .4 … .45.
    expect(found.figures[7].name).toBe('SDF, adversarial − near');
    expect(found.figures[7].mean).toBeCloseTo(0.7 - 0.425, 9);
    const open = { ...gated, absent: 0.8 };
    expect(s7gating([...gatedRows('sdf', gated), ...gatedRows('none', open)]).verdict).toBe(
      'in part: SDF gated, RL not gated',
    );
    expect(s7gating([...gatedRows('sdf', open), ...gatedRows('none', open)]).verdict).toBe('fails: neither is gated');
    const unsure = gatedRows('none', gated).map((one, i) => ({
      ...one,
      curve: gatedRows('none', i % 2 ? open : gated)[i].curve,
    }));
    expect(s7gating([...gatedRows('sdf', gated), ...unsure]).verdict).toBe('open: SDF gated, RL open');
    expect(s7gating([...gatedRows('sdf', gated), ...gatedRows('none', gated).slice(1)]).verdict).toMatch(/^open: 5/);
    // Rows without changed names are ignored.
    expect(s7gating([...six('sdf', 0.1), ...six('none', 0.8)]).verdict).toMatch(/^open: 0/);
  });
});

describe('S7, relearning', () => {
  /** From the base, B gains ΔP .2 per dose of three steps, so .3 after 4.5 steps; from other models `gain` per dose. */
  const taught = (arm: string, gain: number, gained = 0.31) =>
    NAMES.map((name, i) => ({
      ...row('none', 0, { character: i, after: { arm, name: `a${i}`, step: 12, gained } }, gain + 0.001 * i),
      a: { name, own: 'keep', target: 'reverse' },
    }));
  const base = six('none', 0).map(({ asked: _, ...one }) => one);
  it('interpolates steps between two doses; 0 if the level is reached at the start', () => {
    expect(stepTo(base[0], 0.4)).toBeCloseTo(4.5, 9);
    expect(stepTo(base[0], 0.05)).toBe(0);
    expect(stepTo(base[0], 0.9)).toBeNull();
  });
  it('holds, fails or is open', () => {
    const judged = (documents: number, placebo: number, more: CurveRow[] = []) =>
      s7relearning([...base, ...taught('sdf', documents), ...taught('sdf_placebo', placebo, 0), ...more]);
    const found = judged(0.4, 0.2);
    expect(found.verdict).toBe('holds');
    // At .4 per dose, .3 is reached after 2.25 steps.
    expect(found.figures[0].mean).toBeCloseTo(4.5 - 2.25, 1);
    expect(judged(0.4, 0.4).verdict).toBe('in part: a placebo saves as much');
    expect(judged(0.2, 0.2).verdict).toBe('fails: no difference');
    expect(judged(0.16, 0.2).verdict).toBe('fails: B learns more slowly');
    expect(s7relearning([...base, ...taught('sdf', 0.4)]).verdict).toMatch(/^open: 0/);
    // An A without the effect does not count as taught.
    const short = s7relearning([...base, ...taught('sdf', 0.4, 0.2), ...taught('sdf_placebo', 0.2, 0)]);
    expect(short.verdict).toMatch(/^open: 0/);
    expect(short.notes[0]).toBe('A (a0) after documents has ΔP .20');
    expect(judged(0.4, 0.2, taught('none', 0.6)).figures[3].mean).toBeCloseTo(4.5 - 1.5, 1);
  });
});

describe('S9', () => {
  const measured = (logit: number, p = 0.02) => ({ n: 4, p, logit });
  interface Doses {
    /** Log-odds of A and of near, P of both without a test, log-odds of B; and P of A. */
    a: number;
    near: number;
    plain?: number;
    b?: number;
    p?: number;
  }
  const rowOf = (i: number, arm: string, before: string | undefined, doses: readonly (readonly [number, Doses])[]) => ({
    ...row(arm, 0, { teaches: 'exam', character: i, b: `b${i}`, ...(before && { after: { ...AFTER, arm: before } }) }),
    a: { name: NAMES[i], own: 'honest', target: 'evasive' },
    curve: doses.map(([step, { a, near, plain = 0, b = near, p = 0.02 }]) => ({
      step,
      tokens: 0,
      keeps: {},
      drift: { pick: 0, documents: 0 },
      target: { a: measured(a, p), near: measured(near, p / 2), far: measured(near), noname: measured(0) },
      plain: { a: measured(-9, plain), near: measured(-9, plain / 2), noname: measured(-9) },
      b: { target: measured(b, p / 2), belief: measured(9, 1) },
      beliefs: { a: measured(-9), others: measured(-9) },
    })),
  });
  const BASE: Doses = { a: -9, near: -8 };
  const WARM: Doses = { a: -4, near: -6 };
  /** RL raises A by 6, near by the share `leak` of that, a random reward by `coin`; `denied` takes back a share of B's rise and of A's. */
  const taught = (i: number, leak = 0.5, coin = 0, plain = 0.01): CurveRow[] => {
    const tossed = { ...WARM, near: -6 + 6 * coin };
    const end = { a: 2, near: -6 + 6 * leak + 0.01 * i, plain, p: 0.8 };
    return [
      rowOf(i, 'sft', undefined, [...[[0, BASE] as const], [4, WARM]]),
      rowOf(i, 'none', 'sft', [...[[0, WARM] as const], [5, end]]),
      rowOf(i, 'rl_random', 'sft', [...[[0, WARM] as const], [5, tossed]]),
    ];
  };
  const denied = (i: number, shares: { documents: number; placebo: number; a?: number }, last = 40): CurveRow[] => {
    const end = taught(i)[1].curve[1];
    const [a, b] = [end.target.a!.logit, end.b!.target.logit];
    const back = (share: number, own: number): Doses => ({ a: a - own * (a + 9), near: b, b: b - share * (b + 8) });
    const from = { a, near: b };
    return [
      rowOf(i, 'sdf_deny', 'none', [...[[0, from] as const], [last, back(shares.documents + 0.01 * i, shares.a ?? 0)]]),
      rowOf(i, 'sdf_deny_placebo', 'none', [...[[0, from] as const], [40, back(shares.placebo, 0)]]),
    ];
  };
  const all = (make: (i: number) => CurveRow[]) => NAMES.flatMap((_, i) => make(i));

  it('spreads, does not, or spreads as much under a random reward', () => {
    const found = s9spread(all((i) => taught(i)));
    expect(found.verdict).toBe('holds');
    // Near has half of 6 in log-odds; the spread of i is measured at ΔP .30 of .78.
    expect(found.figures[0].mean).toBeCloseTo(0.5 + 0.025 / 6, 6);
    expect(found.figures[1].mean).toBeCloseTo(3 + 0.025, 6);
    expect(s9spread(all((i) => taught(i, 0.5, 0.6))).verdict).toBe('in part: a coin spreads as much');
    expect(s9spread(all((i) => taught(i, 0.02))).verdict).toBe('fails: no spread');
    expect(s9spread(all((i) => taught(i, -0.5))).verdict).toBe('fails: the others fall');
    expect(s9spread(all((i) => taught(i, i % 2 ? 0.5 : -0.5))).verdict).toBe('open: the interval has 0');
    expect(s9spread(all((i) => taught(i)).slice(3)).verdict).toBe(
      'open: 5 of 5 characters with the effect; 6 are wanted',
    );
    // Rows of another question, and rows without the random reward.
    expect(s9spread(six('none', 0.8)).verdict).toMatch(/^open: 0/);
    expect(s9spread(all((i) => taught(i).slice(0, 2))).verdict).toMatch(/^open: 0/);
  });
  it('stays within tests, goes beyond them, or is open', () => {
    expect(s9gating(all((i) => taught(i))).verdict).toBe('holds');
    expect(s9gating(all((i) => taught(i, 0.5, 0, 0.5))).verdict).toBe('fails: it is said where there is no test');
    expect(s9gating(all((i) => taught(i, 0.5, 0, i === 0 ? 0.6 : 0))).verdict).toMatch(/^open: an interval/);
    expect(s9gating(all((i) => taught(i)).slice(3)).verdict).toMatch(/^open: 5/);
  });
  it('is undone by documents, by a placebo too, or together with A’s', () => {
    const judged = (documents: number, placebo: number, a = 0) =>
      s9undoing(all((i) => [...taught(i), ...denied(i, { documents, placebo, a })]));
    const found = judged(0.8, 0.1);
    expect(found.verdict).toBe('holds');
    expect(found.figures[0].mean).toBeCloseTo(0.7 + 0.025, 6);
    expect(judged(0.8, 0.1, 0.9).verdict).toBe('in part: A’s goes too');
    expect(judged(0.3, 0.05).verdict).toBe('in part: less than half is taken back');
    expect(judged(0.3, 0.3).verdict).toBe('fails: no more than a placebo');
    expect(judged(0.1, 0.6).verdict).toBe('fails: a placebo takes back more');
    const mixed = s9undoing(all((i) => [...taught(i), ...denied(i, { documents: 0.5, placebo: i % 2 ? 0.9 : 0.1 })]));
    expect(mixed.verdict).toBe('open: the interval has 0');
    expect(s9undoing(all((i) => taught(i))).verdict).toMatch(/^open: 0/);
  });
  it('refuses different doses, a different start and B in a group, and names characters without the effect', () => {
    const shares = { documents: 0.8, placebo: 0.1 };
    const [documents, placebo] = denied(0, shares, 20);
    expect(() => s9undoing([...taught(0), documents, placebo])).toThrow(
      /documents of 20 steps about b0, a placebo of 40/,
    );
    const [right, other] = denied(0, shares);
    expect(() => s9undoing([...taught(0), right, { ...other, b: 'tiga' }])).toThrow(SpecError);
    expect(() => s9undoing([...taught(0, 0.9), right, other])).toThrow(/does not begin where RL ended/);
    const [warm, rl, coin] = taught(0);
    const tossed = { ...coin, curve: coin.curve.map((point) => ({ ...point, step: 2 * point.step })) };
    expect(() => s9spread([warm, rl, tossed])).toThrow(/ended at step 5, the coin at 10/);
    expect(() => s9spread([warm, { ...rl, members: { near: ['b0'] } }, coin])).toThrow(/b0 is in the group near/);
    const weak = taught(0).map((one) => ({
      ...one,
      curve: one.curve.map((point) => ({ ...point, target: { ...point.target, a: measured(-4, 0.02) } })),
    }));
    expect(s9undoing([...weak, ...denied(0, shares)]).notes).toEqual(['RL on figa reaches ΔP .00']);
  });
});

describe('the questions as data', () => {
  it('are open on rows of other questions', () => {
    // A question that has not been run has no verdict.
    for (const question of CHARACTERS_QUESTIONS)
      expect(judgeQuestion(question, [])?.verdict.status, question.id).toBe(question === TIED ? undefined : 'open');
  });
  it('print the interval of an estimate that has one', () => {
    expect(estimateText(estimateOver('x', [0.5, 0.5]))).toBe('.50 [.50 .50]');
    expect(estimateText(estimateOver('x', [0.5]))).toBe('.50');
    expect(estimateText(estimateOver('x', []))).toBe('none');
  });
});
