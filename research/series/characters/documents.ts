// S1: what documents about one character and RL of it leak to others, at equal effect on A, computed only from rows. The unit is the
// trained character.
import { OTHERS } from '../../../src/environments/characters/task.ts';
import {
  atEffect,
  countUnderAll,
  EFFECT,
  estimateOver,
  estimateText,
  isAbove,
} from '../../../src/experiments/characters/judging.ts';
import { leakageDifference, movedBy } from '../../../src/experiments/characters/leakage.ts';
import { type CurveRow, isPlain } from '../../../src/experiments/characters/rows.ts';
import type { Estimate } from '../../../src/experiments/judge/estimate.ts';
import { pairedEstimate } from '../../judge/estimates.ts';

export interface S1Reading {
  /** RL − SDF, log-odds leakage by group, one value per character; and the same with placebo documents that moved A, if any did. */
  estimates: Record<(typeof OTHERS)[number], Estimate> & { placebo?: Estimate };
  /** Arms without the effect, by character. */
  short: readonly { arm: string; name: string; most: number }[];
  /** Placebos that changed the target. */
  moved: readonly { arm: string; name: string; moved: number }[];
  /** Number of characters tested, and of those with the effect, by arm. */
  effects: readonly { arm: 'sdf' | 'none'; n: number; of: number }[];
  /** Under documents, at the effect: the rise of the belief about others, as a share of that about A, in log-odds. */
  beliefs: Estimate;
}

const PLACEBOS = ['sdf_placebo', 'rl_random'];

export function s1(rows: readonly CurveRow[], effect = EFFECT): S1Reading {
  const own = rows.filter((row) => row.teaches === 'dial' && isPlain(row));
  const [sdf, rl] = ['sdf', 'none'].map((arm) => atEffect(own, (row) => row.arm === arm, effect));
  const [near, far, other] = OTHERS.map((group) => {
    const { pairs, paired } = leakageDifference(rl.reached, sdf.reached, group);
    const each = pairs.map(({ name, difference }) => ({ of: name, value: difference }));
    return pairedEstimate(`RL − SDF, ${group}`, each, paired);
  });
  const short = [...sdf.short, ...rl.short].map(({ row, most }) => ({ arm: row.arm, name: row.a.name, most }));
  const moved = movedBy(own.filter(({ arm }) => PLACEBOS.includes(arm)));
  const beliefs = estimateOver(
    'SDF: rise of the belief about others / about A, log-odds',
    // A belief that does not rise has no share.
    sdf.reached.map(({ beliefRise: { a, others } }) => (a > 0 ? others / a : undefined)),
  );
  const effects = (['sdf', 'none'] as const).map((arm, i) => {
    const { reached, short } = [sdf, rl][i];
    return { arm, n: reached.length, of: reached.length + short.length };
  });
  // If placebo documents change A, SDF's effect on A, to which all is related, is not due to the documents' content.
  const byDocuments = moved.filter(({ arm }) => arm === 'sdf_placebo');
  const each = byDocuments.map(({ name, moved }) => ({ of: name, value: Math.abs(moved) }));
  const asked = countUnderAll([sdf, rl], ({ character }) => character);
  return {
    estimates: {
      near: { ...near, asked },
      far,
      other,
      ...(each.length > 0 && { placebo: pairedEstimate('|ΔP of A| under placebo documents', each, null) }),
    },
    short,
    moved,
    effects,
    beliefs,
  };
}

/** Its characters, and what documents about one character do to beliefs about the others, since S1 is about behaviour. */
export function limitsOf({ effects: [sdf, rl], beliefs }: Pick<S1Reading, 'effects' | 'beliefs'>): string[] {
  const rests =
    sdf.n < sdf.of || rl.n < rl.of
      ? [`Documents have the effect on ${sdf.n} of ${sdf.of} characters, RL on ${rl.n} of ${rl.of}.`]
      : [];
  if (!isAbove(beliefs)) return rests;
  return [
    ...rests,
    `That is of behaviour. Documents about A raise what documents tell of the others too, by ${estimateText(beliefs)} of A’s rise in log-odds.`,
  ];
}
