// A preregistered question as one object: what was asked and how it is judged (`rule`, as data), which rows it reads, what is computed
// of them (`estimates`, a named function), and what stands beside the verdict. `answer` is the one judge of all series; what a card, a
// table, the docs and README show is made of it.

import { ARMS } from '../../src/experiments/config/arms.ts';
import { experimentOf } from '../../src/experiments/config/spec.ts';
import type { Estimate, Estimates } from '../../src/experiments/judge/estimate.ts';
import { judge, keysOf, type Rule, ruleWords, type Verdict, verdictText } from '../../src/experiments/judge/rule.ts';
import type { RunRecord } from '../../src/experiments/records/events.ts';
import type { Words } from '../../src/findings/question.ts';
import { three } from '../../src/lib/numbers.ts';
import { lineOf, those } from './estimates.ts';
import type { Judgement, LabRun, Rows } from './types.ts';

/** By default of any data and keys, as lists of questions have it. */
export interface Question<Data = unknown, Key extends string = string> extends Words {
  /** Each of the rule's verdicts as a sentence, without figures, or what stands before its colon. */
  says: Readonly<Record<string, string>>;
  /** Rows that are there for other questions too, as this one reads them. */
  read(rows: Rows): Data;
  /** What is computed, as it is called; in the order in which it is told. */
  names: Readonly<Record<Key, string>>;
  rule: Rule<Key>;
  /** Null where the rows hold nothing of it. Estimates are named by `names`. */
  estimates(data: Data): Estimates<Key> | null;
  /** Of the estimates those that the verdict's line has; absent: all. */
  line?: readonly Key[];
  /** Absent: three digits. */
  show?: (value: number) => string;
  /** What is shown beside the verdict. */
  shown(data: Data, answer: Found<Key>): Shown;
}

/** What only a question itself knows of its answer. Where it gives them, its own estimates are shown and told in the place of those that the
 *  rule asks of. */
type Shown = Omit<Judgement, 'standing' | 'word' | 'verdict' | 'n' | 'figures' | 'beside'> &
  Partial<Pick<Judgement, 'beside' | 'figures'>> & { line?: readonly Estimate[] };

export interface Found<Key extends string = string> {
  verdict: Verdict;
  estimates: Estimates<Key>;
  /** Those that are there, in the order of `names`. */
  figures: readonly Estimate[];
}

/** How many were asked is told in the verdict. */
function told(estimate: Estimate): Estimate {
  if (estimate.asked === undefined) return estimate;
  const { asked: _, ...rest } = estimate;
  return rest;
}

/** The one judge: estimates of the rows, the rule on them. Null where the rows hold nothing of the question. */
export function found<Data, Key extends string>(question: Question<Data, Key>, data: Data): Found<Key> | null {
  const estimates = question.estimates(data);
  if (!estimates) return null;
  const keys = Object.keys(question.names) as Key[];
  const figures = those(estimates, keys).map(told);
  return { verdict: judge(question.rule, estimates), estimates, figures };
}

export function answer<Data, Key extends string>(question: Question<Data, Key>, data: Data): Judgement | null {
  const answered = found(question, data);
  if (!answered) return null;
  const { estimates, figures } = answered;
  const keys = question.line ?? (Object.keys(question.names) as Key[]);
  const { line = those(estimates, keys), ...shown } = question.shown(data, answered);
  const { unit, show = three } = question;
  const { status } = answered.verdict;
  const word = verdictText(answered.verdict);
  const verdict = lineOf(line, { show, unit });
  return { standing: status, word, verdict, beside: [], n: line[0].n, figures, ...shown };
}

/** `training seeds` → `training seed`, for the words of a rule. */
const singular = (unit: string): string => unit.replace(/s\b/, '');

/** What of a question is computed, not published. */
const COMPUTED: readonly string[] = ['says', 'read', 'names', 'estimates', 'line', 'show', 'shown'];

/** As the sheet, the docs and README have it, in the question's own order. Throws RangeError for a rule that asks of what is not named. */
export function wordsOf(question: Question): Words & { rule: string } {
  const { id, rule, names, unit } = question;
  for (const key of keysOf(rule))
    if (!(key in names)) throw new RangeError(`${id}: its rule asks of “${key}”, which is not computed`);
  const words = Object.fromEntries(Object.entries(question).filter(([key]) => !COMPUTED.includes(key)));
  // Entries forget which names they have.
  return { ...(words as Words), rule: ruleWords(rule, { names, unit: singular(unit) }) };
}

/** In the order of `arms`, each with its seeds. */
export function runsToOpen(runs: readonly RunRecord[], arms: readonly string[]): LabRun[] {
  return arms.flatMap((arm) =>
    runs
      .filter(({ spec }) => spec.arm === arm)
      .map((record): LabRun => {
        const { seed } = record.spec;
        return { group: ARMS[record.spec.arm].label, name: `seed ${seed}`, spec: experimentOf(record.spec), record };
      }),
  );
}

export const inOrder = (runs: readonly RunRecord[]): RunRecord[] => [...runs].sort((a, b) => a.spec.seed - b.spec.seed);
