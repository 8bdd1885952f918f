// Rows of `improve` in a file, a JSON line each.

import { type ImproveRow, WAYS } from '../../experiments/exit/rows.ts';
import type { RowKind } from '../files/rows.node.ts';

export const IMPROVE_ROWS: RowKind<ImproveRow> = {
  command: 'improve',
  read(value) {
    const row = value as Partial<ImproveRow>;
    const isRow = typeof row.id === 'string' && typeof row.arm === 'string' && Array.isArray(row.quality);
    return isRow && WAYS.some((way) => way === row.way) ? (row as ImproveRow) : null;
  },
};
