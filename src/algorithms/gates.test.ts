// Tests gates on scores and labels that can be counted by hand, and the rollouts from which each block's gradient comes.
import { describe, expect, it } from 'vitest';
import { blockGradient, byLabel, byQuantiles, type Place, randomScore, withoutQuarantine } from './gates.ts';

const at = (sample: number): Place => ({ seed: 1, step: 2, prompt: 3, sample });
const places = Array.from({ length: 4000 }, (_, i) => at(i));
const rate = (kinds: readonly string[], kind: string) => kinds.filter((one) => one === kind).length / kinds.length;

describe('quantiles', () => {
  it('the lowest scores are clean, the highest hack, the rest mid', () => {
    expect(byQuantiles([0.5, -1, 3, 0.4, 2, 0, 1, 9], 0.5, 0.25)).toEqual(
      [...['clean', 'clean', 'mid', 'clean', 'mid', 'clean', 'mid', 'hack']].map((kind, i) =>
        i === 2 ? 'hack' : kind,
      ),
    );
  });
  it('shares may add up to 0 or to 1, but not to more', () => {
    expect(byQuantiles([1, 2], 0, 0)).toEqual(['mid', 'mid']);
    expect(byQuantiles([1, 2], 0.5, 0.5)).toEqual(['clean', 'hack']);
    expect(byQuantiles([], 0.5, 0.5)).toEqual([]);
    expect(() => byQuantiles([1], 0.6, 0.6)).toThrow(RangeError);
  });
});

describe('labels', () => {
  it('without labels all are mid; if all are labelled without errors, none is', () => {
    expect(new Set(places.map((place) => byLabel(true, 0, 0, place)))).toEqual(new Set(['mid']));
    expect(new Set(places.map((place) => byLabel(true, 1, 0, place)))).toEqual(new Set(['hack']));
    expect(new Set(places.map((place) => byLabel(false, 1, 0, place)))).toEqual(new Set(['clean']));
  });
  it('the shares of labels and of wrong labels are as set, and a larger share labels a superset', () => {
    const kinds = places.map((place) => byLabel(true, 0.2, 0.1, place));
    expect(Math.abs(rate(kinds, 'hack') - 0.18)).toBeLessThan(4 * Math.sqrt((0.18 * 0.82) / 4000));
    expect(Math.abs(rate(kinds, 'clean') - 0.02)).toBeLessThan(4 * Math.sqrt((0.02 * 0.98) / 4000));
    const more = places.map((place) => byLabel(true, 0.5, 0.1, place));
    expect(kinds.every((kind, i) => kind === 'mid' || kind === more[i])).toBe(true);
  });
  it('the uninformed gate depends only on the rollout’s place', () => {
    expect(randomScore(at(1))).toBe(randomScore(at(1)));
    expect(randomScore(at(1))).not.toBe(randomScore(at(2)));
  });
});

describe('blocks', () => {
  const mask = Uint8Array.of(0, 0, 1, 1);
  it('deployed learns from clean and mid, the quarantine from mid and hack', () => {
    const of = {
      clean: Float32Array.of(1, 2, 3, 4),
      mid: Float32Array.of(10, 20, 30, 40),
      hack: Float32Array.of(100, 200, 300, 400),
    };
    expect(Array.from(blockGradient(of, mask))).toEqual([11, 22, 330, 440]);
    expect(Array.from(blockGradient({ ...of, mid: null, hack: null }, mask))).toEqual([1, 2, 0, 0]);
  });
  it('deployment resets the quarantine', () => {
    expect(Array.from(withoutQuarantine(Float32Array.of(1, 2, 3, 4), mask))).toEqual([1, 2, 0, 0]);
  });
});
