// One sentence from numbers, by fixed rules (METHOD "What is reported"). A difference is null inside the reference's seed sd,
// inside one standard error of the paired Δ, or, where n lets p reach .05, when its sign-flip p (after Holm, if the question
// asks several) stays above it. Where n is too small for any p below .05 the sentence says that. Nothing is written by hand.
import type { FigureComparison } from './statistics-compare.ts';
import { pointInterval, points, pValue, shortNumber, signedPoints } from './statistics-words.ts';

export const ALPHA = 0.05;
/** Rates are fractions whose sums end a last bit off. */
const LAST_BIT = 1e-9;

export interface Verdict {
  /**
   * `missing`: no figure; `single`: one seed; `null`: no difference by the rules; `pointer`: outside the noise, but n is too
   * small for p < .05; `effect`: outside the noise, and p ≤ .05.
   */
  kind: 'missing' | 'single' | 'null' | 'pointer' | 'effect';
  /** Which rule decided. */
  rule: 'no figure' | 'one seed' | 'seed sd' | 'standard error' | 'sign-flip p' | 'n too small' | 'p reached';
  direction: 'less' | 'more' | 'equal' | null;
  sentence: string;
}

/** `reference` names what the other side is compared with. */
export function verdictOf(comparison: FigureComparison | null, reference = 'vanilla'): Verdict {
  if (!comparison)
    return {
      kind: 'missing',
      rule: 'no figure',
      direction: null,
      sentence: 'No common complete seed has this figure.',
    };
  const { delta, sem, figure, n } = comparison;
  const direction = delta.mean < 0 ? 'less' : delta.mean > 0 ? 'more' : 'equal';
  const verdict = (kind: Verdict['kind'], rule: Verdict['rule'], sentence: string): Verdict => ({
    kind,
    rule,
    direction,
    sentence,
  });
  const figures = figuresOf(comparison);
  if (n === 1 || sem === null)
    return verdict(
      'single',
      'one seed',
      `Δ${figure.measure} ${signedPoints(delta.mean)} in one seed: no spread to judge by.`,
    );
  const spread = comparison.reference.sd ?? 0;
  const size = Math.abs(delta.mean);
  const shown = couldHaveShown(comparison);
  if (size <= spread + LAST_BIT)
    return verdict(
      'null',
      'seed sd',
      `Null: ${figures} lies inside ${reference}’s seed sd (${points(spread)}).${shown}`,
    );
  if (size <= sem + LAST_BIT)
    return verdict(
      'null',
      'standard error',
      `Null: ${figures} lies inside one standard error of the paired Δ (${points(sem)}).${shown}`,
    );
  const { p, smallest, name } = pOf(comparison);
  const change = `${direction === 'less' ? 'Less' : 'More'} ${figure.measure} than ${reference}: ${figures}`;
  const covers = comparison.t && comparison.t.interval.low <= 0 && comparison.t.interval.high >= 0;
  if (smallest > ALPHA)
    return verdict(
      'pointer',
      'n too small',
      `${change}${covers ? ', an interval that includes 0' : ''}; n too small for p < .05: smallest possible ${pValue(smallest)}, ${name} ${pValue(p)}.`,
    );
  return p > ALPHA
    ? verdict('null', 'sign-flip p', `Null: ${figures}, ${name} ${pValue(p)} > .05.${shown}`)
    : verdict('effect', 'p reached', `${change}, ${name} ${pValue(p)}.`);
}

/** The p that decides: adjusted where the question was adjusted. */
export function pOf({ adjusted, signFlip }: FigureComparison): { p: number; smallest: number; name: string } {
  return adjusted
    ? {
        p: adjusted.p,
        smallest: adjusted.smallest,
        name: adjusted.tests > 1 ? `sign-flip after Holm over ${adjusted.tests}` : 'sign-flip',
      }
    : { p: signFlip.p, smallest: signFlip.smallest, name: 'sign-flip' };
}

/** `Δhack −30 points (95% interval −41 to −19, n = 5)`. */
export function figuresOf({ figure, delta, t, n }: FigureComparison): string {
  const interval = t ? `95% interval ${pointInterval(t.interval)}, ` : '';
  return `Δ${figure.measure} ${signedPoints(delta.mean)} (${interval}n = ${n})`;
}

/** A null says how much would have been seen. */
function couldHaveShown({ smallestEffect, n }: FigureComparison): string {
  return smallestEffect ? ` The smallest effect that ${n} seeds could have shown is ${points(smallestEffect)}.` : '';
}

/** All tests of a comparison in one line, for a tooltip or a table's foot. */
export function testsLine(comparison: FigureComparison): string {
  const { t, bootstrap, signFlip, adjusted, smallestEffect } = comparison;
  const parts = [figuresOf(comparison)];
  if (t?.t != null && t.p !== null) parts.push(`paired t(${t.df}) = ${shortNumber(t.t)}, ${pValue(t.p)}`);
  if (bootstrap) parts.push(`bootstrap ${pointInterval(bootstrap)}`);
  parts.push(`sign-flip ${pValue(signFlip.p)} (smallest possible ${shortNumber(signFlip.smallest)})`);
  if (adjusted && adjusted.tests > 1) parts.push(`after Holm over ${adjusted.tests}: ${pValue(adjusted.p)}`);
  if (smallestEffect) parts.push(`could have shown ${points(smallestEffect)}`);
  return `${parts.join('; ')}.`;
}
