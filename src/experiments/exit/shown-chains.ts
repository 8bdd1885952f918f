// One puzzle and two models' answers to it, for readers: chosen by a rule from published rows, with counts of how often each model did better,
// since one puzzle shows what happens but not how often.
import { puzzleOf, qualityOf, rowOf } from '../../environments/chain/task.ts';
import type { ImproveRow } from './rows.ts';

/** One model's answers to the puzzle after each revision; null before there is one. */
export interface ShownChain {
  arm: string;
  seed: number;
  answers: (string | null)[];
}

export interface ShownChains {
  schema: 1;
  /** Path of the rows, below `public/results/`. */
  source: string;
  /** Relations in order, hidden ones marked. */
  puzzle: string;
  chains: readonly [ShownChain, ShownChain];
  /** Number of puzzles, and by arm the number that only its last answer solves. */
  of: { puzzles: number; only: Readonly<Record<string, number>> };
}

export const SHOWN_CHAINS_SOURCE = 'exit/e1.jsonl.gz';
/** Path below `public/`. */
export const SHOWN_CHAINS_PATH = 'results/demo/chain.chains.json';

/** The arm that learnt to revise, and plain RL. */
const ARMS = ['exit', 'none'] as const;
/** Most revisions shown, so that each can be read. */
const MOST = 4;

/** Picks two chains of the first seed that both arms have, sampled once: the first puzzle that the first arm answers at once and solves in two to
 *  four revisions, each better than the previous one, and keeps solved to the end, while the other arm never solves it. Null if there is
 *  none. */
export function shownChainsOf(rows: readonly ImproveRow[]): ShownChains | null {
  const sampled = rows.filter(({ way, sampling, base }) => way === 'sampled' && sampling === 1 && base === undefined);
  const seedsOf = (arm: string) => sampled.flatMap((row) => (row.arm === arm && row.seed !== null ? [row.seed] : []));
  const seed = Math.min(...seedsOf(ARMS[0]).filter((one) => seedsOf(ARMS[1]).includes(one)));
  const byArm = ARMS.map((arm) => sampled.filter((row) => row.arm === arm && row.seed === seed));
  const pairs = byArm[0].flatMap((one) => {
    const other = byArm[1].find(({ id }) => id === one.id);
    return other ? [[one, other] as const] : [];
  });
  const isSolved = ({ quality }: ImproveRow) => quality.at(-1) === 1;
  const found = pairs.find(([own, other]) => {
    const end = own.quality.indexOf(1);
    const rises = own.quality.slice(1, end + 1).every((quality, i) => quality > own.quality[i]);
    const stays = own.quality.slice(end).every((quality) => quality === 1);
    return own.answers[0] !== null && end >= 2 && end <= MOST && rises && stays && !other.quality.includes(1);
  });
  if (!found) return null;
  const shown = ({ arm, answers }: ImproveRow): ShownChain => ({ arm, seed, answers });
  const count = (of: (pair: (typeof pairs)[number]) => boolean) => pairs.filter(of).length;
  return {
    schema: 1,
    source: SHOWN_CHAINS_SOURCE,
    puzzle: found[0].id,
    chains: [shown(found[0]), shown(found[1])],
    of: {
      puzzles: pairs.length,
      only: {
        [ARMS[0]]: count(([own, other]) => isSolved(own) && !isSolved(other)),
        [ARMS[1]]: count(([own, other]) => isSolved(other) && !isSolved(own)),
      },
    },
  };
}

/** Null if it is not a file of chains. */
export function readShownChains(json: unknown): ShownChains | null {
  const file = json as ShownChains | null;
  return file?.schema === 1 && Array.isArray(file.chains) && file.chains.length === 2 ? file : null;
}

/** Number of the puzzle's relations that an answer satisfies; 0 for text that is not an answer. */
export function keptBy(puzzle: string, answer: string | null): number {
  const whole = puzzleOf(puzzle);
  const row = answer === null ? null : rowOf(whole, answer);
  return row === null ? 0 : Math.round(qualityOf(whole, row) * whole.relations.length);
}
