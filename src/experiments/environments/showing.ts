// How an environment's rollouts are shown, filtered and searched, as data for whoever draws them: the page knows no verdict.

/** A verdict as it is recorded: what its environment's reward said, as plain values by name. */
export type Recorded = Readonly<Record<string, string | number | boolean | null>>;

export interface Outcome {
  /** As it is filtered by and counted. */
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

/** A name and what is said of it. */
export type Fact = readonly [name: string, value: string];

export interface Showing {
  /** In the order in which they are stacked; each rollout has one. */
  outcomes: readonly Outcome[];
  outcomeOf(verdict: Recorded): string;
  /** What else a rollout may be filtered by, beside its outcome. */
  filters: readonly { name: string; keeps(verdict: Recorded): boolean }[];
  /** What is most worth reading, the best first: in the words of a button, and the outcome or filter that keeps it. */
  worthReading: readonly { words: string; verdict: string }[];
  tags(verdict: Recorded): readonly Tag[];
  /** Under an answer in the list; all others only where it is shown in full. */
  facts(verdict: Recorded): readonly Fact[];
  details(verdict: Recorded): readonly Fact[];
  /** What is searched beside the texts. */
  note(verdict: Recorded): string;
  /** What TaskLabels.kind is called. */
  kindName: string;
  /** The part of a prompt that stands out: how the answer is judged. Null where there is none. */
  hint(kind: string): string | null;
  /** How an answer is drawn: Python with its exploits marked, or as it is. */
  text: 'python' | 'plain';
  /** What the rollouts of such an environment are, before there are any. */
  lead: string;
}
