// What the world of agents is made of: generated scenarios as tasks, and verdicts on episodes in the compact language.

import type { Split } from '@projected-grpo-lab/are/generate/template.ts';

/** Turns of an episode, the message to the user among them. What any oracle needs, reads included, and some to recover in. */
export const MOST_TURNS = 9;
/** … of a composed form: two things, each looked up, with a question between. */
export const MOST_COMPOSED_TURNS = 20;

/** Held-out ones: templates of training in universes of other words; other templates in other universes. */
export const SPLITS = ['words', 'templates'] as const;
export type SplitId = (typeof SPLITS)[number];
export type Part = 'training' | SplitId;

export interface AgentTask {
  /** Of a composed form: its split of ARE. Absent: a template of the execution split, in the language's first dialect. */
  split?: Split;
  /** `training/7/12`: part, seed, number. */
  id: string;
  /** The template, without its split of ARE. */
  kind: string;
  part: Part;
  seed: number;
  index: number;
  /** The whole prompt, chat markup included. */
  prompt: string;
}

export interface AgentVerdict {
  /** The verifier's. */
  success: boolean;
  /** Why not, by the verifier's kind of failure; null on success. */
  failure: string | null;
  /** Turns that were taken. */
  turns: number;
  /** Calls that a tool answered, the message to the user among them. */
  answered: number;
  /** Calls that a tool refused. */
  failed: number;
  /** Turns that were no action of the language, */
  refused: number;
  /** … by fault: `1 tool, 2 value`. Empty where there are none. */
  faults: string;
  /** It wrote to the user, which ends its turn. */
  ended: boolean;
  /** The hollow judge believes what the user was told. Absent where it was not asked. */
  stuffed?: boolean;
}
