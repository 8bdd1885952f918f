// On what terms a run acts in a world: which small model is its own, what there is to project along, to learn from and to exploit, and
// what a preset means there. Data alone, since the spec itself is resolved by it, before any environment is loaded.
import type { ArmName } from '../config/arms.ts';
import type { PresetName } from '../config/preset-names.ts';
import type { Settings } from '../config/settings.ts';

export interface WorldTerms {
  /** What spec.environment says; where the environment is one of many (a file's problems), what it begins with. */
  id: string;
  label: string;
  /** Whether spec.environment names this environment. */
  named(environment: string): boolean;
  /** How spec.environment names it, for messages. */
  example: string;
  /** For the glossary, in a few words: what its model was pretrained on, its reward, its problems. Absent where they are another's. */
  words?: { model: string; reward: string; problems: string };
  /** Environments of this environment that have a model of their own besides, which does not come with the lab. */
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
  /** One of its speakers is taught something that the others are not. */
  teaches?: boolean;
  /** What a preset means here where it is not what it means by itself; the environment's own model among it. */
  defaults(preset: PresetName): { arms?: readonly ArmName[]; settings: Partial<Settings> };
}

/** Whether a run in the environment has something to extract a basis from. */
export const hasPairs = ({ pairs, pairSets }: WorldTerms, run: { pairSet: string }): boolean =>
  pairs || pairSets?.includes(run.pairSet) === true;
