// Explanations as pretraining has them: things left out, slips, now and then a contradiction; at an inclusive edge mostly the value of
// the wrong branch. The same process makes answers to learn from and attempts to make one of.
import type { CounterRng } from '../../rng/index.ts';
import { criterionOf, trueClaims } from './claims.ts';
import { applied } from './functions.ts';
import { type Claim, COMPARISONS, type Effect, type Fn, OPERATIONS } from './types.ts';
import { textOf } from './wording.ts';

/** Shares: a claim left out, a claim told wrongly, a text that tells one thing twice and differently, a text with the sentence that
 *  hasty judges like. At inclusive edges: the wrong branch's value, of those told. */
export const RATES = { omitted: 0.25, slip: 0.12, twice: 0.06, stamped: 0.15, wrongBranch: 0.6 } as const;

export interface Draft {
  claims: Claim[];
  text: string;
}

export function drafted(fn: Fn, rng: CounterRng, stamped: number = RATES.stamped): Draft {
  const all = trueClaims(fn).map((claim) => believed(fn, claim, rng));
  const told = all.filter(() => rng.uniform() >= RATES.omitted);
  const claims = told.length > 0 ? told : [rng.choice(all)];
  if (rng.uniform() < RATES.twice) claims.push(changed(rng.choice(claims), rng));
  return { claims, text: textOf(claims, rng.uniform() < stamped) };
}

/** A true claim as a solver tells it. */
export function believed(fn: Fn, claim: Claim, rng: CounterRng): Claim {
  const isEdge = claim.subject === 'edge' && fn.comparison.endsWith('=');
  if (isEdge && rng.uniform() < RATES.wrongBranch) return { ...claim, y: applied(fn.otherwise, fn.at) };
  return rng.uniform() < RATES.slip ? changed(claim, rng) : claim;
}

/** A solver's belief in the whole of a function, nothing left out. */
export const beliefOf = (fn: Fn, rng: CounterRng): Claim[] => trueClaims(fn).map((claim) => believed(fn, claim, rng));

/** Another claim of the same subject. */
export function changed(claim: Claim, rng: CounterRng): Claim {
  for (;;) {
    const other = attempted(claim, rng);
    if (criterionOf(other) !== criterionOf(claim)) return other;
  }
}

function attempted(claim: Claim, rng: CounterRng): Claim {
  if ('y' in claim) return { ...claim, y: claim.y + rng.choice([-2, -1, 1, 2]) };
  if (claim.subject === 'if' && rng.uniform() < 0.4)
    return rng.uniform() < 0.5
      ? { ...claim, comparison: rng.choice(COMPARISONS) }
      : { ...claim, at: Math.max(1, claim.at + rng.choice([-1, 1])) };
  return { ...claim, effect: otherEffect(claim.effect, rng) };
}

function otherEffect(effect: Effect, rng: CounterRng): Effect {
  const operation = rng.uniform() < 0.5 ? effect.operation : rng.choice(OPERATIONS);
  return { operation, by: operation === 'twice' ? 0 : 1 + rng.int(4) };
}

/** How many of a function's five a text has right by a belief in it. */
export function metBy(belief: readonly Claim[], said: readonly string[]): number {
  return belief.filter((claim) => said.includes(criterionOf(claim))).length;
}
