import { describe, expect, it } from 'vitest';
import { monitorFlags } from './monitor.ts';

const places = Array.from({ length: 4000 }, (_, i) => ({
  seed: 41,
  step: Math.floor(i / 80),
  prompt: Math.floor(i / 8) % 10,
  sample: i % 8,
}));
const share = (flags: boolean[]) => flags.filter(Boolean).length / flags.length;

describe('the monitor', () => {
  it('equals the oracle at accuracy 1, and its opposite at 0', () => {
    for (const at of places.slice(0, 200))
      for (const exploited of [true, false]) {
        expect(monitorFlags(exploited, 1, at)).toBe(exploited);
        expect(monitorFlags(exploited, 0, at)).toBe(!exploited);
      }
  });

  it('flags hacks at rate a, and others at 1 − a', () => {
    // 4000 draws: the standard error is 0.005.
    expect(share(places.map((at) => monitorFlags(true, 0.9, at)))).toBeCloseTo(0.9, 1);
    expect(share(places.map((at) => monitorFlags(false, 0.9, at)))).toBeCloseTo(0.1, 1);
  });

  it('makes nested errors: a better monitor’s errors are a subset of a worse one’s', () => {
    const errors = (accuracy: number) => places.filter((at) => !monitorFlags(true, accuracy, at));
    const [few, many] = [errors(0.95), errors(0.7)];
    expect(few.length).toBeLessThan(many.length);
    for (const at of few) expect(many).toContain(at);
  });

  it('is keyed by seed, step, prompt and sample', () => {
    const at = (change: object) => places.map((place) => monitorFlags(true, 0.5, { ...place, ...change }));
    const base = at({});
    expect(at({})).toEqual(base);
    for (const change of [{ seed: 42 }, { step: 99 }, { prompt: 99 }, { sample: 99 }])
      expect(at(change)).not.toEqual(base);
  });
});
