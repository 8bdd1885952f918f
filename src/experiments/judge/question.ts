// A preregistered question as one object: what was asked and how it is judged (`rule`, as data), which rows it reads, what is computed
// of them (`estimates`, a named function), and what stands beside the verdict. `answer` is the one judge of all series; what a card, a
// table, the docs and README show is made of it.

import { three } from '../../lib/numbers.ts';
import { ARMS, type Arm } from '../config/arms.ts';
import { type ExperimentSpec, parseExperimentSpec, SETTING_NAMES } from '../config/spec.ts';
import type { RunRecord } from '../records/events.ts';
import { lineOf, statusOfWord } from './estimates.ts';
import { judge, keysOf, type Rule, ruleWords, type Verdict, verdictText } from './rule.ts';
import type { Estimate, Estimates, Judged, LabRun, Rows, SeriesQuestion } from './types.ts';

/** Everything about a question but its rows and its rule. */
type Words = Omit<SeriesQuestion, 'rule' | 'judge'>;

export interface Question<Data = never, Key extends string = string> extends Words {
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
  shown(
    data: Data,
    answer: Found<Key>,
  ): Omit<Judged, 'standing' | 'word' | 'verdict' | 'n' | 'figures' | 'beside'> &
    Partial<Pick<Judged, 'beside' | 'figures'>>;
}

export interface Found<Key extends string = string> {
  verdict: Verdict;
  estimates: Estimates<Key>;
  /** Those that are there, in the order of `names`. */
  figures: readonly Estimate[];
}

/** The one judge: estimates of the rows, the rule on them. Null where the rows hold nothing of the question. */
export function found<Data, Key extends string>(question: Question<Data, Key>, data: Data): Found<Key> | null {
  const estimates = question.estimates(data);
  if (!estimates) return null;
  const keys = Object.keys(question.names) as Key[];
  const figures = keys.flatMap((key) => estimates[key] ?? []);
  return { verdict: judge(question.rule, estimates), estimates, figures };
}

/** What every verdict is told with: its line of figures, and n, the units of the first. */
interface Telling {
  unit: string;
  /** Absent: three digits. */
  show?: (value: number) => string;
  figures: readonly Estimate[];
  /** Those of the line; absent: all. */
  line?: readonly Estimate[];
}

/** A rule's own word with its figures, and what is shown beside them. */
export function judgedAs(
  word: string,
  { unit, show = three, figures, line = figures }: Telling,
  shown: Omit<Judged, 'standing' | 'word' | 'verdict' | 'n' | 'figures' | 'beside'> &
    Partial<Pick<Judged, 'beside' | 'figures' | 'n'>>,
): Judged {
  const verdict = lineOf(line, { show, unit });
  return { standing: statusOfWord(word), word, verdict, beside: [], n: line[0].n, figures, ...shown };
}

export function answer<Data, Key extends string>(question: Question<Data, Key>, data: Data): Judged | null {
  const answered = found(question, data);
  if (!answered) return null;
  const { verdict, estimates, figures } = answered;
  const line = (question.line ?? (Object.keys(question.names) as Key[])).flatMap((key) => estimates[key] ?? []);
  const { unit, show } = question;
  return judgedAs(verdictText(verdict), { unit, show, figures, line }, question.shown(data, answered));
}

/** `training seeds` → `training seed`, for the words of a rule. */
const singular = (unit: string): string => unit.replace(/s\b/, '');

/** As the sheet, the docs and README have it. Throws RangeError for a rule that asks of what is not named. */
export function asked<Data, Key extends string>(question: Question<Data, Key>): SeriesQuestion {
  const { read, names, rule, estimates: _, line: __, show: ___, shown: ____, ...words } = question;
  for (const key of keysOf(rule))
    if (!(key in names)) throw new RangeError(`${words.id}: its rule asks of “${key}”, which is not computed`);
  return {
    ...words,
    rule: ruleWords(rule, { names, unit: singular(words.unit) }),
    judge: (rows) => answer(question, read(rows)),
  };
}

/** What a record of an earlier version does not name is at its default, then and now. */
export function experimentOfRun({ spec }: Pick<RunRecord, 'spec'>): ExperimentSpec {
  const { settings: fixed } = ARMS[spec.arm] as Arm;
  const named = SETTING_NAMES.filter((name) => !(name in fixed) && spec[name] !== undefined);
  const overrides = Object.fromEntries(named.map((name) => [name, spec[name]]));
  return parseExperimentSpec({ preset: spec.preset, arms: [spec.arm], seeds: [spec.seed], overrides });
}

/** In the order of `arms`, each with its seeds. */
export function runsToOpen(runs: readonly RunRecord[], arms: readonly string[]): LabRun[] {
  return arms.flatMap((arm) =>
    runs
      .filter(({ spec }) => spec.arm === arm)
      .map((record): LabRun => {
        const { seed } = record.spec;
        return { group: ARMS[record.spec.arm].label, name: `seed ${seed}`, spec: experimentOfRun(record), record };
      }),
  );
}

export const inOrder = (runs: readonly RunRecord[]): RunRecord[] => [...runs].sort((a, b) => a.spec.seed - b.spec.seed);

const NONE = 'None has been written down: that comes before the first run.';

export const notRun = (id: string, title: string, section: string): SeriesQuestion => ({
  ...{ id, title, section, hypothesis: NONE, falsified: NONE, rule: NONE },
  ...{ says: {}, unit: '', caveat: '', files: [], commands: [] },
});
