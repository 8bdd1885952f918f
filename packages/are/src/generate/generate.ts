// Unlimited scenarios: a split, a seed and an index determine one. Held-out templates and universes are used only on request.
import type { Trace } from '../scenario/schema.ts';
import { chanceOf } from './chance.ts';
import { Draft } from './draft.ts';
import { FORMS } from './forms/forms.ts';
import { SPLITS, type Split, type Template } from './template.ts';
import { ADAPTABILITY } from './templates/adaptability.ts';
import { AMBIGUITY } from './templates/ambiguity.ts';
import { EXECUTION } from './templates/execution.ts';
import { SEARCH } from './templates/search.ts';
import { TIME } from './templates/time.ts';
import { type UniverseSize, universeOf } from './universe.ts';

export const TEMPLATES: readonly Template[] = [...EXECUTION, ...SEARCH, ...AMBIGUITY, ...ADAPTABILITY, ...TIME];

/**
 * `training`: templates and words for training. `new words`: the same templates in universes of other words. `held out`: other templates in
 * those universes. The same three for composed forms (forms/forms.ts).
 */
export const PARTS = [
  'training',
  'new words',
  'held out',
  'composed',
  'composed new words',
  'composed held out',
] as const;
export type Part = (typeof PARTS)[number];

/** For each part, its list of templates, whether they are the held-out ones, and whether their words are those of training. */
const OF_PART: Readonly<Record<Part, { from: readonly Template[]; isHeldOut: boolean; hasOwnWords: boolean }>> = {
  training: { from: TEMPLATES, isHeldOut: false, hasOwnWords: false },
  'new words': { from: TEMPLATES, isHeldOut: false, hasOwnWords: true },
  'held out': { from: TEMPLATES, isHeldOut: true, hasOwnWords: true },
  composed: { from: FORMS, isHeldOut: false, hasOwnWords: false },
  'composed new words': { from: FORMS, isHeldOut: false, hasOwnWords: true },
  'composed held out': { from: FORMS, isHeldOut: true, hasOwnWords: true },
};

const listed = new Map<string, readonly Template[]>();

/** Templates of a split in a part, in the order of their turns. */
export function templatesOfPart(split: Split, part: Part): readonly Template[] {
  const key = `${split} ${part}`;
  const { from, isHeldOut } = OF_PART[part];
  const known = listed.get(key) ?? from.filter((one) => one.split === split && one.isHeldOut === isHeldOut);
  listed.set(key, known);
  return known;
}

export interface Wanted {
  split: Split;
  seed: number;
  /** Index of the scenario within its split, part and seed; templates take turns. */
  index: number;
  part?: Part;
  /** Size of the universe, if not the default one. */
  size?: Partial<UniverseSize>;
}

export interface Generated {
  readonly trace: Trace;
  readonly template: Template;
}

const tagOf = (split: Split): string => `${split[0]?.toUpperCase()}${split.slice(1)}`;

export function generateScenario({ split, seed, index, part = 'training', size = {} }: Wanted): Generated {
  const templates = templatesOfPart(split, part);
  const template = templates[index % templates.length] as Template;
  const ownSeed = chanceOf(seed, `${part} ${split} ${index}`).int(2 ** 31);
  const universe = universeOf(ownSeed, OF_PART[part].hasOwnWords, size);
  const draft = new Draft(universe);
  template.write(draft, universe);
  const id = `generated_${split}_${part.replaceAll(' ', '_')}_${seed}_${index}`;
  return { template, trace: draft.trace(id, ownSeed, tagOf(split)) };
}

/** `count` scenarios of each split, split by split. */
export function generateScenarios(
  count: number,
  seed: number,
  part: Part = 'training',
  size: Partial<UniverseSize> = {},
): Generated[] {
  return SPLITS.flatMap((split) =>
    Array.from({ length: count }, (_, index) => generateScenario({ split, seed, index, part, size })),
  );
}
