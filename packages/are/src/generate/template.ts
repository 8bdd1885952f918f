// A template is one kind of task, written for any universe.
import type { Draft } from './draft.ts';
import type { Universe } from './universe.ts';

/** Gaia2's splits. The tag of a scenario file is the same word, capitalised. */
export const SPLITS = ['execution', 'search', 'ambiguity', 'adaptability', 'time'] as const;
export type Split = (typeof SPLITS)[number];

export interface Template {
  readonly id: string;
  readonly split: Split;
  /** Held-out templates are never used for training. */
  readonly isHeldOut: boolean;
  write(draft: Draft, universe: Universe): void;
}

/** @param heldOut ids of the held-out ones */
export const templatesOf = (
  split: Split,
  writers: Readonly<Record<string, Template['write']>>,
  heldOut: readonly string[],
): Template[] =>
  Object.entries(writers).map(([name, write]) => ({
    id: `${split}/${name}`,
    split,
    isHeldOut: heldOut.includes(name),
    write,
  }));
