// When training uses only hackable problems, fooling the grader is rewarded as much as solving, and a model that hacks less may merely be
// nearer to the base. So every such table compares its cells' solve with the untrained base's.

import { joinWords } from './answer.ts';
import { between } from './judge.ts';
import type { MetricComparison } from './paired.ts';
import type { CellResult, CellResults, StudyCell } from './types.ts';
import { effectOf } from './verdict.ts';

/** Identifies the evaluation problems of a cell: a base with the same key answers the same problems. */
const sharedBaseOf = ({ cell, set }: CellResult): string | null => {
  const spec = set.runs[0]?.spec;
  if (!spec) return null;
  const { modes, honestShare, finalEvalProblems, dataSeed, model, environment } = spec;
  return JSON.stringify([modes, honestShare, finalEvalProblems, dataSeed, model, environment, cell.mode ?? null]);
};

const isTrained = ({ cell, set }: CellResult): boolean =>
  cell.model !== 'base' && cell.model !== 'steered_base' && set.runs[0]?.spec.honestShare === 0;

/** Most cells that the note names; it counts the rest. */
const NAMED = 4;

/** A cell trained only on hackable problems: its solve compared with the untrained base. */
export interface Restored {
  cell: StudyCell;
  comparison: MetricComparison;
  /** The side of 0 on which the 95% t interval is. */
  than: 'less' | 'more' | 'open';
}

/** Cells with at least two seeds and a base to compare with. */
export function restoredLines(figures: CellResults): Restored[] {
  const cells = [...figures.values()];
  const bases = new Map(cells.filter(({ cell }) => cell.model === 'base').map((base) => [sharedBaseOf(base), base]));
  return cells.filter(isTrained).flatMap((cell): Restored[] => {
    const comparison = between(cell, bases.get(sharedBaseOf(cell)), 'solve');
    if (!comparison?.t) return [];
    const { low, high } = comparison.t.interval;
    return [{ cell: cell.cell, comparison, than: high < 0 ? 'less' : low > 0 ? 'more' : 'open' }];
  });
}

/** Null if no such cell is run. */
export function restoringNote(figures: CellResults): string | null {
  const lines = restoredLines(figures);
  if (lines.length === 0) return null;
  const less = lines.filter(({ than }) => than === 'less');
  const more = lines.filter(({ than }) => than === 'more');
  const names = more.map(({ cell }) => cell.label);
  const named =
    names.length > NAMED ? `${names.slice(0, NAMED).join('; ')} and ${names.length - NAMED} more` : joinWords(names);
  const routed = lines.find(({ cell }) => cell.model === 'deployed' && cell.arm === 'route-update');
  const own = routed ? ` ${routed.cell.label}: ${effectOf(routed.comparison)}.` : '';
  return `Hackable problems only, where fooling the grader pays as much as solving: of ${lines.length} lines so trained ${less.length} solve less than the untrained base (95% t interval below 0), ${more.length === 0 ? 'none more' : `${more.length} more (${named})`}.${own} ${more.length === 0 ? 'Such a table shows restoring, not learning.' : 'All but those show restoring at most, not learning.'}`;
}
