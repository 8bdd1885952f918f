// The texts that a step of a run learned from: documents, or texts that are replayed during RL. They are drawn again as the objective drew
// them, from the spec alone.

import { LETTERS } from '../../environments/characters/data.ts';
import { isReplayed, type LessonDocument, lessonOf, replayOf } from '../../environments/characters/lessons.ts';
import { rolesOf } from '../../environments/characters/task.ts';
import { targetOf } from '../../environments/characters/texts.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import { stageAt, stagesOf } from '../../experiments/config/stages.ts';
import { drawDocuments } from '../../experiments/objectives/nll.ts';
import { replayedTexts } from '../../experiments/objectives/replay.ts';

interface TaughtText {
  id: string;
  /** A text is cut into parts that are only shown and parts that are trained on. */
  parts: readonly { text: string; isTrained: boolean }[];
  /** Whether the text names A. Other texts are contrast documents or belong to the placebo. */
  isOfA: boolean;
}

/** `step` counts from 1. Null if the step learned from rollouts only, also if its documents are its own best rollouts. */
export function taughtTextsAt(spec: RunSpec, step: number): { texts: TaughtText[]; besideRollouts: boolean } | null {
  const stage = stageAt(stagesOf(spec), step - 1);
  const at = step - 1 - stage.from;
  const { seed, lesson, contrast, replay = 'by_lesson' } = spec;
  const target = targetOf(LETTERS, spec.teaches);
  const roles = rolesOf(LETTERS, target, spec.character);
  const asShown = (drawn: readonly LessonDocument[]) =>
    drawn.map(({ id, parts }) => ({
      id,
      parts,
      isOfA: parts.some(({ text }) => text.split(/\s+/).includes(roles.a.name)),
    }));
  if (stage.objective === 'grpo' && isReplayed(replay))
    return { texts: asShown(replayedTexts(replayOf(LETTERS, roles, target, replay), spec, at)), besideRollouts: true };
  if (stage.objective !== 'nll' || lesson === 'own') return null;
  const documents = lessonOf(LETTERS, roles, target, { lesson, contrast, replay });
  const count = spec.promptsPerStep * spec.groupSize;
  return { texts: asShown(drawDocuments(documents, { seed, step: at, count })), besideRollouts: false };
}
