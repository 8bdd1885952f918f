// One sentence from numbers, by fixed rules (METHOD "What is reported"). A difference is null within the reference's seed sd, within one
// standard error of the paired Δ, or, if n is large enough for p ≤ .05, if its sign-flip p (after Holm, if the question has several) is
// above it. If n is too small for any p below .05 the sentence says so. No sentence is written by hand.

import { pointInterval, points, pValue, shortNumber, signedPoints } from '../../../src/experiments/analysis/words.ts';
import type { MetricComparison } from './paired.ts';

export const ALPHA = 0.05;
/** Sums of rates carry rounding errors. */
const LAST_BIT = 1e-9;

export interface EffectVerdict {
  /**
   * `missing`: no figure; `single`: one seed; `null`: no difference by the rules; `pointer`: beyond the noise, but n is too small for p <
   * .05; `effect`: beyond the noise, and p ≤ .05.
   */
  kind: 'missing' | 'single' | 'null' | 'pointer' | 'effect';
  rule: 'no figure' | 'one seed' | 'seed sd' | 'standard error' | 'sign-flip p' | 'n too small' | 'p reached';
  direction: 'less' | 'more' | 'equal' | null;
  sentence: string;
  /** The sentence's reason without its figures. */
  why: string;
}

/** `reference` names what the other side is compared with. */
export function verdictOf(comparison: MetricComparison | null, reference = 'vanilla'): EffectVerdict {
  if (!comparison)
    return {
      kind: 'missing',
      rule: 'no figure',
      direction: null,
      sentence: 'No common complete seed has this figure.',
      why: 'no common complete seed has this figure',
    };
  const { delta, sem, figure, n } = comparison;
  const direction = delta.mean < 0 ? 'less' : delta.mean > 0 ? 'more' : 'equal';
  const verdict = (
    kind: EffectVerdict['kind'],
    rule: EffectVerdict['rule'],
    sentence: string,
    why: string,
  ): EffectVerdict => ({ kind, rule, direction, sentence, why });
  const figures = changeText(comparison);
  if (n === 1 || sem === null)
    return verdict(
      'single',
      'one seed',
      `Δ${figure.measure} ${signedPoints(delta.mean)} in one seed: no spread to judge by.`,
      'one seed, no spread to judge by',
    );
  const spread = comparison.reference.sd ?? 0;
  const size = Math.abs(delta.mean);
  const none = (rule: EffectVerdict['rule'], why: string) =>
    verdict('null', rule, `Null: ${figures}, ${why}.${couldHaveShown(comparison)}`, why);
  if (size <= spread + LAST_BIT) return none('seed sd', `inside ${reference}’s seed sd (${points(spread)})`);
  if (size <= sem + LAST_BIT)
    return none('standard error', `inside one standard error of the paired Δ (${points(sem)})`);
  const { p, smallest, text, least } = pOf(comparison);
  const change = `${direction === 'less' ? 'Less' : 'More'} ${figure.measure} than ${reference}: ${figures}`;
  const covers = comparison.t && comparison.t.interval.low <= 0 && comparison.t.interval.high >= 0;
  if (smallest > ALPHA) {
    const why = `${covers ? 'an interval that includes 0; ' : ''}${text}, ${least}`;
    return verdict('pointer', 'n too small', `${change}${covers ? ', ' : '; '}${why}.`, why);
  }
  return p > ALPHA ? none('sign-flip p', text) : verdict('effect', 'p reached', `${change}, ${text}.`, text);
}

/**
 * The deciding p of the exact sign-flip test, adjusted if the question is. `text`: `p = 0.0059 after Holm over 3`; `least`: the suffix if n
 * is too small for a p below .05.
 */
export function pOf({ adjusted, signFlip }: MetricComparison): {
  p: number;
  smallest: number;
  text: string;
  least: string;
} {
  const { p, smallest } = adjusted ?? signFlip;
  const holm = adjusted && adjusted.tests > 1 ? ` after Holm over ${adjusted.tests}` : '';
  const least = p > smallest + LAST_BIT ? `at least ${shortNumber(smallest)} with this n` : 'the least that n can give';
  return { p, smallest, text: `${pValue(p)}${holm}`, least };
}

/** `−30 points (95% CI −41 to −19, n = 5)`. */
export function effectOf({ delta, t, n }: MetricComparison): string {
  const interval = t ? `95% CI ${pointInterval(t.interval)}, ` : '';
  return `${signedPoints(delta.mean)} (${interval}n = ${n})`;
}

/** `Δhack −30 points (95% CI −41 to −19, n = 5)`. */
export const changeText = (comparison: MetricComparison): string =>
  `Δ${comparison.figure.measure} ${effectOf(comparison)}`;

/** For a null: the smallest effect that would have been detected. */
function couldHaveShown({ smallestEffect, n }: MetricComparison): string {
  return smallestEffect ? ` ${n} seeds could have shown ${points(smallestEffect)}.` : '';
}
