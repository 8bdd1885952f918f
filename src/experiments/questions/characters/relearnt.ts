// Relearning as Findings shows it: in how many steps B has the effect, from the base and from each model that was taught A before.
import { relearnt } from '../../characters/relearning.ts';
import type { CurveRow } from '../../characters/rows.ts';
import type { Table } from '../../judge/types.ts';

const one = (steps: number | null | undefined): string => (steps == null ? '–' : steps.toFixed(1));

export function relearntTable(rows: readonly CurveRow[]): Table {
  return {
    title:
      'Steps until P of B is .30 above the untrained base’s; a dash where it never is, or where A had not the effect',
    head: ['A', 'B', 'from the base', 'after documents', 'after placebo documents', 'after RL of A'],
    rows: relearnt(rows).map(({ a, b, base, steps }) => [
      ...[a, b, one(base), one(steps.documents), one(steps.placebo), one(steps.RL)],
    ]),
  };
}
