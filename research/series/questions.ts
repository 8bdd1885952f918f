// Every series with its questions, except the study's, whose rows are runs that a browser may add to (study/questions): the input of the
// sheets. A new question is one entry in its series' folder, without a change here.

import type { SeriesId } from '../../src/findings/series.ts';
import type { Question } from '../judge/question.ts';
import { AGENTS_QUESTIONS } from './agents/index.ts';
import { CAT_QUESTIONS } from './cat/index.ts';
import { CHARACTERS_QUESTIONS } from './characters/index.ts';
import { EXIT_QUESTIONS } from './exit/index.ts';
import { INSTRUCTION_QUESTIONS } from './instructions/index.ts';
import { PREDICTION_QUESTIONS } from './prediction/index.ts';

export const ENVIRONMENT_QUESTIONS: Readonly<Record<Exclude<SeriesId, 'study'>, readonly Question[]>> = {
  cat: CAT_QUESTIONS,
  exit: EXIT_QUESTIONS,
  characters: CHARACTERS_QUESTIONS,
  agents: AGENTS_QUESTIONS,
  instructions: INSTRUCTION_QUESTIONS,
  prediction: PREDICTION_QUESTIONS,
};

/** Undefined for a question of the study, which judges its comparisons together. */
export const questionOf = ({ series, question }: { series: SeriesId; question: string }): Question | undefined =>
  series === 'study' ? undefined : ENVIRONMENT_QUESTIONS[series].find(({ id }) => id === question);
