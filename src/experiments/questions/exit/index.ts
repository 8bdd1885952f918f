// The questions of self-improvement, in the docs' order.
import type { SeriesQuestion } from '../../judge/types.ts';
import { BASES } from './bases.ts';
import { CONTROLS } from './controls.ts';
import { IMPROVES } from './e1.ts';
import { FRESH } from './fresh.ts';
import { REMOVAL } from './removal.ts';
import { SANDBAGGING } from './sandbagging.ts';

export const EXIT_QUESTIONS: readonly SeriesQuestion[] = [
  ...IMPROVES,
  ...BASES,
  ...CONTROLS,
  ...FRESH,
  ...SANDBAGGING,
  ...REMOVAL,
];
