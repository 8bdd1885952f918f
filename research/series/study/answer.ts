// A question's rule: its hypothesis is split into clauses, each true, false or open (judge.ts). It holds if all are true, is falsified if
// its own falsifier (named before the runs) is met, holds in part if some clauses are true and some false, and is open otherwise. The
// verdict comes with a sentence on the hypothesis and sentences with the figures; whether the reference's finding replicates is stated
// separately.

import { points } from '../../../src/experiments/analysis/words.ts';
import type { Status } from '../../../src/experiments/judge/estimate.ts';
import { type Condition, judge, keysOf, type Rule, type Truth } from '../../../src/experiments/judge/rule.ts';
import { inWords } from '../../../src/lib/numbers.ts';
import { effectSentence, judgeable, MATTERS, truth } from './judge.ts';
import type {
  CellResults,
  Clause,
  ClauseText,
  Conclusion,
  MadeComparisons,
  Sentence,
  StudyVerdict,
  TableQuestion,
} from './types.ts';
import { ALPHA } from './verdict.ts';

/**
 * @param yes the clause as a main clause: `erase beats every null`
 * @param no the same if it is false: `erase does not beat every null`
 */
export const clause = (is: Condition, yes: ClauseText, no: ClauseText): Clause => ({
  items: [{ name: '', is }],
  yes,
  no,
});

/** The same clause about several items: those for which it is true, false and open form a clause each. `…` stands for their names. */
export const grouped = (items: Clause['items'], yes: ClauseText, no: ClauseText): Clause => ({ items, yes, no });

/** Meaning of `lowers`, `raises` and `near`. */
const BEFORE = `The hypothesis is split into clauses. One that says “lowers” or “raises” is true where the paired difference is an effect (beyond the reference’s seed sd and one standard error, exact sign-flip p ≤ ${inWords(ALPHA)} after Holm; with too few seeds for that, the 95 % t interval on that side of 0 and the paired t’s p ≤ ${inWords(ALPHA)} after Holm), and false where the interval excludes ${points(MATTERS)} in that direction; one that says “within” is judged by where the interval lies.`;

/** @param falsified by default, any false clause falsifies */
export function ruleOf(clauses: readonly Clause[], falsified?: Condition): Rule {
  const items = clauses.flatMap((one) => one.items);
  const are = (of: (is: Condition) => Condition): Condition[] =>
    items.map(({ is, where }) => (where ? { all: [where, of(is)] } : of(is)));
  const someTrue: Condition = { any: are((is) => is) };
  const someFalse: Condition = { any: are((not) => ({ not })) };
  const allTrue = items.map(({ is, where }) => (where ? { any: [{ not: where }, is] } : is));
  return {
    before: BEFORE,
    cases: [
      { status: 'holds', when: { all: [someTrue, ...allTrue] }, words: 'all clauses are true' },
      { status: 'fails', when: falsified ?? someFalse, words: 'what would falsify it is met' },
      { status: 'in part', when: { all: [someTrue, someFalse] }, words: 'some are true, some false' },
      { status: 'open' },
    ],
  };
}

/** Null without clauses. */
export function conclusionOf(
  clauses: readonly Clause[],
  falsified?: Condition,
  figures: CellResults = new Map(),
  made: MadeComparisons = {},
): Conclusion | null {
  const judged = clauses.flatMap(({ items, yes, no }) => {
    const applicable = items.filter(({ where }) => !where || truth(figures, where, made) === true);
    const truths = applicable.map(({ name, is }) => ({ name, is: truth(figures, is, made) }));
    return ([true, false, null] as const).flatMap((is) => {
      const names = truths.filter((item) => item.is === is).map(({ name }) => wordsOf(name, figures, is));
      const clauseText = () => wordsOf(is === false ? no : yes, figures, is).replace('…', () => joinWords(names));
      return names.length === 0 ? [] : [{ is, words: clauseText() }];
    });
  });
  if (judged.length === 0) return null;
  const rule = ruleOf(clauses, falsified);
  const estimates = Object.fromEntries(keysOf(rule).map((key) => [key, judgeable(figures, key, made)]));
  const outcome = judge(rule, estimates).status;
  return { outcome, sentence: `The hypothesis ${SAID[outcome]}: ${clauseReasons(judged, outcome)}.` };
}

const wordsOf = (text: ClauseText, figures: CellResults, is: Truth): string =>
  typeof text === 'string' ? text : text(figures, is);

const SAID: Record<Status, string> = {
  holds: 'holds',
  'in part': 'holds in part',
  fails: 'fails',
  open: 'is open',
  'not run': 'was not asked',
};

/** Lists true, false, then open clauses; for a falsified hypothesis the false ones come first. */
function clauseReasons(judged: readonly { is: Truth; words: string }[], outcome: Status): string {
  const of = (is: Truth) => judged.filter((one) => one.is === is).map(({ words }) => words);
  const whether = of(null).map((words) => `whether ${words} stays open`);
  const order = outcome === 'fails' ? [of(false), of(true), whether] : [of(true), of(false), whether];
  return order
    .filter((part) => part.length > 0)
    .map((part) => part.join('; '))
    .join('; but ')
    .replace(/; but whether/, '; whether');
}

/** Joins words: `a, b and c`. */
export function joinWords(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

export function verdictOn(question: TableQuestion, figures: CellResults): StudyVerdict {
  const { made = {}, needs, given, clauses, falsifier, replicates, countedBy, reference } = question;
  const open = reference === null ? 'new here' : 'undecided';
  const counts = needs.map((id) => figures.get(id)?.statistics.n ?? 0);
  if (counts.every((n) => n === 0)) return { answer: null, sentences: ['Not run.'], standing: 'not run', figures: [] };
  const reported = question.says
    .flatMap((one): readonly (Sentence | string | null)[] => {
      if (typeof one === 'function') return one(figures);
      const [of, words] = one;
      if (typeof of === 'string') return [effectSentence(figures, of, words, made)];
      return truth(figures, of, made) === true ? [words] : [];
    })
    .filter((one) => one !== null);
  if (reported.length === 0)
    return { answer: null, sentences: ['Too little has been run to say anything.'], standing: open, figures: [] };
  const reportedByName = new Map(
    reported.flatMap((one) => (typeof one === 'string' ? [] : [[one.figure.name, one.figure]])),
  );
  const isAsked = !given || truth(figures, given, made) === true;
  const found = replicates ? truth(figures, replicates, made) : null;
  return {
    answer: isAsked ? conclusionOf(clauses, falsifier, figures, made) : null,
    sentences: reported.map((one) => (typeof one === 'string' ? one : one.text)),
    figures: [...reportedByName.values()],
    // The least number of seeds among the cells that the replication verdict needs.
    n:
      (countedBy === undefined ? undefined : judgeable(figures, countedBy, made)?.n) ??
      Math.min(...counts.filter((count) => count > 0)),
    standing: found === null ? open : found ? 'replicates' : 'does not replicate',
  };
}
