// The questions of characters, in the docs' order.
import type { Question } from '../../judge/question.ts';
import { LATER } from './later.ts';
import { DOCUMENTS } from './s1.ts';
import { TIED } from './tied.ts';

export const CHARACTERS_QUESTIONS: readonly Question[] = [...DOCUMENTS, ...LATER, TIED];
