// What the lab knows of an environment before a run acts in it: what a run can do there, by which question it is chosen, what its
// numbers are, how its rollouts are shown. Data and plain functions, without React: the page draws every environment from this alone. All of
// it is in the page's first load, so that what makes the environment is loaded apart (`load`, `pretraining`).
import type { GlossaryEntry, OptionGroup } from '../lib/option.ts';
import type { DrawnEnvironment } from './drawn.ts';
import type { Pretraining } from './pretraining.ts';

// What an environment says of a number that it measures: enough to draw it, to put it in a table and to explain it, without knowing the
// environment. An environment lists its own in its presentation; the page has all of them at once, so they are texts alone.

export interface MetricInfo {
  /** The key in Metrics. */
  id: string;
  /** At the head of a chart or a column. */
  label: string;
  /** One line for a person who meets it for the first time. */
  about: string;
  /** The glossary's sentence; `about` where absent. */
  meaning?: string;
  unit: 'share' | 'number' | 'tokens';
  /** Ends of the value axis; null fits the data. */
  range: readonly [number, number | null];
  /** The range in words, with what a gap means; the ends where absent. */
  span?: string;
  better: 'lower' | 'higher' | 'neither';
  /** The environment's questions are answered by these: result tables, comparisons and links show them first. */
  headline?: boolean;
  /** In a few words, under a table on the command line. */
  brief?: string;
  /** What it is a share of, in a column's title. */
  of?: string;
  /** For sentences on a difference: `hacks` (less than vanilla), and what is said where nothing could be measured. */
  words?: { verb: string; none: string };
  /** Of some runs alone: where no row has it, it has no chart and no column. */
  occasional?: boolean;
  /** Kept and exported, drawn in no chart of its own. */
  undrawn?: boolean;
  formula: string;
  /** What it is where nothing was learned. */
  nullValue: string;
  notShown: string;
  /** Counted on the rollouts that are trained on, measured on an evaluation set, or both. */
  measured: 'training' | 'evaluation' | 'both';
  /** The kind of task that it is of alone; absent for a figure of all. Such charts are folded together. */
  kind?: string;
}

/** The fields of a metric beside its name. */
type Fields = Omit<MetricInfo, 'id' | 'label' | 'about'>;
/** Those that have no default. */
type GivenFields = Partial<Fields> & Pick<Fields, 'formula' | 'nullValue' | 'notShown'>;

/** A share, the higher the better, of training and of evaluations, where the fields say nothing else. */
export const metric = <Id extends string>(
  id: Id,
  label: string,
  about: string,
  fields: GivenFields,
): MetricInfo & { id: Id } => ({
  id,
  label,
  about,
  unit: 'share',
  range: [0, 1],
  better: 'higher',
  measured: 'both',
  ...fields,
});

/** Metrics that share fields where they have none of their own. */
export const metricsWith =
  (common: GivenFields) =>
  (id: string, label: string, about: string, own: Partial<Fields> = {}): MetricInfo =>
    metric(id, label, about, { ...common, ...own });

/** A part of the evaluation set, and what makes it unseen. */
export interface SplitInfo {
  id: string;
  label: string;
  unseen: string;
}

const percent = (share: number): string => `${100 * share}%`;

/** The glossary's entry of a metric. */
export function wordsOf({
  label,
  about,
  meaning,
  formula,
  span,
  unit,
  range,
  nullValue,
  notShown,
}: MetricInfo): GlossaryEntry {
  const [low, high] = range;
  const ends =
    unit === 'share' ? `${percent(low)} … ${percent(high ?? 1)}` : high === null ? `≥ ${low}` : `${low} … ${high}`;
  return { title: label, meaning: meaning ?? about, formula, range: span ?? ends, nullValue, notShown };
}

// A measure at several settings of something that is no step of training: quality after K revisions, say. Evaluations have a metric for
// each of its points, so that a profile is data, and the page draws it for any environment.

export interface Profile {
  id: string;
  title: string;
  /** What it is and how it is read, in one sentence. */
  about: string;
  /** What lies along its axis. */
  along: string;
  /** Ascending. */
  points: readonly { x: number; metric: string }[];
}

// The card by which an environment is chosen on the page: the question that it lets one ask, in a person's words. Texts alone, since the page's first load has all of them.

export interface EnvironmentCard {
  /** Ends with a question mark. */
  question: string;
  /** One sentence. */
  about: string;
}

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

export interface RolloutPresentation<Verdict = Recorded> {
  /** In the order in which they are stacked; each rollout has one. */
  outcomes: readonly Outcome[];
  outcomeOf(verdict: Verdict): string;
  /** What else a rollout may be filtered by, beside its outcome. */
  filters: readonly { name: string; keeps(verdict: Verdict): boolean }[];
  /** What is most worth reading, the best first: in the words of a button, and the outcome or filter that keeps it. */
  worthReading: readonly { words: string; verdict: string }[];
  tags(verdict: Verdict): readonly Tag[];
  /** Under an answer in the list; all others only where it is shown in full. */
  facts(verdict: Verdict): readonly Fact[];
  details(verdict: Verdict): readonly Fact[];
  /** Of one rollout, a sentence each: what it was paid for, and what is true. */
  plainly(verdict: Verdict): { paid: string; truth: string };
  /** What of an answer's text makes its exploit, where no lines of Python do; null where nothing does. */
  exploit(verdict: Verdict): RegExp | null;
  /** What the answer was compared with, as it was written, under a title; null where there is nothing to read. */
  comparedWith(verdict: Verdict): { title: string; text: string } | null;
  /** In English, a published prompt or answer in another language, by us; null where there is none. */
  gloss(text: string): string | null;
  /** What is searched beside the texts. */
  note(verdict: Verdict): string;
  /** What TaskLabels.kind is called. */
  kindName: string;
  /** The part of a prompt that stands out: how the answer is judged. Null where there is none. */
  hint(kind: string): string | null;
  /** How an answer is drawn: Python with its exploits marked, or as it is. */
  text: 'python' | 'plain';
  /** What the rollouts of such an environment are, before there are any. */
  lead: string;
}

type Defaulted = 'filters' | 'tags' | 'details' | 'exploit' | 'comparedWith' | 'gloss' | 'note' | 'hint' | 'text';
type Declared<Verdict> = Omit<RolloutPresentation<Verdict>, Defaulted> &
  Partial<Pick<RolloutPresentation<Verdict>, Defaulted>>;

/** Of an environment's own verdicts: a recorded one has the same values by the same names. In full an answer shows what it shows in the
 *  list, and it is drawn as it is, where nothing else is said. */
export function presents<Verdict>(own: Declared<Verdict>): RolloutPresentation {
  const defaults = {
    filters: [],
    tags: () => [],
    details: own.facts,
    exploit: () => null,
    comparedWith: () => null,
    gloss: () => null,
    note: () => '',
    hint: () => null,
    text: 'plain',
  } as const;
  const whole: RolloutPresentation<Verdict> = { ...defaults, ...own };
  // A recorded verdict has lost its type and nothing else.
  return whole as unknown as RolloutPresentation;
}

/** Whether a rollout has this outcome, or is kept by the filter of this name. */
export const saysOf = (rolloutPresentation: RolloutPresentation, verdict: Recorded, id: string): boolean =>
  rolloutPresentation.outcomeOf(verdict) === id ||
  rolloutPresentation.filters.some(({ name, keeps }) => name === id && keeps(verdict));

/** A mean probability that evaluations measure. */
export interface AskedInfo {
  /** In `EvalRow.probes`. */
  id: string;
  label: string;
  about: string;
}

// Capabilities are data alone, since a run's spec itself is resolved by them before any environment is loaded. Arms and settings are names
// here and are held to the lab's own where the registry is read (experiments/environments): this layer knows neither.

/** What a run can do in an environment: which small model is its own, what there is to project along, to learn from and to exploit,
 *  and what a preset means there. */
export interface Capabilities<
  Preset extends string = string,
  Arm extends string = string,
  Settings = Record<string, unknown>,
> {
  /** What spec.environment says; where the environment is one of many (a file's problems), what it begins with. */
  id: string;
  label: string;
  /** Whether spec.environment names this environment. */
  named(environment: string): boolean;
  /** How spec.environment names it, for messages. */
  example: string;
  /** For the glossary, in a few words: what its model was pretrained on, its reward, its problems. Absent where they are another's. */
  words?: { model: string; reward: string; problems: string };
  /** Environments of this environment that have a model of their own besides. It comes with the lab where `embeds` names it. */
  replicates?: readonly string[];
  /** Embedded models besides its own: for what is no run of the environment. */
  embeds?: readonly string[];
  /** Labelled pairs to extract a basis from: without them no arm can project. */
  pairs: boolean;
  /** Built-in pair sets that are this environment's alone: with one of them there is a basis too, whatever `pairs` says. */
  pairSets?: readonly string[];
  /** Cached rows of a teacher. */
  teacher: boolean;
  /** Flaws that an answer can exploit: without them there is nothing to flag, to ask for or to leave out. */
  loopholes: boolean;
  /** Answers can be compared with each other, so that a reference can be made of a group of them. */
  references?: boolean;
  /** Answers are texts that a judge can check against criteria, of a rubric that is made of a group of them. */
  rubrics?: boolean;
  /** Episodes end with a message to a user, which a judge may be fooled by. */
  messages?: boolean;
  /** Answers can be shown again, to be improved. */
  improves?: boolean;
  /** Answers to an evaluated problem, where it is more than one: revisions, one after another. */
  answersEvaluated?: number;
  /** Share of its limit that an answer is long in the mean, where that is far from what is thought of any (lab/estimate). */
  written?: number;
  /** By the setting `grading`: what its judges take of a step, as a share of what is thought of the rest; as the demo took, and published runs by their timings. */
  judging?: Readonly<Record<string, number>>;
  /** What its tools take, and reading what they answer, as a share of what is thought of the rest (lab/estimate). */
  tools?: number;
  /** Answers are to meet a requirement that a rule checks. */
  instructs?: boolean;
  /** It has no model of its own and none that comes with the lab can act in it: a run names one of a person's own. */
  needsModel?: boolean;
  /** One of its speakers is taught something that the others are not. */
  teaches?: boolean;
  /** What a preset means here where it is not what it means by itself; the environment's own model among it, or a replicate's. */
  defaults(preset: Preset, environment: string): { arms?: readonly Arm[]; settings: Partial<Settings> };
}

type Unsaid = 'named' | 'example' | 'pairs' | 'teacher' | 'loopholes';

/** An environment in the registry (registry.ts). Where it does not say otherwise it is called by its id, and has nothing to project along,
 *  to learn from or to exploit (wholeCapabilities). */
export interface EnvironmentEntry<
  Preset extends string = string,
  Arm extends string = string,
  Settings = Record<string, unknown>,
> extends Omit<Capabilities<Preset, Arm, Settings>, Unsaid>,
    Partial<Pick<Capabilities, Unsaid>> {
  /** By which it is chosen on the page. */
  card: EnvironmentCard;
  /** Which Python judges what is written here. */
  python: 'micropython' | 'cpython';
  /** Heading of the charts by kind of task, where there are any. */
  kinds?: string;
  /** What its reward is, in one line, and the ticks of its axis. */
  reward: { about: string; ticks: readonly number[] };
  rolloutPresentation: RolloutPresentation;
  /** What its figures are, the headline first. */
  metrics: readonly MetricInfo[];
  /** What its evaluations ask without sampling (EvalRow.probes) that answers its question better than samples do; none where absent. */
  asked?: readonly AskedInfo[];
  /** Charts of evaluations over something else than steps; none where absent. */
  profiles?: readonly Profile[];
  /** The parts of its evaluation set. */
  splits: readonly SplitInfo[];
  /** Options of its own, behind all others in a run's settings. */
  options?: OptionGroup;
  /** How it is made, where its tasks are drawn by seed; others are made by the lab (experiments/environments/makers.ts). */
  load?(): Promise<DrawnEnvironment>;
  /** The small model that is made for it, or for one of its replicates; absent where there is none. */
  pretraining?(environment: string): Promise<Pretraining>;
}

export const wholeCapabilities = <Entry extends Pick<Capabilities, 'id'>>(
  entry: Entry,
): Entry & Pick<Capabilities, Unsaid> => ({
  named: (environment) => environment === entry.id,
  example: entry.id,
  pairs: false,
  teacher: false,
  loopholes: false,
  ...entry,
});
