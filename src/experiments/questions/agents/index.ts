// The questions of agents, in the docs' order.
import type { SeriesQuestion } from '../../judge/types.ts';
import { G2 } from './forms.ts';
import { G1, GAIN } from './gain.ts';
import { A1, A1_ERASE, ERASING, ROUTING } from './removal.ts';

export const AGENTS_QUESTIONS: readonly SeriesQuestion[] = [G1, A1, A1_ERASE, G2];

/** Of run records, wherever they come from. */
export const AGENT_QUESTIONS = [GAIN, ROUTING, ERASING] as const;
