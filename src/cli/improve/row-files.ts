// Rows of `improve` in a file, a JSON line each.
import { type ImproveRow, WAYS } from '../../experiments/improving/rows.ts';
import { FormatError } from '../../lib/errors.ts';
import { readLines } from '../grade/lines.ts';

export const linesOf = (rows: readonly ImproveRow[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

export async function readRows(path: string): Promise<ImproveRow[]> {
  const lines = await readLines(path);
  return lines.map(({ value, where }) => {
    const row = value as Partial<ImproveRow> | null;
    const isRow = typeof row?.id === 'string' && typeof row.arm === 'string' && Array.isArray(row.quality);
    if (isRow && WAYS.some((way) => way === row.way)) return row as ImproveRow;
    throw new FormatError(`${where} is no row of \`improve\`.`, 'Give a file that --out has written.');
  });
}
