// The questions of self-improvement, in the docs' order.
import type { WorldQuestion } from '../types.ts';
import { CONTROLS } from './controls.ts';
import { IMPROVES } from './e1.ts';
import { SANDBAGGING } from './sandbagging.ts';

export const EXIT_QUESTIONS: readonly WorldQuestion[] = [...IMPROVES, ...CONTROLS, ...SANDBAGGING];
