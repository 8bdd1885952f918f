// S4: which changes first, what documents say about A or what A does? On the dose curves, the step at which each has risen by the effect,
// interpolated between doses.

import {
  atEffect,
  countUnderAll,
  EFFECT,
  estimateOver,
  estimateText,
  isAbove,
  type Reading,
  shortNotes,
} from '../../../src/experiments/characters/judging.ts';
import { sharedBy } from '../../../src/experiments/characters/leakage.ts';
import { type CurveRow, type DosePoint, interpolatedAt } from '../../../src/experiments/characters/rows.ts';

/** The step at which a probability has risen by `by` above the base's; null if it never does. */
function firstRise({ curve }: CurveRow, of: (point: DosePoint) => number, by = EFFECT): number | null {
  const at = interpolatedAt(curve, (point) => of(point) - of(curve[0]), by);
  return at?.(({ step }) => step) ?? null;
}

export function s4(rows: readonly CurveRow[]): Reading<'lead' | 'untold'> {
  const dial = rows.filter((row) => row.teaches === 'dial' && row.adapter === undefined);
  const arms = ['sdf', 'none'].map((arm) => atEffect(dial, (row) => row.arm === arm));
  const asked = countUnderAll(arms);
  const notes = arms.flatMap((arm, i) => shortNotes(i === 0 ? 'SDF' : 'RL', arm));
  // Documents are compared with RL over the characters with the effect under both.
  const [sdf, rl] = sharedBy(arms);
  const leads = sdf.reached.flatMap(({ row }) => {
    const [belief, behaviour] = [
      firstRise(row, ({ beliefs }) => beliefs.a.p),
      firstRise(row, ({ target }) => target.a!.p),
    ];
    return belief === null || behaviour === null ? [] : [behaviour - belief];
  });
  const belief = (one: (typeof rl.reached)[number]) => one.beliefs.a - one.row.curve[0].beliefs.a.p;
  const lead = estimateOver('SDF: steps from belief to behaviour', leads);
  const untold = estimateOver('RL: rise of the belief about A at the effect', rl.reached.map(belief));
  const rises = [sdf, rl].map(({ reached }, i) =>
    estimateOver(
      `${i === 0 ? 'SDF' : 'RL'}: rise of the belief about A at the effect, log-odds`,
      reached.map(({ beliefRise }) => beliefRise.a),
    ),
  );
  const [byDocuments, byRl] = rises;
  return {
    estimates: { lead: { ...lead, asked }, untold: { ...untold, asked } },
    figures: [
      lead,
      untold,
      estimateOver('SDF: rise of the belief about A at the effect', sdf.reached.map(belief)),
      estimateOver(
        'SDF: belief about others at the effect',
        sdf.reached.map(({ beliefs }) => beliefs.others),
      ),
      byRl,
      byDocuments,
    ],
    limits: () =>
      isAbove(byRl)
        ? [
            `“No belief” is of probabilities. In log-odds RL raises the belief about A by ${estimateText(byRl)}, documents by ${estimateText(byDocuments)}.`,
          ]
        : byRl.interval
          ? [
              `In log-odds RL is not shown to raise the belief about A: ${estimateText(byRl)}; documents raise it by ${estimateText(byDocuments)}.`,
            ]
          : [],
    notes: [
      ...notes,
      ...(sdf.reached.length > leads.length
        ? [`the belief about A never rises by ${EFFECT} under SDF of ${sdf.reached.length - leads.length}`]
        : []),
    ],
  };
}
