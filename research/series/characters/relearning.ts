// S7, relearning: does B learn the target faster after A has learnt it? The step at which P of B exceeds the untrained base's by the
// effect, from the base and from models in which A was taught by documents, by a placebo's, or by RL.

import { EFFECT, estimateOver, type Reading } from '../../../src/experiments/characters/judging.ts';
import { type CurveRow, type DosePoint, interpolatedAt } from '../../../src/experiments/characters/rows.ts';
import { two } from '../../../src/lib/numbers.ts';

/**
 * Step at which the target's probability for a row's own A first reaches the level, interpolated between doses; 0 if it does at the start,
 * null if it never does.
 */
export function stepTo({ curve }: CurveRow, level: number): number | null {
  const p = ({ target }: DosePoint) => target.a!.p;
  if (curve.length > 0 && p(curve[0]) >= level) return curve[0].step;
  const at = interpolatedAt(curve, p, level);
  return at?.(({ step }) => step) ?? null;
}

const AFTER = { documents: 'sdf', placebo: 'sdf_placebo', RL: 'none' } as const;
type Kind = keyof typeof AFTER;

/** A and B, the first of A's near characters; steps that B takes from the base and after each kind of teaching A. */
export interface Relearnt {
  a: string;
  b: string;
  /** Null if B never has the effect. */
  base: number | null;
  /** Absent if it was not run, or if A did not have the effect. */
  steps: Partial<Record<Kind, number | null>>;
  notes: readonly string[];
}

/** One row for each A, the unit of replication. */
export function relearningRows(rows: readonly CurveRow[]): Relearnt[] {
  const own = rows.filter(({ teaches, arm, adapter }) => teaches === 'dial' && arm === 'none' && !adapter);
  const later = own.filter(({ after }) => after);
  return [...new Set(later.map(({ after }) => after!.name))].map((a) => {
    const of = later.filter(({ after }) => after!.name === a);
    const { a: b, base, seed } = of[0];
    const plain = own.find((one) => !one.after && one.a.name === b.name && one.base === base && one.seed === seed);
    const level = plain && plain.curve[0].target.a!.p + EFFECT;
    const from = level === undefined ? null : stepTo(plain!, level);
    const steps: Relearnt['steps'] = {};
    const notes: string[] = [];
    for (const [kind, arm] of Object.entries(AFTER) as [Kind, string][]) {
      const row = of.find(({ after }) => after!.arm === arm);
      if (!row) continue;
      if (arm !== 'sdf_placebo' && row.after!.gained < EFFECT) {
        notes.push(`A (${a}) after ${kind} has ΔP ${two(row.after!.gained)}`);
        continue;
      }
      const to = level === undefined ? null : stepTo(row, level);
      steps[kind] = to;
      if (from === null || to === null)
        notes.push(`B (${b.name}) never has the effect from the base or after ${kind} of ${a}`);
    }
    return { a, b: b.name, base: from, steps, notes };
  });
}

export function s7relearning(rows: readonly CurveRow[]): Reading<'documents' | 'apart'> {
  const pairs = relearningRows(rows);
  const saved = pairs.map(({ base, steps }) => {
    const of = (kind: Kind) => (base === null || steps[kind] == null ? undefined : base - steps[kind]);
    return { documents: of('documents'), placebo: of('placebo'), RL: of('RL') };
  });
  const complete = saved.filter(({ documents, placebo }) => documents !== undefined && placebo !== undefined);
  const documents = estimateOver(
    'steps saved after documents',
    complete.map((one) => one.documents),
  );
  const apart = estimateOver(
    'steps saved, documents − placebo',
    complete.map((one) => one.documents! - one.placebo!),
  );
  return {
    estimates: { documents: { ...documents, asked: pairs.length }, apart },
    figures: [
      documents,
      apart,
      estimateOver(
        'steps saved after placebo documents',
        saved.map((one) => one.placebo),
      ),
      estimateOver(
        'steps saved after RL of A',
        saved.map((one) => one.RL),
      ),
    ],
    notes: pairs.flatMap(({ notes }) => notes),
  };
}
