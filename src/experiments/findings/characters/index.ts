// The questions of characters, in the docs' order; then those that nobody has run.
import { notRun } from '../not-run.ts';
import type { WorldQuestion } from '../types.ts';
import { DOCUMENTS } from './s1.ts';

const asked = (id: string, title: string) => notRun(id, title, 'What this does not say');

const NOT_RUN: readonly WorldQuestion[] = [
  asked('S2', 'Does leakage rise with how new the taught skill is?'),
  asked('S3', 'Is it the algorithm or the channel: SFT, self-distillation, RL?'),
  asked('S4', 'Belief and behaviour: which moves first, where do they part?'),
  asked('S5', 'Does the gradient at the base predict leakage?'),
  asked('S6', 'Does leakage depend on what is trained: all weights, LoRA, SVD knobs?'),
  asked('S7', 'Is what leaked relearned sooner, and is it gated by A’s marker?'),
  asked('S8', 'Can projection keep RL local?'),
  asked('S9', 'Does gaming an evaluation spread from A to others?'),
];

export const CHARACTERS_QUESTIONS: readonly WorldQuestion[] = [...DOCUMENTS, ...NOT_RUN];
