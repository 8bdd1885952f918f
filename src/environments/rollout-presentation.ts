// Presentation, filters and search of an environment's rollouts. It is data for whoever draws them, since the page knows no verdict.

/** A verdict as it is recorded: what its environment's reward said, as plain values by name. */
export type Recorded = Readonly<Record<string, string | number | boolean | null>>;

export interface Outcome {
  /** Id by which it is filtered and counted. */
  id: string;
  mark: string;
  tone: 'good' | 'bad' | 'warn' | '';
  /** Named in counts only where there are any. */
  rare?: boolean;
}

export interface Tag {
  text: string;
  tone: 'good' | 'bad' | 'warn' | '';
}

/** A name and its value, in words. */
export type Fact = readonly [name: string, value: string];

/** Parts that every environment gives. */
interface Essentials<Verdict> {
  /** In the order in which they are stacked; each rollout has one. */
  outcomes: readonly Outcome[];
  /** `kind`: TaskLabels.kind, since a verdict can mean another thing by the grader that gave it. */
  outcomeOf(verdict: Verdict, kind: string): string;
  /** Rollouts most worth reading, the best first: in the words of a button, and the outcome or filter that keeps it. */
  worthReading: readonly { words: string; verdict: string }[];
  /** Under an answer in the list; all others only where it is shown in full. */
  facts(verdict: Verdict): readonly Fact[];
  /** A sentence each on one rollout: what it was paid for, and what is true. */
  plainly(verdict: Verdict, kind: string): { paid: string; truth: string };
  /** Name of TaskLabels.kind. */
  kindName: string;
  /** Description of such an environment's rollouts, before there are any. */
  lead: string;
}

/** Parts that an environment may give besides; `presents` fills in the others. */
interface Details<Verdict> {
  /** Filters of a rollout beside its outcome. */
  filters: readonly { name: string; keeps(verdict: Verdict): boolean }[];
  tags(verdict: Verdict): readonly Tag[];
  /** The facts that are shown where an answer is shown in full. */
  details(verdict: Verdict, kind: string): readonly Fact[];
  /** Pattern of an answer's exploit, where no lines of Python are one; null where nothing is. */
  exploit(verdict: Verdict): RegExp | null;
  /** Text that the answer was compared with, as it was written, under a title; null where there is nothing to read. */
  comparedWith(verdict: Verdict): { title: string; text: string } | null;
  /** Our English of a published prompt or answer in another language; null if there is none. */
  gloss(text: string): string | null;
  /** Text that is searched beside the rollout's own. */
  note(verdict: Verdict): string;
  /** The part of a prompt that stands out: how the answer is judged. Null if there is none. */
  hint(kind: string): string | null;
  /** Drawing of an answer: Python with its exploits marked, or as it is. */
  text: 'python' | 'plain';
}

export interface RolloutPresentation<Verdict = Recorded> extends Essentials<Verdict>, Details<Verdict> {}

/** Completes what an environment says of its own verdicts: a recorded one has the same values by the same names. In full an answer shows
 *  what it shows in the list, and it is drawn as it is, where nothing else is said. */
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
  // A recorded verdict has lost its type and nothing else.
  return whole as unknown as RolloutPresentation;
}

/** Whether a rollout has this outcome, or is kept by the filter of this name. */
export const saysOf = (
  rolloutPresentation: RolloutPresentation,
  { verdict, kind }: { verdict: Recorded; kind: string },
  id: string,
): boolean =>
  rolloutPresentation.outcomeOf(verdict, kind) === id ||
  rolloutPresentation.filters.some(({ name, keeps }) => name === id && keeps(verdict));
