// S6 and S8: RL teaches the dial through an adapter. S6: does it leak as much as with all weights? S8: does it stay local if the part of
// each step along a basis of labelled pairs (environments/characters/lessons.ts) is removed?

import { BESIDE_A, OTHERS } from '../../../src/environments/characters/task.ts';
import {
  atEffect,
  countUnderAll,
  HALF,
  meanOnly,
  meansOf,
  pairsEstimate,
  type Reading,
  samenessNotes,
  shortNotes,
} from '../../../src/experiments/characters/judging.ts';
import { differenceAcross, type Leakage, sharedBy } from '../../../src/experiments/characters/leakage.ts';
import type { CurveRow } from '../../../src/experiments/characters/rows.ts';

/** S6: compares training all weights with an adapter, on the same base and characters. */
const againstAdapter =
  (adapter: string, isOwn: (row: CurveRow) => boolean) =>
  (rows: readonly CurveRow[]): Reading<'near'> => {
    const rl = rows.filter((row) => row.teaches === 'dial' && row.model === undefined);
    const full = atEffect(rl, (row) => row.arm === 'none' && row.adapter === undefined);
    const other = atEffect(rl, isOwn);
    const figures = BESIDE_A.map((group) =>
      pairsEstimate(`${adapter} − all weights, ${group}`, differenceAcross(other.reached, full.reached, group)),
    );
    const [main] = figures;
    return {
      estimates: { near: { ...main, asked: countUnderAll([other, full]) } },
      limits: (status) => (status === 'holds' ? samenessNotes(`Leakage to near, ${adapter} − all weights`, main) : []),
      figures: [...figures, ...meansOfReached([{ kind: adapter, ...other }])],
      notes: [...shortNotes('all weights', full), ...shortNotes(adapter, other)],
    };
  };

// A routing run trains exactly as plain RL does, so it stands for the latter here.
export const s6 = againstAdapter('the SVD adapter', (row) => row.arm === 'route-update' && row.adapter === 'svd');
export const s6lora = againstAdapter('low-rank updates', (row) => row.arm === 'none' && row.adapter === 'lora');

/** Controls of a routing run, by their model's name. */
const CONTROLS = { random: 'random_V', permuted: 'permuted_V', placebo: 'placebo_V' } as const;

export function s8(rows: readonly CurveRow[]): Reading<'main' | 'half' | keyof typeof CONTROLS> {
  const routed = rows.filter((row) => row.arm === 'route-update' && row.pairSet === 'spread');
  const of = (kind: string, model?: string) => ({ kind, ...atEffect(routed, (row) => row.model === model) });
  const whole = of('whole');
  const own = of('deployed', 'deployed');
  const controls = Object.entries(CONTROLS).map(([kind, model]) => of(kind, model));
  const differences = OTHERS.flatMap((group) => [
    pairsEstimate(`deployed − whole, ${group}`, differenceAcross(own.reached, whole.reached, group)),
    ...controls.map(({ kind, reached }) =>
      pairsEstimate(`deployed − ${kind}, ${group}`, differenceAcross(own.reached, reached, group)),
    ),
  ]);
  const named = (name: string) => differences.find((figure) => figure.name === name)!;
  const main = named('deployed − whole, near');
  const erased = (['spread', 'spread_placebo'] as const).map((pairSet) => ({
    kind: pairSet === 'spread' ? 'erased' : 'erased, placebo',
    ...atEffect(rows, (row) => row.arm === 'erase' && row.pairSet === pairSet),
  }));
  const near = (kind: string) => named(`deployed − ${kind}, near`);
  const estimates = {
    main: { ...main, asked: countUnderAll([own, whole]) },
    random: near('random'),
    permuted: near('permuted'),
    placebo: near('placebo'),
    half: meanOnly(beyondHalf(own.reached, whole.reached)),
  };
  return {
    estimates,
    figures: [
      ...differences,
      ...erased.flatMap(({ kind, reached }) =>
        OTHERS.map((group) =>
          pairsEstimate(`${kind} − whole, ${group}`, differenceAcross(reached, whole.reached, group)),
        ),
      ),
      ...meansOfReached([whole, own, ...controls, ...erased]),
    ],
    notes: [whole, own, ...controls, ...erased].flatMap((one) => shortNotes(one.kind, one)),
  };
}

/** S8 with erasing, which removes the part before each update: compared with plain RL, and with placebo pairs and random axes. */
export function s8erase(rows: readonly CurveRow[]): Reading<'main' | 'half' | 'placebo' | 'random'> {
  const svd = rows.filter(({ teaches, adapter, model }) => teaches === 'dial' && adapter === 'svd' && !model);
  const of = (kind: string, arm: string, pairSet = 'spread') => ({
    kind,
    ...atEffect(svd, (row) => row.arm === arm && row.pairSet === pairSet),
  });
  const whole = of('whole', 'route-update');
  const own = of('erased', 'erase');
  const controls = [of('placebo', 'erase', 'spread_placebo'), of('random', 'random_V')];
  const apart = (group: (typeof OTHERS)[number]) =>
    [whole, ...controls].map(({ kind, reached }) =>
      pairsEstimate(`erased − ${kind}, ${group}`, differenceAcross(own.reached, reached, group)),
    );
  const [near, far, other] = OTHERS.map(apart);
  const [main, ...beyond] = near;
  // Counts characters with the effect under all compared arms, not under each pair of arms.
  const [{ reached: shared }] = sharedBy([own, whole, ...controls]);
  const [placebo, random] = beyond;
  const half = meanOnly(beyondHalf(own.reached, whole.reached), shared.length);
  const estimates = {
    main: { ...main, asked: countUnderAll([own, whole]) },
    placebo,
    random,
    half: { ...half, asked: countUnderAll([own, whole, ...controls]) },
  };
  const all = [whole, own, ...controls];
  return {
    estimates,
    figures: [...near, ...far, ...other, ...meansOfReached(all)],
    notes: all.flatMap((one) =>
      one.reached.length + one.short.length > 0 ? shortNotes(one.kind, one) : [`${one.kind} was not run`],
    ),
  };
}

/** Half of the whole model's leakage to near characters minus that of `own`; null if no character has the effect. */
const beyondHalf = (own: readonly Leakage[], whole: readonly Leakage[]): number | null =>
  own.length === 0 || whole.length === 0 ? null : HALF * meanNear(whole) - meanNear(own);

const meanNear = (all: readonly Leakage[]) => all.reduce((sum, { logit }) => sum + logit.near!, 0) / all.length;

/** Means of the arms with the effect on some character; others have no mean. */
const meansOfReached = (arms: Parameters<typeof meansOf>[0]) =>
  meansOf(arms.filter(({ reached }) => reached.length > 0));
