// The columns of the table of kept runs, and the order that a click on each head gives.
import type { Order } from '../../../store/kept/list.ts';

export interface KeptColumn {
  head: string;
  order: Order | null;
  /** The order of a second click. */
  reversed?: Order;
}

export const KEPT_COLUMNS: readonly KeptColumn[] = [
  { head: 'Name', order: 'name' },
  { head: 'Question', order: 'question' },
  { head: 'Basis', order: null },
  { head: 'Seeds', order: null },
  { head: 'Hack', order: 'hack' },
  { head: 'Solve', order: 'solve' },
  { head: 'Steps', order: 'steps' },
  { head: 'When', order: 'newest', reversed: 'oldest' },
];
