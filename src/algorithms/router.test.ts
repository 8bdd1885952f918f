// Tests the soft router: weights checked by hand, both gradients against finite differences, its initialisation, and a step.
import { describe, expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../rng/index.ts';
import { pinLoss, routerStep, routerWeight, seededRouter, throughWeights } from './router.ts';

const of = (...values: number[]) => Float32Array.from(values);
const rng = CounterRng.of(5, STREAMS.test);
const drawn = (n: number) => Float32Array.from({ length: n }, () => rng.normal());
const rows = (n: number) => Array.from({ length: n }, () => drawn(6));
/** d [6], scale, bias. */
const PARAMS = [...drawn(6), 3, -0.4];

/** Central differences of a function of the parameters. */
const differences = (f: (params: number[]) => number) =>
  PARAMS.map((_, i) => {
    const at = (by: number) => f(PARAMS.map((x, j) => (i === j ? x + by : x)));
    return (at(1e-5) - at(-1e-5)) / 2e-5;
  });
const close = (values: ArrayLike<number>) => Array.from(values, (x) => expect.closeTo(x, 7));

describe('a weight', () => {
  it('is the logistic function of scaled cosine plus bias, independent of norms', () => {
    // cos(60°) = ½: σ(4 · ½ − 1) = σ(1).
    const params = [2, 0, 4, -1];
    expect(routerWeight(params, of(1, Math.sqrt(3)))).toBeCloseTo(1 / (1 + Math.exp(-1)), 6);
    expect(routerWeight(params, of(10, 10 * Math.sqrt(3)))).toBeCloseTo(1 / (1 + Math.exp(-1)), 6);
    expect(routerWeight(params, of(0, 0))).toBeCloseTo(1 / (1 + Math.exp(1)), 6);
  });
});

describe('gradients', () => {
  it('of the pin loss agree with finite differences; the loss is ln 2 for an uninformed router', () => {
    const [hack, clean] = [rows(3), rows(2)];
    expect(Array.from(pinLoss(PARAMS, hack, clean).gradient)).toEqual(
      close(differences((params) => pinLoss(params, hack, clean).loss)),
    );
    expect(pinLoss([...drawn(6), 0, 0], hack, clean).loss).toBeCloseTo(Math.LN2, 12);
    // −ln σ(−900) must not overflow.
    expect(pinLoss([1, 0, 900, 0], [of(-1, 0)], []).loss).toBeCloseTo(900, 9);
  });

  it('of a loss through the weights agree with finite differences', () => {
    const rollouts = rows(4).map((h, i) => ({ h, slope: [2, -1, 0.5, 0][i] }));
    const loss = (params: number[]) => rollouts.reduce((sum, { h, slope }) => sum + slope * routerWeight(params, h), 0);
    expect(Array.from(throughWeights(PARAMS, rollouts))).toEqual(close(differences(loss)));
  });
});

describe('the initial router', () => {
  const [hack, clean] = [
    [of(3, 1), of(2, 0.5)],
    [of(-1, 1), of(-2, 3)],
  ];

  it('along the pairs’ own direction gives hack and clean weights .9 and .1', () => {
    const own = of(1, 0);
    const { params, m, v, t } = seededRouter(own, own, [of(1, 1)], [of(-1, 1)]);
    expect(routerWeight(params, of(1, 1))).toBeCloseTo(0.9, 5);
    expect(routerWeight(params, of(-1, 1))).toBeCloseTo(0.1, 5);
    expect([m, v, t]).toEqual([[0, 0, 0, 0], [0, 0, 0, 0], 0]);
  });

  it('along another direction has the same scale, and a bias that centres the pairs', () => {
    const [own, other] = [of(1, 0), of(0, 1)];
    const [mine, placebo] = [seededRouter(own, own, hack, clean), seededRouter(other, own, hack, clean)];
    expect(placebo.params[2]).toBe(mine.params[2]);
    const logits = [...hack, ...clean].map((h) => {
      const w = routerWeight(placebo.params, h);
      return Math.log(w / (1 - w));
    });
    expect((logits[0] + logits[1]) / 2 + (logits[2] + logits[3]) / 2).toBeCloseTo(0, 5);
  });
});

it('learns to separate the pairs from an unrelated initial direction', () => {
  const [hack, clean] = [rows(4).map((h) => h.map((x, i) => (i === 0 ? x + 3 : x))), rows(4)];
  const seeded = seededRouter(drawn(6), of(1, 0, 0, 0, 0, 0), hack, clean);
  const adam = { beta1: 0.9, beta2: 0.95, adamEps: 1e-8 };
  let state = seeded;
  for (let step = 0; step < 200; step++)
    state = routerStep(state, pinLoss(state.params, hack, clean).gradient, 0.05, adam);
  expect(pinLoss(state.params, hack, clean).loss).toBeLessThan(0.3 * pinLoss(seeded.params, hack, clean).loss);
  expect(state.t).toBe(200);
  // The state is also restored from a checkpoint's JSON.
  const [kept, again] = [state, JSON.parse(JSON.stringify(state))];
  const { gradient } = pinLoss(state.params, hack, clean);
  expect(routerStep(again, gradient, 0.05, adam)).toEqual(routerStep(kept, gradient, 0.05, adam));
});
