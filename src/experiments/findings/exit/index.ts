// The questions of self-improvement, in the docs' order.
import type { WorldQuestion } from '../types.ts';
import { GAIN } from './gain.ts';
import { SANDBAGGING } from './sandbagging.ts';

export const EXIT_QUESTIONS: readonly WorldQuestion[] = [...GAIN, ...SANDBAGGING];
