// Presentation, filters and search of an environment's rollouts, as data, since the page does not know the verdicts.

/** A verdict in a record: the values that its environment's reward gave, plain and by name. */
export type Recorded = Readonly<Record<string, string | number | boolean | null>>;

export interface Outcome {
  /** Id for filters and counts. */
  id: string;
  mark: string;
  tone: 'good' | 'bad' | 'warn' | '';
  /** Mentioned in counts only if there are any. */
  rare?: boolean;
}

export interface Tag {
  text: string;
  tone: 'good' | 'bad' | 'warn' | '';
}

/** A name and its value, as texts. */
export type Fact = readonly [name: string, value: string];

/** Parts that every environment gives. */
interface Essentials<Verdict> {
  /** In the order in which they are stacked in charts; each rollout has one. */
  outcomes: readonly Outcome[];
  /** `kind` is TaskLabels.kind, since the meaning of a verdict can depend on the grader. */
  outcomeOf(verdict: Verdict, kind: string): string;
  /** Rollouts most worth reading, the best first: the text of a button, and the outcome or filter that selects them. */
  worthReading: readonly { words: string; verdict: string }[];
  /** Facts under an answer in the list; the others are shown only with the full answer. */
  facts(verdict: Verdict): readonly Fact[];
  /** Two sentences on a rollout: what was rewarded, and what is true. */
  plainly(verdict: Verdict, kind: string): { paid: string; truth: string };
  /** Label of TaskLabels.kind. */
  kindName: string;
  /** Description of the environment's rollouts before there are any. */
  lead: string;
}

/** Parts that an environment may add; `presents` fills in the defaults. */
interface Details<Verdict> {
  /** Filters of a rollout beside its outcome. */
  filters: readonly { name: string; keeps(verdict: Verdict): boolean }[];
  tags(verdict: Verdict): readonly Tag[];
  /** The facts that are shown with a full answer. */
  details(verdict: Verdict, kind: string): readonly Fact[];
  /** Pattern of an answer's exploit, if it is not in lines of Python; null if there is none. */
  exploit(verdict: Verdict): RegExp | null;
  /** Text with which the answer was compared, under a title; null if there is none. */
  comparedWith(verdict: Verdict): { title: string; text: string } | null;
  /** Our English translation of a published prompt or answer in another language; null if there is none. */
  gloss(text: string): string | null;
  /** Text that is searched besides the rollout's own. */
  note(verdict: Verdict): string;
  /** The part of a prompt to highlight: how the answer is judged. Null if there is none. */
  hint(kind: string): string | null;
  /** How an answer is drawn: as Python with its exploits marked, or as plain text. */
  text: 'python' | 'plain';
}

export interface RolloutPresentation<Verdict = Recorded> extends Essentials<Verdict>, Details<Verdict> {}

/** Fills in the defaults of an environment's presentation. By default a full answer shows the facts of the list, and is plain text. A
 *  recorded verdict has the same values under the same names. */
export function presents<Verdict>(own: Essentials<Verdict> & Partial<Details<Verdict>>): RolloutPresentation {
  const defaults: Details<Verdict> = {
    filters: [],
    tags: () => [],
    details: own.facts,
    exploit: () => null,
    comparedWith: () => null,
    gloss: () => null,
    note: () => '',
    hint: () => null,
    text: 'plain',
  };
  const whole: RolloutPresentation<Verdict> = { ...defaults, ...own };
  // A recorded verdict differs only in its static type.
  return whole as unknown as RolloutPresentation;
}

/** Whether a rollout has this outcome, or passes the filter of this name. */
export const saysOf = (
  rolloutPresentation: RolloutPresentation,
  { verdict, kind }: { verdict: Recorded; kind: string },
  id: string,
): boolean =>
  rolloutPresentation.outcomeOf(verdict, kind) === id ||
  rolloutPresentation.filters.some(({ name, keeps }) => name === id && keeps(verdict));
