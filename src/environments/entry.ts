// An environment as the lab knows it before a run: what a run can do there, the question on its card, its metrics, how its rollouts are
// shown. These are data and plain functions without React, from which alone the page draws every environment. All of it is in the page's
// first load, so the environment itself is loaded separately (`load`, `pretraining`).
import type { OptionGroup } from '../lib/option.ts';
import type { DrawnEnvironment } from './drawn.ts';
import type { MetricInfo, ProbeInfo, Profile, SplitInfo } from './metric-info.ts';
import type { Pretraining } from './pretraining.ts';
import type { RolloutPresentation } from './rollout-presentation.ts';

/** The card by which an environment is chosen on the page: the question that it can answer, in plain words. */
export interface EnvironmentCard {
  /** Ends with a question mark. */
  question: string;
  /** Quantity that the card's published values measure, in a word or two: `Cheating 42% → 3%`. Absent if nothing is published. */
  measured?: string;
  /** One sentence. */
  about: string;
}

/** How spec.environment names an environment. */
export interface Naming {
  /** Whether `environment` names this one. */
  named(environment: string): boolean;
  /** Example of such a name, for messages. */
  example: string;
}

/** Features that most environments lack. */
export interface Offered {
  /** Labelled pairs from which a basis is extracted; without them no arm can project. */
  pairs: boolean;
  /** Cached rows of a teacher. */
  teacher: boolean;
  /** Flaws that an answer can exploit; without them there are no flags, no openly asked hacks and nothing to filter. */
  loopholes: boolean;
  /** Hackable training prompts can say something of their exploit (stances.ts). */
  clauses: boolean;
}

/** Fills defaults: an environment's name is its id, and it has no pairs, no teacher, no loopholes and no clauses. */
export const completed = <Entry extends { id: string } & Partial<Naming & Offered>>(
  entry: Entry,
): Entry & Naming & Offered => ({
  named: (environment) => environment === entry.id,
  example: entry.id,
  pairs: false,
  teacher: false,
  loopholes: false,
  clauses: false,
  ...entry,
});

// Capabilities are only data, since a run's spec is completed with them before any environment is loaded. Arms and settings are strings
// here and are checked against the lab's own where the registry is read (experiments/environments), which this layer does not know.

/** Possibilities of a run in an environment: its small model, its pairs, teacher and loopholes, and the meaning of each preset. */
export interface Capabilities<
  Preset extends string = string,
  Arm extends string = string,
  Settings = Record<string, unknown>,
> extends Partial<Naming>,
    Partial<Offered> {
  /** The name in spec.environment; for an environment that is one of many (a file's problems), the name's beginning. */
  id: string;
  label: string;
  /** Glossary phrases: what its model was pretrained on, its reward, its problems. Absent if another environment's apply. */
  words?: { model: string; reward: string; problems: string };
  /** Variants of this environment that have their own model. It is embedded if `embeds` names it. */
  replicates?: readonly string[];
  /** The arm with which others are compared if an experiment has no vanilla; none by default. */
  reference?: Arm;
  /** Embedded models besides its own, such as those of its replicates. */
  embeds?: readonly string[];
  /** Built-in pair sets of only this environment: they give a basis even if `pairs` is false. */
  pairSets?: readonly string[];
  /** A user's own pairs give a basis even if `pairs` is false. */
  ownPairs?: boolean;
  /** Answers can be compared with each other, so that a reference can be made from a group. */
  references?: boolean;
  /** Answers are texts that a judge can check against a rubric made from a group. */
  rubrics?: boolean;
  /** Episodes end with a message to a user, which may deceive a judge. */
  messages?: boolean;
  /** Answers can be shown again, to be improved. */
  improves?: boolean;
  /** Number of answers to an evaluated problem, if there are several: successive revisions. */
  answersEvaluated?: number;
  /** Mean length of an answer as a share of its limit, if it differs much from the general assumption (lab/estimate). */
  written?: number;
  /** Time of a step's judges by the setting `grading`, as a share of the estimate for the rest; measured in the demo and in published
   *  runs. */
  judging?: Readonly<Record<string, number>>;
  /** Time of its tools and of reading their replies, as a share of the estimate for the rest (lab/estimate). */
  tools?: number;
  /** Answers must meet a requirement that a rule checks. */
  instructs?: boolean;
  /** No embedded model can act in it: a run names a model of the user's. */
  needsModel?: boolean;
  /** One speaker is trained on something that the others do not see. */
  teaches?: boolean;
  /** Meaning of a preset here if it differs from the default; it includes the environment's model, or a replicate's. */
  defaults(preset: Preset, environment: string): { arms?: readonly Arm[]; settings: Partial<Settings> };
}

/** Everything about an environment but its making. */
export interface EnvironmentDescription<
  Preset extends string = string,
  Arm extends string = string,
  Settings = Record<string, unknown>,
> extends Capabilities<Preset, Arm, Settings> {
  /** Card by which it is chosen on the page. */
  card: EnvironmentCard;
  /** The Python implementation that judges code here. */
  python: 'micropython' | 'cpython';
  /** Heading of the charts by kind of task, if there are any. */
  kinds?: string;
  /** The environment's reward in one line, and the ticks of its axis. */
  reward: { about: string; ticks: readonly number[] };
  rolloutPresentation: RolloutPresentation;
  /** The environment's metrics, the headline first. */
  metrics: readonly MetricInfo[];
  /** Probes of its evaluations (EvalRow.probes), which need no samples and answer its question better; none if absent. */
  asked?: readonly ProbeInfo[];
  /** Charts of evaluations along something other than steps; none if absent. */
  profiles?: readonly Profile[];
  /** The parts of its evaluation set. */
  splits: readonly SplitInfo[];
  /** Its own options. */
  options?: OptionGroup;
}

/** An environment in the registry (registry.ts). */
export interface EnvironmentEntry<
  Preset extends string = string,
  Arm extends string = string,
  Settings = Record<string, unknown>,
> extends EnvironmentDescription<Preset, Arm, Settings> {
  /** Loads an environment whose tasks are drawn by seed; the others are made in experiments/environments/makers.ts. */
  load?(): Promise<DrawnEnvironment>;
  /** The small model that is pretrained for it or for one of its replicates; absent if there is none. */
  pretraining?(environment: string): Promise<Pretraining>;
}
