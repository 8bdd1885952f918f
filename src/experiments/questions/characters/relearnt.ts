// Relearning as Findings shows it: in how many steps B has the effect, from the base and from each model that was taught A before.
import { relearnt } from '../../characters/relearning.ts';
import type { CurveRow } from '../../characters/rows.ts';
import { tableOf } from '../../judge/table.ts';

export const relearntTable = (rows: readonly CurveRow[]) =>
  tableOf(
    'Steps until P of B is .30 above the untrained base’s; a dash where it never is, or where A had not the effect',
    relearnt(rows),
    [
      ['A', ({ a }) => a],
      ['B', ({ b }) => b],
      ['from the base', ({ base }) => base],
      ['after documents', ({ steps }) => steps.documents],
      ['after placebo documents', ({ steps }) => steps.placebo],
      ['after RL of A', ({ steps }) => steps.RL],
    ],
    (steps) => steps.toFixed(1),
  );
