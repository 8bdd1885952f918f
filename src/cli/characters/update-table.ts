// What updates have in common, by arm: the share of a character's update that lies along the other characters' by the same arm, and by
// every other one. Arms that never have the effect (placebos) are read at their last dose.
import type { CurveRow } from '../../experiments/characters/rows.ts';
import { sharedShares } from '../../experiments/characters/updates.ts';
import { renderTable } from '../table.ts';
import { over } from './over.ts';

/** Empty where no row has an update. */
export function updateTable(rows: readonly CurveRow[]): string[] {
  const own = rows.filter(({ update }) => update);
  if (own.length === 0) return [];
  const arms = [...new Set(own.map(({ arm }) => arm))];
  const along = new Map(arms.map((arm) => [arm, sharedShares(own, arm)]));
  const titles = ['arm', 'n', 'ΔP of A', 'step', ...arms.map((arm) => `along ${arm}`)];
  return [
    '',
    'Updates, in singular coordinates: share along the sum of the other characters’ by each arm (mean ± sd); no rule was made for it',
    renderTable(
      titles.map((title, i) => ({ title, right: i > 0 })),
      arms.map((arm) => {
        const updates = own.flatMap((row) => (row.arm === arm && row.update ? [row.update] : []));
        return [
          ...[arm, String(updates.length)],
          ...[over(updates.map(({ gained }) => gained)), over(updates.map(({ step }) => step))],
          ...arms.map((other) => over(along.get(other)!.flatMap(({ row, share }) => (row.arm === arm ? [share] : [])))),
        ];
      }),
    ),
  ];
}
