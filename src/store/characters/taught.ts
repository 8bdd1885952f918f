// The texts that a step of a run taught with, where they are documents: the draw of the objective, made again from the spec alone.

import { LETTERS } from '../../environments/characters/data.ts';
import { lessonOf } from '../../environments/characters/lessons.ts';
import { rolesOf } from '../../environments/characters/task.ts';
import { targetOf } from '../../environments/characters/texts.ts';
import type { RunSpec } from '../../experiments/config/spec.ts';
import { stageAt, stagesOf } from '../../experiments/config/stages.ts';
import { drawDocuments } from '../../experiments/objectives/nll.ts';

interface TaughtText {
  id: string;
  /** What is shown and not trained on, and what is trained on. */
  parts: readonly { text: string; isTrained: boolean }[];
  /** About A, or said by A; the others are contrast documents, or the placebo's. */
  isOfA: boolean;
}

/** `step` counts from 1. Null where that step learnt from rollouts, be it that the best of them were its documents. */
export function taughtIn(spec: RunSpec, step: number): TaughtText[] | null {
  const stage = stageAt(stagesOf(spec), step - 1);
  if (stage.objective !== 'nll' || spec.lesson === 'own') return null;
  const target = targetOf(LETTERS, spec.teaches);
  const roles = rolesOf(LETTERS, target, spec.character);
  const documents = lessonOf(LETTERS, roles, target, { ...spec, lesson: spec.lesson });
  const count = spec.promptsPerStep * spec.groupSize;
  return drawDocuments(documents, { seed: spec.seed, step: step - 1 - stage.from, count }).map(({ id, parts }) => ({
    ...{ id, parts },
    isOfA: parts.some(({ text }) => text.split(/\s+/).includes(roles.a.name)),
  }));
}
