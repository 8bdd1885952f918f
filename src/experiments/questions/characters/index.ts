// The questions of characters, in the docs' order.
import type { SeriesQuestion } from '../../judge/types.ts';
import { LATER } from './later.ts';
import { DOCUMENTS } from './s1.ts';

export const CHARACTERS_QUESTIONS: readonly SeriesQuestion[] = [...DOCUMENTS, ...LATER];
