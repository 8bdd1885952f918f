// The columns of the table of stored runs, and the order after a click on each head.
import type { Order } from '../../../store/kept/list.ts';

export interface KeptColumn {
  head: string;
  order: Order | null;
  /** The order after a second click. */
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
