// One sentence on a question's hypothesis. A hypothesis is split into clauses, each true, false or open by judge.ts; it holds if
// all are true, is falsified where its own falsifier (named before the runs) is met, holds in part where some clauses are
// true and some false, and is open otherwise. Whether the reference's finding replicates is another matter: a standing.
import { anyOf, type Truth } from './judge.ts';
import type { Answer } from './types.ts';

export interface Clause {
  truth: Truth;
  /** The clause as a main clause: `erase beats every null`. */
  yes: string;
  /** What is the case where it is false: `erase does not beat every null`. */
  no: string;
}

export const clause = (truth: Truth, yes: string, no: string): Clause => ({ truth, yes, no });

/** The same clause about several things: one clause each of those of which it is true, false, open. */
export function grouped(
  items: readonly { name: string; truth: Truth }[],
  yes: (names: string) => string,
  no: (names: string) => string,
): Clause[] {
  return ([true, false, null] as const).flatMap((truth) => {
    const names = items.filter((item) => item.truth === truth).map(({ name }) => name);
    return names.length === 0 ? [] : [clause(truth, yes(listed(names)), no(listed(names)))];
  });
}

/** `falsified`: whether the falsifier is met; by default, whether any clause is false. Null where there is nothing to say. */
export function answered(
  clauses: readonly Clause[],
  falsified: Truth = anyOf(...clauses.map(({ truth }) => truth === false)),
): Answer | null {
  if (clauses.length === 0) return null;
  const outcome = outcomeOf(clauses, falsified);
  return { outcome, sentence: `The hypothesis ${SAID[outcome]}: ${because(clauses, outcome)}.` };
}

const SAID: Record<Answer['outcome'], string> = {
  holds: 'holds',
  'in part': 'holds in part',
  fails: 'is falsified',
  open: 'stays open',
  'not run': 'was not asked',
};

function outcomeOf(clauses: readonly Clause[], falsified: Truth): Answer['outcome'] {
  if (falsified === true) return 'fails';
  const truths = clauses.map(({ truth }) => truth);
  if (truths.every((truth) => truth === true)) return 'holds';
  return truths.includes(true) && truths.includes(false) ? 'in part' : 'open';
}

/** What holds, then what does not, then what is open; of a falsified hypothesis first what falsifies it. */
function because(clauses: readonly Clause[], outcome: Answer['outcome']): string {
  const of = (truth: Truth) => clauses.filter((one) => one.truth === truth);
  const [held, failed, open] = [of(true).map(({ yes }) => yes), of(false).map(({ no }) => no), of(null)];
  const whether = open.map(({ yes }) => `whether ${yes} stays open`);
  const order = outcome === 'fails' ? [failed, held, whether] : [held, failed, whether];
  return order
    .filter((part) => part.length > 0)
    .map((part) => part.join('; '))
    .join('; but ')
    .replace(/; but whether/, '; whether');
}

/** `a, b and c`. */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
