// Tests the divisor of a span of gradients on numbers worked out by hand.
import { expect, it } from 'vitest';
import { adamStep, divisorOf, zeroMoments } from '../adamw.ts';
import { divideBy, ownDivisor } from './span-metric.ts';

const close = (values: ArrayLike<number>, digits = 5) => Array.from(values, (x) => expect.closeTo(x, digits));

it('before the first step is the root mean square of the gradients; an element that is always 0 stays 0', () => {
  const gradients = [Float32Array.of(3, 0, -1), Float32Array.of(-4, 0, 1)];
  const divisor = ownDivisor(gradients, 1e-8);
  expect([...divisor]).toEqual(close([Math.sqrt(12.5), 1e-8, 1]));
  divideBy(gradients, divisor);
  expect(gradients.map((gradient) => [...gradient])).toEqual([
    close([3 / Math.sqrt(12.5), 0, -1]),
    close([-4 / Math.sqrt(12.5), 0, 1]),
  ]);
});

it('equals the divisor of AdamW’s last step', () => {
  const adam = { beta1: 0, beta2: 0.9, adamEps: 0.1 };
  const moments = zeroMoments(2);
  adamStep(moments, Float32Array.of(1, -2), 1, 0.5, adam);
  const g = Float32Array.of(-3, 4);
  const step = adamStep(moments, g, 1, 0.5, adam);
  const divisor = divisorOf(moments, adam);
  // Without a first moment the step is lr · g / (√v̂ + ε).
  expect([...step]).toEqual(close([0, 1].map((i) => (0.5 * g[i]) / divisor[i])));
  // v̂ = (β v₁ + (1 − β) g²) / (1 − β²), v₁ = (1 − β) g₁².
  const second = (first: number, last: number) => (0.9 * 0.1 * first ** 2 + 0.1 * last ** 2) / (1 - 0.9 ** 2);
  expect([...divisor]).toEqual(close([second(1, -3), second(-2, 4)].map((v) => Math.sqrt(v) + 0.1)));
});
