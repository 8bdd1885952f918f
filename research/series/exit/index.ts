// The questions of self-improvement, in the docs' order.
import type { Question } from '../../judge/question.ts';
import type { ExitData } from './arms.ts';
import { CONTROLS, FRESH } from './controls.ts';
import { E1_BASES, IMPROVES } from './e1.ts';
import { SANDBAGGING } from './sandbagging.ts';

/** Questions about chains and the runs that trained their models, published or not. */
export const CHAIN_QUESTIONS: readonly Question<ExitData>[] = [
  ...[...IMPROVES, E1_BASES],
  ...[...CONTROLS, ...FRESH, ...SANDBAGGING],
];

export const EXIT_QUESTIONS: readonly Question[] = [...CHAIN_QUESTIONS];
