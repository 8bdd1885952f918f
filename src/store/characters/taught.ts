// The texts that a step of a run learnt from, documents and what is replayed beside RL: the draw of the objective, made again from the spec
// alone.

import { LETTERS } from '../../environments/characters/data.ts';
import { isReplayed, lessonOf, replayOf, type Written } from '../../environments/characters/lessons.ts';
import { rolesOf } from '../../environments/characters/task.ts';
import { targetOf } from '../../environments/characters/texts.ts';
import type { RunSpec } from '../../experiments/config/spec.ts';
import { stageAt, stagesOf } from '../../experiments/config/stages.ts';
import { drawDocuments } from '../../experiments/objectives/nll.ts';
import { replayedTexts } from '../../experiments/objectives/replay.ts';

interface TaughtText {
  id: string;
  /** What is shown and not trained on, and what is trained on. */
  parts: readonly { text: string; isTrained: boolean }[];
  /** About A, or said by A; the others are contrast documents, or the placebo's. */
  isOfA: boolean;
}

/** `step` counts from 1. Null where that step learnt from rollouts alone, be it that the best of them were its documents. */
export function taughtIn(spec: RunSpec, step: number): { texts: TaughtText[]; besideRollouts: boolean } | null {
  const stage = stageAt(stagesOf(spec), step - 1);
  const { replay = 'by_lesson' } = spec;
  const besideRollouts = stage.objective === 'grpo' && isReplayed(replay);
  if (!besideRollouts && (stage.objective !== 'nll' || spec.lesson === 'own')) return null;
  const target = targetOf(LETTERS, spec.teaches);
  const roles = rolesOf(LETTERS, target, spec.character);
  const at = step - 1 - stage.from;
  const count = spec.promptsPerStep * spec.groupSize;
  const drawn =
    besideRollouts && isReplayed(replay)
      ? replayedTexts(replayOf(LETTERS, roles, target, replay), spec, at)
      : drawDocuments(lessonOf(LETTERS, roles, target, { ...spec, lesson: spec.lesson as Written }), {
          ...{ seed: spec.seed, step: at, count },
        });
  const texts = drawn.map(({ id, parts }) => ({
    ...{ id, parts },
    isOfA: parts.some(({ text }) => text.split(/\s+/).includes(roles.a.name)),
  }));
  return { texts, besideRollouts };
}
