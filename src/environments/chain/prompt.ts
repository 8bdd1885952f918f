// A puzzle in words. A hidden relation is `?`; under an answer that is to be revised it is `~` where the answer happens to satisfy
// it, and shows itself where the answer breaks it, as a failed test would. Every relation and mark is one token of the environment's
// tokenizer. The last answer alone is shown: mending one relation can break a `~` unseen, which is what makes several steps needed.
import { END_OF_TURN, said } from '../lookup/task.ts';
import { qualityOf, rowOf, satisfied } from './puzzle.ts';
import type { ChainPuzzle, ChainTask, Kind } from './types.ts';

export { END_OF_TURN };

const WORDS: Readonly<Record<Kind, string>> = { solve: 'SOLVE', improve: 'IMPROVE', diverge: 'DIVERGE' };

/** What a puzzle that is asked anew shows of itself. */
export const visibleOf = ({ relations, hidden }: Pick<ChainPuzzle, 'relations' | 'hidden'>): string =>
  relations.map((relation, i) => (hidden[i] ? '?' : relation)).join(' ');

export function taskOf(puzzle: ChainPuzzle): ChainTask {
  const prompt = said(`${WORDS.solve} ${visibleOf(puzzle)}`);
  return { id: puzzle.id, kind: 'solve', prompt, puzzle, depth: 0, draft: null, before: null };
}

/** `draft`: a row of the puzzle's digits. */
export function revisionOf(puzzle: ChainPuzzle, draft: string, depth: number, kind: Exclude<Kind, 'solve'>): ChainTask {
  const row = rowOf(puzzle, draft) ?? [];
  const holds = satisfied(puzzle.relations, row);
  const marks = puzzle.relations.map((relation, i) => (!holds[i] ? `!${relation}` : puzzle.hidden[i] ? '~' : relation));
  return {
    ...{ id: `${puzzle.id} ${kind} ${draft}`, kind, puzzle, depth, draft, before: qualityOf(puzzle, row) },
    prompt: said(`${WORDS[kind]} ${marks.join(' ')} ${draft}`),
  };
}
