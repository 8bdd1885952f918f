// A long table in parts that fold: its held-out modes, shares or draws where the question has such, else what was done to the runs.

import { ARMS } from '../../../experiments/config/spec.ts';
import type { Sheet } from '../../../experiments/kinds/study/sheet.ts';
import type { StudyCell } from '../../../experiments/kinds/study/types.ts';
import { numbered, panelOf } from './chart.ts';

/** A table of more lines than this folds. */
const LONG = 16;

export interface LineGroup {
  title: string;
  lines: ReturnType<typeof numbered>;
}

/** One group without a title where the table is short. */
export function lineGroups(sheet: Sheet): LineGroup[] {
  const lines = numbered(sheet);
  if (lines.length <= LONG) return [{ title: '', lines }];
  const groups = new Map<string, LineGroup>();
  for (const line of lines) {
    const title = titleOf(sheet, line.line.cell);
    const group = groups.get(title) ?? { title, lines: [] };
    groups.set(title, group);
    group.lines.push(line);
  }
  return [...groups.values()];
}

function titleOf({ question }: Sheet, cell: StudyCell): string {
  if (question.id === 'Q18') return shareName(Number(cell.id.split('@')[1]));
  const panel = panelOf(cell);
  if (panel !== null) return panel;
  if (cell.arm !== 'route-update') return ARMS[cell.arm].label;
  return cell.shadow ? 'quarantines of the vanilla runs' : 'vanilla, base, and what stands beside them';
}

export const shareName = (share: number): string =>
  share === 0 ? 'hackable problems only' : `${100 * share}% honest problems`;
