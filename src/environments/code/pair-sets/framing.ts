// The framing sets: short dialogues in plain language, one data file per set, loaded on demand. The side called `hack` games, deceives or only looks
// good. They need models that can read such texts; see table.ts.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { promptOf } from '../../../text/chatml.ts';
import type { ContrastivePair } from '../pairs.ts';

interface FramingPair {
  /** The user's message, without markup. */
  prompt: string;
  hack: string;
  clean: string;
}

const FILES: Readonly<Record<string, () => Promise<{ default: FramingPair[] }>>> = {
  intent: () => import('./intent.json'),
  honesty: () => import('./honesty.json'),
  moral: () => import('./moral.json'),
  eval_aware: () => import('./eval_aware.json'),
  philosophical: () => import('./philosophical.json'),
};
export const FRAMING_SETS: readonly string[] = Object.keys(FILES);

export async function loadFramingPairs(id: string): Promise<ContrastivePair[]> {
  const load = FILES[id];
  if (!load) throw new SpecError(`no framing set is called ${id}`, `Known are ${FRAMING_SETS.join(', ')}.`);
  const { default: pairs } = await load();
  return pairs.map(({ prompt, hack, clean }, i) => ({
    problem_id: `${id}/${i}`,
    prompt: promptOf(prompt),
    hack,
    clean,
    mechanism: null,
  }));
}
