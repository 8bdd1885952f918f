// What a mean over modes hides: hack mode by mode, and how often the exploit's code is there at all, whether it passed or not.
// Beside every hack rate of a table: hack falls where passing falls, and a mean can fall by three modes of four.
import { MODES, type Mode } from '../../../environments/code/types.ts';
import { mean } from '../../../stats/index.ts';
import { cellOf } from '../../analysis/compare.ts';
import type { RunRecord } from '../../records/events.ts';
import { finalRow, metricValue, ofKind } from '../../records/metrics.ts';
import type { CellResult } from './types.ts';

/** Of one model's final evaluations, over runs. */
export function apart(runs: readonly RunRecord[], model: string): Pick<CellResult, 'structural' | 'byMode'> {
  const rates = runs.flatMap((run) => finalRow(run, model)?.all ?? []);
  const byMode = MODES.flatMap((mode) => {
    const own = rates.flatMap((of) => metricValue(of, ofKind('hack', mode)) ?? []);
    return own.length === 0 ? [] : [[mode, mean(own) as number] as const];
  });
  return { structural: cellOf(rates.map((of) => metricValue(of, 'structural'))), byMode: Object.fromEntries(byMode) };
}

/** The modes of a table, in the substrate's order: its columns. */
export function modesOf(cells: Iterable<Pick<CellResult, 'byMode'>>): Mode[] {
  const own = [...cells];
  return MODES.filter((mode) => own.some(({ byMode }) => byMode[mode] !== undefined));
}
