// Tests every loss type, ratio level and clip against numbers worked out by hand and against TRL's formulas on padded matrices, and
// each coefficient against finite differences of the value.
import { describe, expect, it } from 'vitest';
import { trainedPlaces } from '../engine/episodes/episode.ts';
import { CounterRng } from '../rng/counter-rng.ts';
import { STREAMS } from '../rng/threefry.ts';
import { sum } from '../stats/index.ts';
import {
  type LossSettings,
  type LossType,
  lossDenominator,
  RATIO_EDGES,
  type StepSize,
  sequenceLoss,
} from './grpo-loss.ts';

const LOSS_TYPES: readonly LossType[] = ['dr_grpo', 'grpo', 'bnpo', 'dapo'];
type Level = 'token' | 'sequence';

describe('denominators', () => {
  // Three completions of 2, 3 and 5 tokens; the constant is 4 · 10 · 2.
  const step: StepSize = { completions: 3, tokens: 10 };
  it.each([
    ['dr_grpo', 2, 80],
    ['dr_grpo', 5, 80],
    ['grpo', 2, 6],
    ['grpo', 5, 15],
    ['bnpo', 2, 10],
    ['bnpo', 5, 10],
    ['dapo', 2, 10],
    ['dapo', 5, 10],
  ] as const)('%s, %i tokens: %i', (type, length, expected) => {
    expect(lossDenominator(type, length, step, 80)).toBe(expected);
  });

  it('grpo gives each completion one vote, bnpo each token', () => {
    // Token losses of the first completion are 1, of the others 0.
    expect(2 / lossDenominator('grpo', 2, step, 80)).toBeCloseTo(1 / 3, 14);
    expect(2 / lossDenominator('bnpo', 2, step, 80)).toBeCloseTo(2 / 10, 14);
  });

  it('dapo equals bnpo in one process, but not in several', () => {
    // TRL: num_items_in_batch (of all processes) / num_processes, against this process’s own tokens.
    const dapo = (own: number, others: number[]) => (own + sum(others)) / (1 + others.length);
    expect(lossDenominator('dapo', 4, step, 80)).toBe(dapo(step.tokens, []));
    expect(dapo(step.tokens, [30])).not.toBe(lossDenominator('bnpo', 4, step, 80));
  });
});

/** Loss of tokens given as log ratios, with old = 0. */
const at = (logRatios: number[], advantage: number, settings: Partial<LossSettings>) =>
  sequenceLoss(
    { logprobs: Float32Array.from(logRatios), old: new Float32Array(logRatios.length), advantage },
    { clipEps: 0.2, klBeta: 0, denominator: 1, ...settings },
  );

it('counts tokens by ratio in a histogram', () => {
  const logs = [0.1, 0.5001, 0.85, 1, 1, 1.19, 1.21, 3].map(Math.log);
  expect(at(logs, 1, {}).histogram).toEqual([1, 1, 1, 0, 2, 0, 1, 1, 1]);
  expect(RATIO_EDGES).toHaveLength(8);
  // A sequence-level ratio counts once for each token.
  expect(at([Math.log(4), 0], 1, { importanceSampling: 'sequence' }).histogram[7]).toBe(0);
  expect(at([Math.log(4.1), 0], 1, { importanceSampling: 'sequence' }).histogram[8]).toBe(2);
});

describe('the clip', () => {
  it.each([
    // ratio, advantage, low, high → value, slope
    [1.25, 1, 0.2, 0.28, -1.25, -1.25],
    [1.25, 1, 0.2, 0, -1.2, 0],
    [1.35, 1, 0.2, 0.28, -1.28, 0],
    [0.75, -1, 0.2, 0.28, 0.8, 0],
    [0.75, -1, 0.3, 0.4, 0.75, 0.75],
    [1.35, -1, 0.2, 0.28, 1.35, 1.35],
    [0.75, 1, 0.2, 0.28, -0.75, -0.75],
  ])('ratio %f, advantage %f, 1 − %f … 1 + %f', (ratio, advantage, clipEps, clipEpsHigh, value, slope) => {
    const { loss, coef, clipped, ratios } = at([Math.log(ratio)], advantage, { clipEps, clipEpsHigh });
    expect(loss).toBeCloseTo(value, 6);
    expect(coef[0]).toBeCloseTo(slope, 6);
    expect(clipped).toBe(slope === 0 ? 1 : 0);
    expect(ratios).toBeCloseTo(ratio, 6);
  });
});

it('refuses to mix log-probabilities of an episode’s trained tokens with those of all its tokens', () => {
  const [three, five] = [new Float32Array(3), new Float32Array(5)];
  const settings = { clipEps: 0.2, klBeta: 0.1, denominator: 1 };
  const of = (old: Float32Array, reference?: Float32Array) => () =>
    sequenceLoss({ logprobs: three, old, reference, advantage: 1 }, settings);
  expect(of(five)).toThrow('3 log-probabilities of trained tokens, and 5 of the old policy');
  expect(of(three, five)).toThrow('5 of the reference policy');
  expect(of(three, three)).not.toThrow();
});

it('subtracts the weighted entropy of each token, independent of the clip', () => {
  const tokens = {
    logprobs: Float32Array.of(0, 1),
    old: new Float32Array(2),
    entropy: Float32Array.of(0.5, 2),
    advantage: 1,
  };
  const settings = { clipEps: 0.2, klBeta: 0, denominator: 4 };
  const [without, with_] = [0, 0.1].map((entropyCoef) => sequenceLoss(tokens, { ...settings, entropyCoef }));
  expect(with_.loss).toBeCloseTo(without.loss - (0.1 * 2.5) / 4, 12);
  expect(with_.coef).toEqual(without.coef);
  expect([...with_.entropyCoef]).toEqual([-0.025, -0.025].map(Math.fround));
  const bonus = { ...settings, entropyCoef: 0.1 };
  for (const entropy of [Float32Array.of(1), undefined])
    expect(() => sequenceLoss({ ...tokens, entropy }, bonus)).toThrow(
      `2 log-probabilities of trained tokens, and ${entropy?.length ?? 0} of the entropy`,
    );
});

describe('the ratio’s level', () => {
  const half = [2 * Math.log(1.1), 0]; // ratios 1.21 and 1; together √(1.21·1) = 1.1

  it('token: each token has its own', () => {
    const { loss, coef, clipped, ratios } = at(half, 1, { importanceSampling: 'token' });
    expect(loss).toBeCloseTo(-1.2 - 1, 6);
    expect([...coef]).toEqual([0, -1]);
    expect(clipped).toBe(1);
    expect(ratios).toBeCloseTo(2.21, 6);
  });

  it('sequence: all tokens share exp of the mean log ratio, and are clipped together', () => {
    const inside = at(half, 1, { importanceSampling: 'sequence' });
    expect(inside.loss).toBeCloseTo(-2.2, 6);
    for (const slope of inside.coef) expect(slope).toBeCloseTo(-1.1, 6);
    expect([inside.clipped, inside.ratios]).toEqual([0, expect.closeTo(2.2, 6)]);
    const outside = at(half, 1, { importanceSampling: 'sequence', clipEps: 0.05 });
    expect(outside.loss).toBeCloseTo(-2.1, 6);
    expect([...outside.coef]).toEqual([0, 0]);
    expect(outside.clipped).toBe(2);
    // Tokens that would be clipped separately are not clipped here.
    const mixed = at([Math.log(4), -Math.log(4)], 1, { importanceSampling: 'sequence' });
    for (const slope of mixed.coef) expect(slope).toBeCloseTo(-1, 6);
  });
});

interface Completion {
  logprobs: Float32Array;
  old: Float32Array;
  reference: Float32Array;
  advantage: number;
}

/** Multiples of 2⁻¹⁰, so that values and finite-difference steps are exact in single precision. */
function completions(trial: number): Completion[] {
  const rng = CounterRng.of(17, STREAMS.test, trial);
  const row = (length: number, centre: (t: number) => number, width: number) =>
    Float32Array.from({ length }, (_, t) => Math.round(1024 * (centre(t) + width * (rng.uniform() - 0.5))) / 1024);
  return [1, 2, 3, 4].map((length) => {
    const old = row(length, () => -1.5, 1);
    return {
      old,
      logprobs: row(length, (t) => old[t], 0.9),
      reference: row(length, () => -1.5, 1),
      advantage: rng.normal(),
    };
  });
}

interface Options {
  type: LossType;
  level: Level;
  low: number;
  high: number;
  beta: number;
}

const CONSTANT = 24;

function ours(batch: readonly Completion[], { type, level, low, high, beta }: Options) {
  const size = { completions: batch.length, tokens: sum(batch.map(({ old }) => old.length)) };
  const parts = batch.map((completion) =>
    sequenceLoss(completion, {
      clipEps: low,
      clipEpsHigh: high,
      klBeta: beta,
      importanceSampling: level,
      denominator: lossDenominator(type, completion.old.length, size, CONSTANT),
    }),
  );
  return { loss: sum(parts.map(({ loss }) => loss)), coef: parts.map(({ coef }) => coef) };
}

/** TRL’s GRPOTrainer, computed on [B, T] with a mask, padded to the longest completion; max_completion_length is 6. `shown`: tokens that
 *  the mask excludes besides padding. */
function trl(batch: readonly Completion[], { type, level, low, high, beta }: Options, shown?: boolean[][]): number {
  const [B, T] = [batch.length, Math.max(...batch.map(({ old }) => old.length))];
  const at = (row: Float32Array, t: number) => (t < row.length ? row[t] : 0);
  const mask = batch.map(({ old }, b) =>
    Array.from({ length: T }, (_, t) => (t < old.length && !shown?.[b][t] ? 1 : 0)),
  );
  const lengths = mask.map((row) => Math.max(sum(row), 1));
  const perToken = batch.map(({ logprobs, old, reference, advantage }, b) => {
    const logRatio = mask[b].map((_, t) => at(logprobs, t) - at(old, t));
    const mean = sum(logRatio.map((x, t) => x * mask[b][t])) / lengths[b];
    return mask[b].map((_, t) => {
      const coef1 = Math.exp(level === 'sequence' ? mean : logRatio[t]);
      const coef2 = Math.min(Math.max(coef1, 1 - low), 1 + (high || low));
      const gap = at(reference, t) - at(logprobs, t);
      return -Math.min(coef1 * advantage, coef2 * advantage) + beta * (Math.exp(gap) - gap - 1);
    });
  });
  const rows = perToken.map((row, b) => sum(row.map((x, t) => x * mask[b][t])));
  if (type === 'grpo') return sum(rows.map((row, b) => row / lengths[b])) / B;
  if (type === 'dr_grpo') return sum(rows) / (B * 6);
  return sum(rows) / sum(lengths);
}

const combinations: Options[] = LOSS_TYPES.flatMap((type) =>
  (type === 'grpo' ? (['token', 'sequence'] as const) : (['token'] as const)).flatMap((level) =>
    [
      { low: 0.2, high: 0 },
      { low: 0.1, high: 0.3 },
      { low: 0.02, high: 0.02 },
    ].flatMap((clip) => [0, 0.3].map((beta) => ({ type, level, ...clip, beta }))),
  ),
);

/** The same completions with observation tokens in between, with arbitrary log-probabilities. */
function withShown(batch: readonly Completion[], trial: number): { whole: Completion[]; shown: boolean[][] } {
  const rng = CounterRng.of(19, STREAMS.test, trial);
  const shown = batch.map(({ old }) =>
    Array.from(old).flatMap(() => [...new Array<boolean>(rng.int(4)).fill(true), false]),
  );
  const spread = (row: Float32Array, b: number) => {
    let next = 0;
    return Float32Array.from(shown[b], (isShown) => (isShown ? -3 * rng.uniform() : row[next++]));
  };
  const whole = batch.map((completion, b) => ({
    ...completion,
    old: spread(completion.old, b),
    logprobs: spread(completion.logprobs, b),
    reference: spread(completion.reference, b),
  }));
  return { whole, shown };
}

describe.each(combinations)('$type, ratio per $level, clip −$low +$high, β $beta', (options) => {
  it('equals TRL’s value', () => {
    for (let trial = 0; trial < 8; trial++)
      expect(ours(completions(trial), options).loss).toBeCloseTo(trl(completions(trial), options), 10);
  });

  it('depends only on an episode’s trained tokens, not on observations', () => {
    for (let trial = 0; trial < 8; trial++) {
      const { whole, shown } = withShown(completions(trial), trial);
      expect(sum(shown.map((row) => row.filter((isShown) => isShown).length))).toBeGreaterThan(4);
      const trained = whole.map((completion, b) => {
        const places = trainedPlaces({
          completion: [...completion.old.keys()],
          mask: shown[b].map((isShown) => (isShown ? 0 : 1)),
        });
        const own = (row: Float32Array) => Float32Array.from(places, (t) => row[t]);
        const { old, logprobs, reference } = completion;
        return { ...completion, old: own(old), logprobs: own(logprobs), reference: own(reference) };
      });
      expect(ours(trained, options).loss).toBeCloseTo(trl(whole, options, shown), 10);
      // The loss differs if all of an episode's tokens count as the model's.
      if (options.type !== 'dr_grpo') {
        expect(Math.abs(ours(whole, options).loss - trl(whole, options, shown))).toBeGreaterThan(1e-6);
      }
    }
  });

  it('has coefficients equal to the derivative of that value', () => {
    const h = 2 ** -8;
    let compared = 0;
    for (let trial = 0; trial < 8; trial++) {
      const batch = completions(trial);
      const { coef } = ours(batch, options);
      for (const [b, { logprobs, old }] of batch.entries())
        for (let t = 0; t < logprobs.length; t++) {
          const moved = (by: number) => {
            const row = logprobs.slice();
            row[t] += by;
            return ours(batch.with(b, { ...batch[b], logprobs: row }), options).loss;
          };
          const gaps = Array.from(logprobs, (x, i) => x - old[i]);
          const ratio = Math.exp(options.level === 'sequence' ? sum(gaps) / gaps.length : gaps[t]);
          const kinks = [1 - options.low, 1 + (options.high || options.low)];
          if (kinks.some((kink) => Math.abs(Math.log(ratio / kink)) < 2 * h)) continue;
          compared++;
          expect(coef[b][t]).toBeCloseTo((moved(h) - moved(-h)) / (2 * h), 4);
        }
    }
    expect(compared).toBeGreaterThan(60);
  });
});
