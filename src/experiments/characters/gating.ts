// S7, gating: is what A was taught bound to A's name in the prompt? Log-odds of the target with the name changed against A's own, at
// the effect, for documents and for RL of the dial.
import type { GateId } from '../../environments/characters/gates.ts';
import {
  askedUnder,
  atEffect,
  type Figure,
  isAbove,
  isBelow,
  type Judged,
  LEAST,
  over,
  shortNotes,
  tooFew,
} from './judging.ts';
import type { CurveRow } from './rows.ts';

/** Half of A's own change: less is shut, more is open. */
export const HALF = 0.5;
const ARMS = { SDF: 'sdf', RL: 'none' } as const;

/** The rule's; `adversarial` stands beside them. */
const JUDGED = ['absent', 'spelled', 'beside'] as const satisfies readonly GateId[];

type Word = 'gated' | 'not gated' | 'open';

/** Without A's name, or in another spelling, there is less than half; another's name before A's leaves more than half. */
function wordOf(named: (gate: GateId) => Figure): Word {
  const [absent, spelled, beside] = JUDGED.map(named);
  if (Math.min(absent.n, spelled.n, beside.n) < LEAST) return 'open';
  if (isBelow(absent, HALF) && isBelow(spelled, HALF) && isAbove(beside, HALF)) return 'gated';
  return isAbove(absent, HALF) || isAbove(spelled, HALF) || isBelow(beside, HALF) ? 'not gated' : 'open';
}

export function s7gating(rows: readonly CurveRow[]): Judged {
  const asked = rows.filter(
    ({ teaches, curve, after, adapter }) => teaches === 'dial' && curve[0].gates && !after && !adapter,
  );
  const arms = Object.entries(ARMS).map(([kind, arm]) => {
    const read = atEffect(asked, (row) => row.arm === arm);
    const of = (gate: GateId) =>
      over(
        `${kind}, ${gate}`,
        read.reached.map(({ gates }) => gates[gate]),
      );
    // What A's name adds in another's prompt to what leaks there without it.
    const added = over(
      `${kind}, adversarial − near`,
      read.reached.map(({ gates, logit }) =>
        gates.adversarial === undefined || logit.near === undefined ? undefined : gates.adversarial - logit.near,
      ),
    );
    return {
      n: read.reached.length,
      read,
      word: wordOf(of),
      judged: JUDGED.map(of),
      beside: [of('adversarial'), added],
      notes: shortNotes(kind, read),
    };
  });
  const said = arms.map(({ word }, i) => `${Object.keys(ARMS)[i]} ${word}`).join(', ');
  const least = Math.min(...arms.map(({ n }) => n));
  const words = arms.map(({ word }) => word);
  const verdict = (): string => {
    if (least < LEAST) return tooFew(least, askedUnder(arms.map(({ read }) => read)));
    if (words.every((word) => word === 'gated')) return 'holds';
    if (words.every((word) => word === 'not gated')) return 'fails: neither is gated';
    return words.includes('open') ? `open: ${said}` : `in part: ${said}`;
  };
  return {
    verdict: verdict(),
    figures: [...arms.flatMap(({ judged }) => judged), ...arms.flatMap(({ beside }) => beside)],
    notes: arms.flatMap(({ notes }) => notes),
  };
}
