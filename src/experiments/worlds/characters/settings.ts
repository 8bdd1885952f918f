// The characters' own settings, by name and type.
import type { Lesson } from '../../../environments/characters/lessons.ts';
import type { TargetId } from '../../../environments/characters/targets.ts';

export interface CharacterSettings {
  /** Which of those who may be taught, from 0. */
  character: number;
  teaches: TargetId;
  /** What `nll` learns from. */
  lesson: Lesson;
  /** Share of its documents that are about others, as they are. */
  contrast: number;
  /** What a rollout is paid for. */
  pays: 'target' | 'random';
}
