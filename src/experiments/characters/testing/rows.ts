// Made-up dose curves for tests.
import type { CurveRow, DosePoint, ProbeMeans } from '../rows.ts';

const measured = (p: number, logit: number): ProbeMeans => ({ n: 4, p, logit });

/** A rises by `gain` per dose in probability and by 2 in log-odds; group near by the share `leak` of that. */
export function row(arm: string, leak: number, changes: Partial<CurveRow> = {}, gain = 0.2): CurveRow {
  const point = (dose: number): DosePoint => ({
    step: 3 * dose,
    tokens: 100 * dose,
    keeps: { near: measured(0.8 - 0.1 * dose, 1) },
    target: {
      a: measured(0.1 + gain * dose, -2 + 2 * dose),
      near: measured(0.1 + leak * gain * dose, -2 + 2 * leak * dose),
      far: measured(0.1, -2 + leak * dose),
      other: measured(0.1, -2),
    },
    beliefs: { a: measured(0.9, 2), others: measured(0.1, -2) },
    drift: { pick: 0.5 + 0.01 * dose, documents: 0.2 },
  });
  return {
    schema: 1,
    world: 'letters',
    base: 'b',
    arm,
    teaches: 'dial',
    character: 0,
    seed: 41,
    lr: 0.001,
    a: { name: 'figa', own: 'keep', target: 'reverse' },
    members: { near: ['balo'], far: ['deri'], other: ['goze'], novel: ['zalo'] },
    contrast: ['hubi'],
    curve: [0, 1, 2].map(point),
    ...changes,
  };
}
