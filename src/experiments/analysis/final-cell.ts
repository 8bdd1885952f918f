// The one number that a claim about a row has. It stands apart from the sentences, since a list of kept runs needs it alone.
import type { Cell, TableRow } from '../records/events.ts';

/** A row's final evaluation: the deployed model's where that differs from the one in training. */
export const finalCell = (row: TableRow, metric: string): Cell | null =>
  row.deployed[metric] ?? row.trained[metric] ?? null;
