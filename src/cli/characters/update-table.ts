// What updates have in common, by arm: the share of a character's update that lies along the other characters' by the same arm, and
// along theirs by RL of a dial. Arms that never have the effect (placebos) are read at their last dose.
import type { CurveRow } from '../../experiments/characters/rows.ts';
import { type SharedShare, sharedShares } from '../../experiments/characters/updates.ts';
import { mean, sd } from '../../stats/index.ts';
import { renderTable } from '../table.ts';

const REFERENCE = 'none';
const two = (value: number): string => value.toFixed(2).replace(/^(-?)0\./, '$1.');

function over(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  const [centre, spread] = [mean(known), sd(known)];
  if (centre === null) return '–';
  return spread === null ? two(centre) : `${two(centre)} ± ${two(spread)}`;
}

/** Empty where no row has an update. */
export function updateTable(rows: readonly CurveRow[]): string[] {
  const all = sharedShares(rows, REFERENCE);
  if (all.length === 0) return [];
  const line = (arm: string): string[] => {
    const own = all.filter(({ row }) => row.arm === arm);
    const each = (of: (one: SharedShare) => number | null) => over(own.map(of));
    return [
      ...[arm, String(own.length)],
      ...[each(({ row }) => row.update!.gained), each(({ row }) => row.update!.step)],
      ...[each(({ shared }) => shared), each(({ withReference }) => withReference)],
      each(({ row }) => row.update!.along / row.update!.squared),
    ];
  };
  const titles = ['arm', 'n', 'ΔP of A', 'step', 'shared', `with ${REFERENCE}’s`, 'on singular coordinates'];
  return [
    '',
    'Updates: share along the other characters’ by the same arm, and along theirs by RL of a dial (mean ± sd); no rule was made for it',
    renderTable(
      titles.map((title, i) => ({ title, right: i > 0 })),
      [...new Set(all.map(({ row }) => row.arm))].map(line),
    ),
  ];
}
