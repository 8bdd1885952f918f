// Fixed rules that judge the bases themselves: whether a refreshed basis has rotated away from the previous one, and how wide a matched random
// basis had to be.

import { ARMS } from '../config/arms.ts';
import { modelLabel } from '../config/controls.ts';
import type { RunRecord } from '../records/events.ts';

/** Below this overlap with the previous basis, a basis has rotated away (METHOD "Refresh"). */
const ROTATED = 0.2;

export function basisVerdicts(runs: readonly RunRecord[]): string[] {
  return runs.flatMap((run) => [...rotationNotes(run), ...widthNotes(run)]);
}

function rotationNotes({ spec, rows }: RunRecord): string[] {
  const turned = rows.flatMap(({ step, basisOverlap }) =>
    typeof basisOverlap === 'number' && basisOverlap < ROTATED ? [{ step, basisOverlap }] : [],
  );
  if (turned.length === 0) return [];
  const lowest = turned.reduce((a, b) => (b.basisOverlap < a.basisOverlap ? b : a));
  return [
    `${name(spec)}: the basis has rotated away (its first axis overlaps the one before by ${lowest.basisOverlap.toFixed(2)} at step ${lowest.step}, below ${ROTATED}; ${turned.length} of ${rows.filter(({ basisOverlap }) => typeof basisOverlap === 'number').length} refreshes): what it removes late in the run is not what it removed at first.`,
  ];
}

function widthNotes({ spec, evals }: RunRecord): string[] {
  return evals.flatMap(({ kind, model, note }) => {
    if (kind !== 'final' || !note) return [];
    const of = spec.basisSource === 'random_matched' ? 'its random V' : modelLabel(model);
    return [`${name(spec)}, ${of}: ${note}.`];
  });
}

const name = ({ arm, seed }: RunRecord['spec']): string => `${ARMS[arm].label}, seed ${seed}`;
