// A preregistered question as one object: how it is judged (`rule`, as data), which rows it reads, which estimates it computes from them
// (`estimates`, a named function), and what is shown beside the verdict. `answerOf` judges every series; cards, tables, the docs and README
// are generated from its result.

import { ARMS } from '../../src/experiments/config/arms.ts';
import { experimentOf } from '../../src/experiments/config/experiment-of.ts';
import type { Estimate, Estimates } from '../../src/experiments/judge/estimate.ts';
import { judge, keysOf, type Rule, ruleWords, type Verdict, verdictText } from '../../src/experiments/judge/rule.ts';
import type { RunRecord } from '../../src/experiments/records/events.ts';
import type { QuestionText } from '../../src/findings/question.ts';
import { three } from '../../src/lib/numbers.ts';
import { lineOf, presentEstimates } from './estimates.ts';
import type { Judgement, LabRun, Rows } from './types.ts';

/** The defaults accept any data and keys, as lists of questions require. */
export interface Question<Data = unknown, Key extends string = string> extends QuestionText {
  /** A sentence without figures for each of the rule's verdicts, or for the part before its colon. */
  says: Readonly<Record<string, string>>;
  /** Selects the question's data from rows that other questions may share. */
  read(rows: Rows): Data;
  /** Names of the estimates, in the order in which they are shown. */
  names: Readonly<Record<Key, string>>;
  rule: Rule<Key>;
  /** Null if the rows do not answer the question. Estimates are named by `names`. */
  estimates(data: Data): Estimates<Key> | null;
  /** Estimates in the verdict's line; all if absent. */
  line?: readonly Key[];
  /** Formats an estimate; three digits if absent. */
  show?: (value: number) => string;
  /** Parts that are shown beside the verdict. */
  shown(data: Data, answer: JudgedQuestion<Key>): ShownAnswer;
}

/** Parts of an answer that are specific to the question. Its own estimates, if given, are shown instead of those that the rule uses. */
type ShownAnswer = Omit<Judgement, 'standing' | 'word' | 'verdict' | 'n' | 'figures' | 'beside'> &
  Partial<Pick<Judgement, 'beside' | 'figures'>> & { line?: readonly Estimate[] };

export interface JudgedQuestion<Key extends string = string> {
  verdict: Verdict;
  estimates: Estimates<Key>;
  /** The existing estimates, in the order of `names`. */
  figures: readonly Estimate[];
}

/** Removes `asked`, which the verdict already states. */
function withoutExpectedCount(estimate: Estimate): Estimate {
  if (estimate.asked === undefined) return estimate;
  const { asked: _, ...rest } = estimate;
  return rest;
}

/** Estimates from the rows, and the rule applied to them. Null if the rows do not answer the question. */
export function judgeQuestion<Data, Key extends string>(
  question: Question<Data, Key>,
  data: Data,
): JudgedQuestion<Key> | null {
  const estimates = question.estimates(data);
  if (!estimates) return null;
  const keys = Object.keys(question.names) as Key[];
  const figures = presentEstimates(estimates, keys).map(withoutExpectedCount);
  return { verdict: judge(question.rule, estimates), estimates, figures };
}

export function answerOf<Data, Key extends string>(question: Question<Data, Key>, data: Data): Judgement | null {
  const answered = judgeQuestion(question, data);
  if (!answered) return null;
  const { estimates, figures } = answered;
  const keys = question.line ?? (Object.keys(question.names) as Key[]);
  const { line = presentEstimates(estimates, keys), ...shown } = question.shown(data, answered);
  const { unit, show = three } = question;
  const { status } = answered.verdict;
  const word = verdictText(answered.verdict);
  const verdict = lineOf(line, { show, unit });
  return { standing: status, word, verdict, beside: [], n: line[0].n, figures, ...shown };
}

/** `training seeds` → `training seed`, for the text of a rule. */
const singular = (unit: string): string => unit.replace(/s\b/, '');

/** Fields of a question that are not published. */
const COMPUTED: readonly string[] = ['says', 'read', 'names', 'estimates', 'line', 'show', 'shown'];

/** Texts of the sheet, the docs and README, in the question's own order. Throws RangeError if the rule uses an estimate without a name. */
export function wordsOf(question: Question): QuestionText & { rule: string } {
  const { id, rule, names, unit } = question;
  for (const key of keysOf(rule))
    if (!(key in names)) throw new RangeError(`${id}: its rule asks of “${key}”, which is not computed`);
  const words = Object.fromEntries(Object.entries(question).filter(([key]) => !COMPUTED.includes(key)));
  // Object.entries loses the type of the keys.
  return { ...(words as QuestionText), rule: ruleWords(rule, { names, unit: singular(unit) }) };
}

/** Runs in the order of `arms`, each arm with all its seeds. */
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

export const inSeedOrder = (runs: readonly RunRecord[]): RunRecord[] =>
  [...runs].sort((a, b) => a.spec.seed - b.spec.seed);
