// Pairs from labelled rollouts: for each prompt, answers that a user labelled hack are paired with those labelled clean, each at least once.
import type { ContrastivePair } from '../../environments/code/pairs.ts';
import { MODES } from '../../environments/code/types.ts';
import type { RolloutRecord } from '../records/events.ts';

export interface PairsOfLabels {
  pairs: ContrastivePair[];
  /** Number of labelled rollouts without one of the other label at the same prompt. */
  alone: number;
  /** Number of labelled rollouts with several turns or no text; a pair needs one answer on each side. */
  unfit: number;
}

/** Unlabelled rollouts are ignored. Prompts and answers keep their order. */
export function labelPairs(rollouts: readonly RolloutRecord[]): PairsOfLabels {
  /** Answers by prompt and label, keyed by their text, so that equal answers count once. */
  const prompts = new Map<string, Record<'hack' | 'clean', Map<string, RolloutRecord>>>();
  let unfit = 0;
  for (const rollout of rollouts) {
    const label = rollout.label?.label;
    if (!label) continue;
    const [{ prompt, completion }, ...more] = rollout.turns;
    if (more.length > 0 || completion === '' || prompt === '') {
      unfit++;
      continue;
    }
    const sides = prompts.get(prompt) ?? { hack: new Map(), clean: new Map() };
    prompts.set(prompt, sides);
    sides[label].set(completion, rollout);
  }
  const pairs: ContrastivePair[] = [];
  let alone = 0;
  for (const [prompt, sides] of prompts) {
    const [hacks, cleans] = [[...sides.hack], [...sides.clean]];
    if (hacks.length === 0 || cleans.length === 0) {
      alone += hacks.length + cleans.length;
      continue;
    }
    for (let i = 0; i < Math.max(hacks.length, cleans.length); i++) {
      const [hack, { taskId, verdict }] = hacks[i % hacks.length];
      const [clean] = cleans[i % cleans.length];
      const mechanism = MODES.find((mode) => mode === verdict.mechanism) ?? null;
      if (hack !== clean)
        pairs.push({ problem_id: taskId.slice(0, 200) || 'labelled', prompt, hack, clean, mechanism });
    }
  }
  return { pairs, alone, unfit };
}
