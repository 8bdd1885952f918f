// S7, gating: is what A was taught bound to A's name in the prompt? Log-odds of the target with a changed name relative to A's own, at the
// effect, for documents and for RL of the dial.
import type { GateId } from '../../../src/environments/characters/texts.ts';
import {
  atEffect,
  countUnderAll,
  estimateOver,
  type Reading,
  shortNotes,
} from '../../../src/experiments/characters/judging.ts';
import type { CurveRow } from '../../../src/experiments/characters/rows.ts';

const ARMS = { SDF: 'sdf', RL: 'none' } as const;

/** The gates of the rule; `adversarial` is shown beside them. */
const JUDGED = ['absent', 'spelled', 'beside'] as const satisfies readonly GateId[];

export type Gate = `${keyof typeof ARMS} ${(typeof JUDGED)[number]}`;

export function s7gating(rows: readonly CurveRow[]): Reading<Gate> {
  const gatedRows = rows.filter(
    ({ teaches, curve, after, adapter }) => teaches === 'dial' && curve[0].gates && !after && !adapter,
  );
  const arms = Object.entries(ARMS).map(([kind, arm]) => {
    const read = atEffect(gatedRows, (row) => row.arm === arm);
    const of = (gate: GateId) =>
      estimateOver(
        `${kind}, ${gate}`,
        read.reached.map(({ gates }) => gates[gate]),
      );
    // Leakage added by A's name in another's prompt, to the leakage without it.
    const added = estimateOver(
      `${kind}, adversarial − near`,
      read.reached.map(({ gates, logit }) =>
        gates.adversarial === undefined || logit.near === undefined ? undefined : gates.adversarial - logit.near,
      ),
    );
    return { read, judged: JUDGED.map(of), beside: [of('adversarial'), added], notes: shortNotes(kind, read) };
  });
  const characters = countUnderAll(arms.map(({ read }) => read));
  return {
    // A figure's name is also its key: `SDF, absent`.
    estimates: Object.fromEntries(
      arms.flatMap(({ judged }) => judged.map((one) => [one.name.replace(', ', ' '), { ...one, asked: characters }])),
    ),
    figures: [...arms.flatMap(({ judged }) => judged), ...arms.flatMap(({ beside }) => beside)],
    notes: arms.flatMap(({ notes }) => notes),
  };
}
