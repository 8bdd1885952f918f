// All questions in METHOD's order (there is no Q7), and the order of their runs.
import type { QuestionId, StudyQuestion } from '../types.ts';
import { BASELINE_QUESTIONS } from './baselines.ts';
import { BASIS_QUESTIONS } from './basis.ts';
import { CAPABILITY_QUESTIONS } from './capability.ts';
import { CONTENT_QUESTIONS } from './content.ts';
import { CONTROL_QUESTIONS } from './controls.ts';
import { DRAW_QUESTIONS } from './draws.ts';
import { HELD_OUT_QUESTIONS } from './held-out.ts';
import { HYBRID_QUESTIONS } from './hybrid.ts';
import { PROJECTION_QUESTIONS } from './projection.ts';
import { TEACHER_QUESTIONS } from './teacher.ts';
import { TRAINING_QUESTIONS } from './training.ts';

const BY_ID: Record<string, StudyQuestion> = {
  ...TEACHER_QUESTIONS,
  ...PROJECTION_QUESTIONS,
  ...TRAINING_QUESTIONS,
  ...BASIS_QUESTIONS,
  ...CONTENT_QUESTIONS,
  ...CONTROL_QUESTIONS,
  ...HELD_OUT_QUESTIONS,
  ...CAPABILITY_QUESTIONS,
  ...BASELINE_QUESTIONS,
  ...DRAW_QUESTIONS,
  ...HYBRID_QUESTIONS,
};

const number = ({ id }: StudyQuestion): number => Number(id.slice(1));
export const QUESTIONS: readonly StudyQuestion[] = Object.values(BY_ID).sort((a, b) => number(a) - number(b));

const FIRST: readonly QuestionId[] = ['Q1', 'Q2', 'Q12', 'Q18', 'Q14'];
/** Order of training: questions that others depend on come first. */
export const RUN_ORDER: readonly StudyQuestion[] = [
  ...FIRST.map((id) => QUESTIONS.find((question) => question.id === id) as StudyQuestion),
  ...QUESTIONS.filter(({ id }) => !FIRST.includes(id)),
];
