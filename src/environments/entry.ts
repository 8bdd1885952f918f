// An environment as the lab knows it before a run acts in it: what a run can do there, by which question it is chosen, what its numbers
// are, how its rollouts are shown. Data and plain functions, without React: the page draws every environment from this alone. All of it is
// in the page's first load, so that what makes the environment is loaded apart (`load`, `pretraining`).
import type { OptionGroup } from '../lib/option.ts';
import type { DrawnEnvironment } from './drawn.ts';
import type { MetricInfo, ProbeInfo, Profile, SplitInfo } from './metric-info.ts';
import type { Pretraining } from './pretraining.ts';
import type { RolloutPresentation } from './rollout-presentation.ts';

/** The card by which an environment is chosen on the page: the question that it lets one ask, in a person's words. */
export interface EnvironmentCard {
  /** Ends with a question mark. */
  question: string;
  /** Quantity that the figures of its finding measure, in a word or two: `Cheating 42% → 3%`. Absent where nothing is published. */
  measured?: string;
  /** One sentence. */
  about: string;
}

/** Names by which spec.environment means an environment. */
export interface Naming {
  /** Whether it names this one. */
  named(environment: string): boolean;
  /** Example of a name, for messages. */
  example: string;
}

/** Offers that most environments do not make. */
export interface Offered {
  /** Labelled pairs to extract a basis from: without them no arm can project. */
  pairs: boolean;
  /** Cached rows of a teacher. */
  teacher: boolean;
  /** Flaws that an answer can exploit: without them there is nothing to flag, to ask for or to leave out. */
  loopholes: boolean;
}

/** An environment is named by its id, and offers nothing to project along, to learn from or to exploit, where it does not say otherwise. */
export const completed = <Entry extends { id: string } & Partial<Naming & Offered>>(
  entry: Entry,
): Entry & Naming & Offered => ({
  named: (environment) => environment === entry.id,
  example: entry.id,
  pairs: false,
  teacher: false,
  loopholes: false,
  ...entry,
});

// Capabilities are data alone, since a run's spec itself is resolved by them before any environment is loaded. Arms and settings are names
// here and are held to the lab's own where the registry is read (experiments/environments): this layer knows neither.

/** A run's possibilities in an environment: which small model is its own, what there is to project along, to learn from and to exploit,
 *  and what a preset means there. */
export interface Capabilities<
  Preset extends string = string,
  Arm extends string = string,
  Settings = Record<string, unknown>,
> extends Partial<Naming>,
    Partial<Offered> {
  /** Name in spec.environment; where the environment is one of many (a file's problems), the name's beginning. */
  id: string;
  label: string;
  /** For the glossary, in a few words: what its model was pretrained on, its reward, its problems. Absent where they are another's. */
  words?: { model: string; reward: string; problems: string };
  /** Environments of this environment that have a model of their own besides. It comes with the lab where `embeds` names it. */
  replicates?: readonly string[];
  /** The arm with which others are compared where an experiment has no vanilla; none by default. */
  reference?: Arm;
  /** Embedded models besides its own that no run of the environment uses. */
  embeds?: readonly string[];
  /** Built-in pair sets that are this environment's alone: with one of them there is a basis too, whatever `pairs` says. */
  pairSets?: readonly string[];
  /** A person's own pairs give a basis, whatever `pairs` says. */
  ownPairs?: boolean;
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
  /** Time of its judges in a step by the setting `grading`, as a share of what is thought of the rest; as the demo took, and published
   *  runs by their timings. */
  judging?: Readonly<Record<string, number>>;
  /** Time of its tools, and of reading their answers, as a share of what is thought of the rest (lab/estimate). */
  tools?: number;
  /** Answers are to meet a requirement that a rule checks. */
  instructs?: boolean;
  /** It has no model of its own and none that comes with the lab can act in it: a run names one of a person's own. */
  needsModel?: boolean;
  /** One of its speakers is taught something that the others are not. */
  teaches?: boolean;
  /** Meaning of a preset here where it differs from the usual one; the environment's own model among it, or a replicate's. */
  defaults(preset: Preset, environment: string): { arms?: readonly Arm[]; settings: Partial<Settings> };
}

/** All that is known of an environment but how it is made. */
export interface EnvironmentDescription<
  Preset extends string = string,
  Arm extends string = string,
  Settings = Record<string, unknown>,
> extends Capabilities<Preset, Arm, Settings> {
  /** Card by which it is chosen on the page. */
  card: EnvironmentCard;
  /** Python that judges what is written here. */
  python: 'micropython' | 'cpython';
  /** Heading of the charts by kind of task, where there are any. */
  kinds?: string;
  /** The environment's reward in one line, and the ticks of its axis. */
  reward: { about: string; ticks: readonly number[] };
  rolloutPresentation: RolloutPresentation;
  /** The environment's metrics, the headline first. */
  metrics: readonly MetricInfo[];
  /** Probes of its evaluations (EvalRow.probes), without sampling, that answer its question better than samples do; none where absent. */
  asked?: readonly ProbeInfo[];
  /** Charts of evaluations over something else than steps; none where absent. */
  profiles?: readonly Profile[];
  /** The parts of its evaluation set. */
  splits: readonly SplitInfo[];
  /** Options of its own, behind all others in a run's settings. */
  options?: OptionGroup;
}

/** An environment in the registry (registry.ts). */
export interface EnvironmentEntry<
  Preset extends string = string,
  Arm extends string = string,
  Settings = Record<string, unknown>,
> extends EnvironmentDescription<Preset, Arm, Settings> {
  /** Loads an environment whose tasks are drawn by seed; others are made by the lab (experiments/environments/makers.ts). */
  load?(): Promise<DrawnEnvironment>;
  /** The small model that is made for it, or for one of its replicates; absent if there is none. */
  pretraining?(environment: string): Promise<Pretraining>;
}
