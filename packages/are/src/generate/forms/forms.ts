// Composed forms of tasks: acts (acts.ts) within frames of each split. The held-out ones were fixed before any training: a form whose id
// hashes (FNV-1a, 32 bits) to a multiple of four. Each act and each frame also occurs in training forms.
import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { SPLITS, type Split, type Template } from '../template.ts';
import { ADAPTABILITY_FORMS } from './adaptability.ts';
import { AMBIGUITY_FORMS } from './ambiguity.ts';
import { EXECUTION_FORMS } from './execution.ts';
import { SEARCH_FORMS } from './search.ts';
import { TIME_FORMS } from './time.ts';

const WRITERS: Readonly<Record<Split, Readonly<Record<string, Template['write']>>>> = {
  execution: EXECUTION_FORMS,
  search: SEARCH_FORMS,
  ambiguity: AMBIGUITY_FORMS,
  adaptability: ADAPTABILITY_FORMS,
  time: TIME_FORMS,
};

/** One form in this many is held out. */
const ONE_IN = 4;

export const FORMS: readonly Template[] = SPLITS.flatMap((split) =>
  Object.entries(WRITERS[split]).map(([name, write]) => {
    const id = `${split}/${name}`;
    return { id, split, isHeldOut: hash32(id) % ONE_IN === 0, write };
  }),
);
