// Rows of `improve` in a file, a JSON line each; and the runs that trained what they are of.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { type ImproveRow, WAYS } from '../../experiments/exit/rows.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import type { RowKind } from '../files/rows.node.ts';
import { readInput } from '../grade/lines.ts';

export const IMPROVE_ROWS: RowKind<ImproveRow> = {
  command: 'improve',
  read(value) {
    const row = value as Partial<ImproveRow>;
    const isRow = typeof row.id === 'string' && typeof row.arm === 'string' && Array.isArray(row.quality);
    return isRow && WAYS.some((way) => way === row.way) ? (row as ImproveRow) : null;
  },
};

/** Only what is judged of them is looked at. */
export async function readRuns(path: string): Promise<RunRecord[]> {
  const text = await readInput(path);
  let runs: unknown = null;
  try {
    runs = (parseJsonText(text) as { runs?: unknown } | null)?.runs;
  } catch {
    // Said below.
  }
  if (Array.isArray(runs) && runs.every((run) => run?.spec && run.rows)) return runs;
  throw new FormatError(`${path} has no runs.`, 'Give what `run --json` prints.');
}
