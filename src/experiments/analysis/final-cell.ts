// The number that a claim about a row rests on. It is separate from the sentences because a list of stored runs needs only this.
import type { Cell, TableRow } from '../records/events.ts';

/** A row's final evaluation: the deployed model's if it exists, else the trained one's. */
export const finalCell = (row: TableRow, metric: string): Cell | null =>
  row.deployed[metric] ?? row.trained[metric] ?? null;
