// The questions of characters, in the docs' order.
import type { WorldQuestion } from '../types.ts';
import { LATER } from './later.ts';
import { DOCUMENTS } from './s1.ts';

export const CHARACTERS_QUESTIONS: readonly WorldQuestion[] = [...DOCUMENTS, ...LATER];
